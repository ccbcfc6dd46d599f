import assert from "node:assert/strict";
import { test } from "node:test";
import { editorModelStream } from "../../../../agent-host/protocol/host/editor-models.ts";
import type { answerHost } from "../../../../extension/host/answers.ts";
import type { serveSignIn } from "../../../../extension/host/serve-sign-in.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

class PaperToken {
	readonly #cancelled = new PaperEmitter();
	isCancellationRequested = false;
	readonly onCancellationRequested = this.#cancelled.event;
	cancel(): void {
		this.isCancellationRequested = true;
		this.#cancelled.fire(undefined);
	}
}

class PaperTokenSource {
	readonly token = new PaperToken();
	cancel(): void {
		this.token.cancel();
	}
	dispose(): void {}
}

const Disposable = {
	from: (...all: readonly { dispose(): void }[]) => ({
		dispose: () => {
			for (const one of all) one.dispose();
		},
	}),
};

test("an answer of the editor's model that a host waits for is cancelled when that host ends", async () => {
	const asked = Promise.withResolvers<PaperToken>();
	const model = {
		sendRequest: (_: unknown, __: unknown, token: PaperToken) => {
			asked.resolve(token);
			return new Promise((_, reject) => token.onCancellationRequested(() => reject(new Error("Canceled"))));
		},
	};
	const { answerHost: answer } = await loadOverPaper<{ readonly answerHost: typeof answerHost }>(
		["extension/host/answers.ts"],
		{
			...{ l10n: {}, Disposable, CancellationTokenSource: PaperTokenSource, CancellationError: class {} },
			...{ LanguageModelError: class {}, lm: { selectChatModels: async () => [model] } },
		},
	);
	const handlers = new Map<string, (params: unknown, token: PaperToken) => Promise<unknown>>();
	const changed = new PaperEmitter();
	let isRunning = true;
	const client = {
		onRequest: (name: string, handler: (params: unknown, token: PaperToken) => Promise<unknown>) =>
			handlers.set(name, handler),
		onDidChangeState: changed.event,
		isRunning: () => isRunning,
	};
	answer(client as never, {} as never);
	const request = { streamId: "stream-1", model: "paper", messages: [], tools: [] };
	const answered = handlers.get(editorModelStream.name)?.(request, new PaperToken());
	const token = await asked.promise;
	changed.fire({});
	assert.equal(token.isCancellationRequested, false, "it only became ready");
	isRunning = false;
	changed.fire({});
	assert.equal(token.isCancellationRequested, true);
	assert.deepEqual(await answered, { status: "failed", code: "cancelled", message: "Canceled" });
});

test("no browser opens for a sign-in that was withdrawn while the user was asked about it", async () => {
	const token = new PaperToken();
	const { serveSignIn: serve } = await loadOverPaper<{ readonly serveSignIn: typeof serveSignIn }>(
		["extension/host/serve-sign-in.ts"],
		{
			...{ l10n: {}, env: { openExternal: () => assert.fail("It opened the browser.") } },
			window: {
				showInformationMessage: async (_: string, __: object, open: string) => {
					token.cancel();
					return open;
				},
			},
		},
	);
	const cancelled: string[] = [];
	const { serverAuthorize } = serve("a.b", {} as never, { cancel: (state: string) => cancelled.push(state) } as never);
	const asked = { state: "s".repeat(32), server: "tickets", url: "https://login.test/authorize" };
	assert.deepEqual(await serverAuthorize(asked, token as never), {});
	assert.deepEqual(cancelled, [asked.state]);
});
