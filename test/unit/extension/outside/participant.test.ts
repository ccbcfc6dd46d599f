import assert from "node:assert/strict";
import { test } from "node:test";
import { turnInterrupt, turnStart } from "../../../../agent-host/protocol/thread/turn.ts";
import type { registerParticipant } from "../../../../extension/outside/participant.ts";
import type { VitrineApi, VitrineEvent } from "../../../../extension/outside/vitrine-api.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

type Answer = (...given: readonly object[]) => Promise<object>;

class ResponseTurn {
	readonly participant = "vitrine.agent";
	readonly result: object;
	constructor(result: object) {
		this.result = result;
	}
}

const REFERENCES = [{ id: "pasted", modelDescription: "Pasted code", value: "let a = 1;" }];

/** The participant in an editor of paper, with a host that does what the test says. */
async function register(
	send: (threadId: string) => Promise<string>,
	start: VitrineApi["start"] = async () => "thread-1",
) {
	let answer: Answer = async () => assert.fail("It is not registered.");
	const { registerParticipant: registerIn } = await loadOverPaper<{
		readonly registerParticipant: typeof registerParticipant;
	}>(["extension/outside/participant.ts"], {
		l10n: {},
		workspace: { isTrusted: true },
		ThemeIcon: class {},
		Location: class {},
		Uri: class {},
		ChatResponseTurn: ResponseTurn,
		chat: {
			createChatParticipant: (_: string, handler: Answer) => {
				answer = handler;
				return {};
			},
		},
	});
	const [events, states, stopped] = [new PaperEmitter(), new PaperEmitter(), new PaperEmitter()];
	const requests: string[] = [];
	const shown: string[] = [];
	const sent: object[] = [];
	const follow: VitrineApi["follow"] = (_, listener) => events.event(listener);
	const host = {
		onDidChangeState: states.event,
		request: async ({ name }: { readonly name: string }, params: { readonly threadId: string }) => {
			if (name !== turnStart.name) return void requests.push(name);
			sent.push(params);
			return { turnId: await send(params.threadId) };
		},
	};
	registerIn(host as never, { start, follow } as never);
	const token = { isCancellationRequested: false, onCancellationRequested: stopped.event };
	const stream = { markdown: (text: string) => shown.push(text) };
	return {
		...{ requests, shown, sent },
		ask: (...earlier: readonly object[]) =>
			answer(
				{ prompt: "Hello.", references: REFERENCES },
				{ history: earlier.map((result) => new ResponseTurn(result)) },
				stream,
				token,
			),
		tell: (event: VitrineEvent) => events.fire(event),
		endHost: () => states.fire({ state: "starting" }),
		stop: () => {
			token.isCancellationRequested = true;
			stopped.fire(undefined);
		},
	};
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const METADATA = { threadId: "thread-1" };

test("in the editor's own chat, stopping before the turn has begun stops it as soon as it begins", async () => {
	const begun = Promise.withResolvers<string>();
	const { ask, stop, tell, requests } = await register(() => begun.promise);
	const answered = ask();
	await settle();
	stop();
	await settle();
	assert.deepEqual(requests, [], "another turn of the thread is not stopped");
	begun.resolve("turn-1");
	await settle();
	assert.deepEqual(requests, [turnInterrupt.name]);
	tell({ type: "ended", turnId: "turn-1", status: "interrupted" });
	assert.deepEqual(await answered, { metadata: METADATA });
});

test("in the editor's own chat, a prompt that is stopped at once is not sent", async () => {
	const { ask, stop } = await register(async () => assert.fail("It was sent."));
	stop();
	assert.deepEqual(await ask(), { metadata: METADATA });
});

test("in the editor's own chat, an answer is that of its own turn, whatever else ends in the thread", async () => {
	const begun = Promise.withResolvers<string>();
	const { ask, tell, shown } = await register(() => begun.promise);
	const answered = ask();
	await settle();
	tell({ type: "text", turnId: "turn-0", text: "of another turn" });
	tell({ type: "ended", turnId: "turn-0", status: "failed", message: "It failed." });
	tell({ type: "text", turnId: "turn-1", text: "One" });
	begun.resolve("turn-1");
	await settle();
	tell({ type: "text", turnId: "turn-1", text: " two." });
	tell({ type: "ended", turnId: "turn-1", status: "completed" });
	assert.deepEqual(await answered, { metadata: METADATA });
	assert.deepEqual(shown, ["One", " two."]);
});

test("in the editor's own chat, attachments are sent with the prompt", async () => {
	const { ask, tell, sent } = await register(async () => "turn-1");
	const answered = ask();
	await settle();
	tell({ type: "ended", turnId: "turn-1", status: "completed" });
	await answered;
	const pasted = { kind: "excerpt", title: "Pasted code", text: "let a = 1;" };
	assert.deepEqual(sent, [{ threadId: "thread-1", input: [{ kind: "text", text: "Hello." }, pasted], trusted: true }]);
});

test("in the editor's own chat, an answer ends with its host and says so, even if the turn was never reported", async () => {
	const { ask, endHost } = await register(async () => "turn-1");
	const answered = ask();
	await settle();
	endHost();
	const message = "The agent host ended before it answered. Try again.";
	assert.deepEqual(await answered, { metadata: METADATA, errorDetails: { message } });
});

test("in the editor's own chat, a failed prompt keeps its thread, and a deleted thread is replaced", async () => {
	const sentTo: string[] = [];
	let failure = Object.assign(new Error("No model is set up."), { data: { kind: "settings-refused" } });
	let started = 0;
	const { ask } = await register(
		async (threadId) => {
			sentTo.push(threadId);
			throw failure;
		},
		async () => {
			started += 1;
			return `thread-${started}`;
		},
	);
	const first = await ask();
	assert.deepEqual(first, { metadata: METADATA, errorDetails: { message: "No model is set up." } });
	failure = Object.assign(new Error("It was deleted."), { data: { kind: "thread-not-found" } });
	const second = await ask(first);
	await ask(first, second);
	assert.deepEqual(sentTo, ["thread-1", "thread-1", "thread-2"]);
});
