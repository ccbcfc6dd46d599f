// Who is measured side by side: the least that Node can do, our host and, where CODEX_BIN names it, the peer.

import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { aThread, endOfTurn, startHost } from "../support/host-process.ts";
import { type PeerSandbox, startPeer, writePeerHome } from "./peer.ts";
import type { Bench } from "./subject.ts";

/** A started agent with an open thread. */
export interface Running {
	readonly pid: number;
	readonly threadId: string;
	/** Bytes that it has sent to its client so far. */
	readonly received: () => number;
	/** Resolves when the turn has ended. */
	readonly runTurn: (text: string) => Promise<void>;
	readonly stop: () => Promise<void>;
}

export interface Contender {
	readonly name: "floor" | "ours" | "peer";
	/** Starts it in a home, which need not exist, and opens a thread: a new one, or one that it had before. */
	readonly start: (home: string, model: Pick<FakeModel, "baseUrl">, threadId?: string) => Promise<Running>;
}

/** `env`: for our host and the floor, such as options for Node. Its `HOME` is also the peer's. */
export function listContenders(
	bench: Pick<Bench, "folder" | "floor" | "ours">,
	env: Readonly<Record<string, string>> = {},
	sandbox: PeerSandbox = "danger-full-access",
): readonly Contender[] {
	const program = process.env.CODEX_BIN;
	return [
		{ name: "floor", start: (home, model, known) => startOwn(bench, bench.floor, home, model, env, known) },
		{ name: "ours", start: (home, model, known) => startOwn(bench, bench.ours, home, model, env, known) },
		...(program === undefined
			? []
			: [
					{
						name: "peer" as const,
						start: async (home: string, { baseUrl }: Pick<FakeModel, "baseUrl">, known?: string) => {
							writePeerHome(home, baseUrl);
							const peer = await startPeer(program, home, bench.folder, sandbox, env.HOME);
							const threadId = await (known === undefined ? peer.startThread(bench.folder) : peer.resumeThread(known));
							return { ...peer, threadId, runTurn: (text: string) => peer.runTurn(threadId, text) };
						},
					},
				]),
	];
}

async function startOwn(
	bench: Pick<Bench, "folder">,
	program: string,
	home: string,
	{ baseUrl }: Pick<FakeModel, "baseUrl">,
	env: Readonly<Record<string, string>>,
	known: string | undefined,
): Promise<Running> {
	const host = await startHost({
		program,
		home,
		folders: [bench.folder],
		settings: { model: { provider: "compatible", baseUrl, id: "fake-1", contextWindow: 1_000_000 } },
		env: { HOME: bench.folder, ...env },
		secret: "a-key",
	});
	const threadId = known === undefined ? await aThread(host) : ThreadId.parse(known);
	if (known !== undefined) await host.request(threadResume, { threadId });
	return {
		pid: host.pid,
		threadId,
		received: () => host.received.messages.reduce((sum, message) => sum + Buffer.byteLength(message), 0),
		async runTurn(text) {
			const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text }] });
			await endOfTurn(host, threadId, turnId);
		},
		stop: async () => {
			await host.close();
		},
	};
}
