import assert from "node:assert/strict";
import { test } from "node:test";
import type { registerParticipant } from "../../../../extension/outside/participant.ts";
import type { VitrineApi, VitrineEvent } from "../../../../extension/outside/vitrine-api.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

test("an answer in the editor's own chat that is stopped before its turn has begun is stopped as soon as it has", async () => {
	let answer: (...given: readonly object[]) => Promise<unknown> = async () => assert.fail("It is not registered.");
	const { registerParticipant: register } = await loadOverPaper<{
		readonly registerParticipant: typeof registerParticipant;
	}>(["extension/outside/participant.ts"], {
		l10n: {},
		ThemeIcon: class {},
		chat: {
			createChatParticipant: (_: string, handler: typeof answer) => {
				answer = handler;
				return {};
			},
		},
	});
	const begun = Promise.withResolvers<string>();
	let tell: (event: VitrineEvent) => void = () => assert.fail("Nobody follows it.");
	const api: Pick<VitrineApi, "start" | "follow" | "send"> = {
		start: async () => "thread-1",
		send: () => begun.promise,
		follow: (_, listener) => {
			tell = listener;
			return { dispose: () => undefined };
		},
	};
	let isRunning = false;
	const host = {
		request: async () => {
			if (isRunning) tell({ type: "ended", turnId: "turn-1", status: "interrupted" });
		},
	};
	register(host as never, api as never);
	const stopped = new PaperEmitter();
	const token = { isCancellationRequested: false, onCancellationRequested: stopped.event };
	const answered = answer({ prompt: "Hello." }, { history: [] }, {}, token);
	await new Promise((resolve) => setImmediate(resolve));
	token.isCancellationRequested = true;
	stopped.fire(undefined);
	isRunning = true;
	begun.resolve("turn-1");
	assert.deepEqual(await answered, { metadata: { threadId: "thread-1" } });
});
