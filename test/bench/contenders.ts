// Who is measured side by side: the least that Node can do, our host and, where CODEX_BIN names it, the peer.

import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { aThread, endOfTurn, startHost } from "../support/host-process.ts";
import { type PeerSandbox, startPeer, writePeerHome } from "./peer.ts";
import type { Bench } from "./subject.ts";

/** A started agent with an open thread. */
export interface Running {
	readonly pid: number;
	/** Bytes that it has sent to its client so far. */
	readonly received: () => number;
	/** Resolves when the turn has ended. */
	readonly runTurn: (text: string) => Promise<void>;
	readonly stop: () => Promise<void>;
}

export interface Contender {
	readonly name: "floor" | "ours" | "peer";
	/** Starts it in a home, which need not exist, and opens a thread. */
	readonly start: (home: string, model: Pick<FakeModel, "baseUrl">) => Promise<Running>;
}

/** `env`: for our host and the floor, such as options for Node. Its `HOME` is also the peer's. */
export function listContenders(
	bench: Pick<Bench, "folder" | "floor" | "ours">,
	env: Readonly<Record<string, string>> = {},
	sandbox: PeerSandbox = "danger-full-access",
): readonly Contender[] {
	const program = process.env.CODEX_BIN;
	return [
		{ name: "floor", start: (home, model) => startOwn(bench, bench.floor, home, model, env) },
		{ name: "ours", start: (home, model) => startOwn(bench, bench.ours, home, model, env) },
		...(program === undefined
			? []
			: [
					{
						name: "peer" as const,
						start: async (home: string, { baseUrl }: Pick<FakeModel, "baseUrl">) => {
							writePeerHome(home, baseUrl);
							const peer = await startPeer(program, home, bench.folder, sandbox, env.HOME);
							const threadId = await peer.startThread(bench.folder);
							return { ...peer, runTurn: (text: string) => peer.runTurn(threadId, text) };
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
): Promise<Running> {
	const host = await startHost({
		program,
		home,
		folders: [bench.folder],
		settings: { model: { provider: "compatible", baseUrl, id: "fake-1", contextWindow: 1_000_000 } },
		env: { HOME: bench.folder, ...env },
		secret: "a-key",
	});
	const threadId = await aThread(host);
	return {
		pid: host.pid,
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
