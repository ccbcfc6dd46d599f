import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { documentUnsaved } from "../../../../agent-host/protocol/host/document.ts";
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

/** Writes a path as the editor's addresses do: letters, digits and a few marks stay, all else is spelled out. */
class PaperUri {
	readonly #path: string;
	constructor(path: string) {
		this.#path = path.replace(/^\/[A-Z]:/, (drive) => drive.toLowerCase());
	}
	static file(path: string): PaperUri {
		return new PaperUri(path);
	}
	get fsPath(): string {
		return this.#path;
	}
	static parse(text: string): PaperUri {
		return new PaperUri(decodeURIComponent(new URL(text).pathname));
	}
	toString(): string {
		const spell = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
		return `file://${encodeURI(this.#path).replaceAll(/[!'()*:@&=+$,;]/g, spell)}`;
	}
}

test("unsaved changes are known whatever the file is called, however the host writes its address", async () => {
	const named = "/app/Ergebnisse (1), neu+alt ü.ipynb";
	const { answerHost: answer } = await loadOverPaper<{ readonly answerHost: typeof answerHost }>(
		["extension/host/answers.ts"],
		{
			...{ l10n: {}, Disposable, CancellationTokenSource: PaperTokenSource, Uri: PaperUri },
			workspace: {
				textDocuments: [
					{ uri: new PaperUri("/c:/app/a.ts"), isDirty: true },
					{ uri: new PaperUri("/app/saved.ts"), isDirty: false },
				],
				notebookDocuments: [{ uri: new PaperUri(named), isDirty: true }],
			},
		},
	);
	const handlers = new Map<string, (params: unknown, token: PaperToken) => Promise<unknown>>();
	const client = {
		onRequest: (name: string, handler: (params: unknown, token: PaperToken) => Promise<unknown>) =>
			handlers.set(name, handler),
		...{ onDidChangeState: new PaperEmitter().event, isRunning: () => true },
		protocol2CodeConverter: { asUri: PaperUri.parse },
		code2ProtocolConverter: { asUri: String },
	};
	answer(client as never, {} as never);
	const isUnsaved = (path: string, windows = false) =>
		handlers.get(documentUnsaved.name)?.({ uri: pathToFileURL(path, { windows }).href }, new PaperToken());
	assert.deepEqual(await isUnsaved(named), { isUnsaved: true });
	assert.deepEqual(await isUnsaved("C:\\app\\a.ts", true), { isUnsaved: true });
	assert.deepEqual(await isUnsaved("/app/saved.ts"), { isUnsaved: false });
	assert.deepEqual(await isUnsaved("/app/Ergebnisse (2).ipynb"), { isUnsaved: false });
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
