// The strongest peer, driven like our own host: `codex app-server`, the native program that CODEX_BIN names.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { within } from "../support/fake-model-wait.ts";

const PATIENCE_MS = 20_000;

interface PeerTurn {
	readonly id: string;
	readonly status?: string;
	readonly error?: unknown;
}

interface PeerMessage {
	readonly id?: number;
	readonly method?: string;
	readonly params?: { readonly turn?: PeerTurn };
	readonly result?: { readonly thread?: { readonly id: string }; readonly turn?: { readonly id: string } };
	readonly error?: { readonly message: string };
}

export interface Peer {
	readonly pid: number;
	/** Bytes that it has sent so far. */
	readonly received: () => number;
	readonly startThread: (cwd: string) => Promise<string>;
	readonly resumeThread: (threadId: string) => Promise<string>;
	/** Resolves when the turn has ended. */
	readonly runTurn: (threadId: string, text: string) => Promise<void>;
	readonly stop: () => Promise<void>;
}

/** A home of the peer's with one model server in it and nothing else. */
export function writePeerHome(home: string, baseUrl: string): void {
	mkdirSync(home, { recursive: true });
	const lines = [
		...['model = "fake-1"', 'model_provider = "fake"', "model_context_window = 1000000"],
		...["[model_providers.fake]", 'name = "fake"', `base_url = "${baseUrl}"`, 'wire_api = "responses"'],
	];
	writeFileSync(join(home, "config.toml"), `${lines.join("\n")}\n`);
}

/** How the peer contains commands. Most benches leave out what its sandbox costs. */
export type PeerSandbox = "danger-full-access" | "workspace-write";

/** Starts it and takes it through `initialize` and `initialized`. */
export async function startPeer(
	program: string,
	home: string,
	cwd: string,
	sandbox: PeerSandbox,
	user = cwd,
): Promise<Peer> {
	// Below the folder of temporary files it does not create the programs that its sandbox starts.
	const temporary = join(home, "tmp");
	mkdirSync(temporary, { recursive: true });
	const env = { PATH: process.env.PATH, LANG: "C.UTF-8", HOME: user, CODEX_HOME: home, TMPDIR: temporary };
	const child = spawn(program, ["app-server"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
	const { request, notify, waitForTurn, received } = connectLines(child);
	await request("initialize", { clientInfo: { name: "bench", title: "bench", version: "1" } });
	notify("initialized");
	const policy = { approvalPolicy: "never", sandbox };
	return {
		pid: child.pid ?? 0,
		received,
		startThread: async (folder) => (await request("thread/start", { cwd: folder, ...policy })).thread?.id ?? "",
		resumeThread: async (threadId) => (await request("thread/resume", { threadId })).thread?.id ?? "",
		async runTurn(threadId, text) {
			const { turn } = await request("turn/start", { threadId, input: [{ type: "text", text }] });
			await waitForTurn(turn?.id ?? "");
		},
		async stop() {
			child.stdin?.end();
			child.kill("SIGTERM");
			await once(child, "exit");
		},
	};
}

/** One JSON message a line, as the peer speaks it. */
function connectLines(child: ChildProcess): {
	readonly request: (method: string, params: object) => Promise<NonNullable<PeerMessage["result"]>>;
	readonly notify: (method: string) => void;
	readonly waitForTurn: (turnId: string) => Promise<void>;
	readonly received: () => number;
} {
	const { stdin, stdout } = child;
	if (stdin === null || stdout === null) throw new Error("The peer has no pipes.");
	const pending = new Map<number, PromiseWithResolvers<NonNullable<PeerMessage["result"]>>>();
	const ended = new Map<string, PromiseWithResolvers<void>>();
	const endOf = (turnId: string) => {
		const known = ended.get(turnId) ?? Promise.withResolvers<void>();
		ended.set(turnId, known);
		return known;
	};
	let lastId = 0;
	let bytes = 0;
	stdout.on("data", (chunk: Buffer) => {
		bytes += chunk.length;
	});
	createInterface({ input: stdout }).on("line", (line) => {
		const { id, method, params, result, error } = JSON.parse(line) as PeerMessage;
		if (method === "turn/completed") settle(endOf(params?.turn?.id ?? ""), params?.turn);
		if (id === undefined || method !== undefined) return;
		if (error === undefined) pending.get(id)?.resolve(result ?? {});
		else pending.get(id)?.reject(new Error(error.message));
		pending.delete(id);
	});
	return {
		received: () => bytes,
		request(method, params) {
			lastId += 1;
			const reply = Promise.withResolvers<NonNullable<PeerMessage["result"]>>();
			pending.set(lastId, reply);
			stdin.write(`${JSON.stringify({ id: lastId, method, params })}\n`);
			return within(reply.promise, PATIENCE_MS, () => `no reply of the peer to ${method}`);
		},
		notify: (method) => stdin.write(`${JSON.stringify({ method })}\n`),
		waitForTurn: async (turnId) => {
			await within(endOf(turnId).promise, PATIENCE_MS, () => "the peer's turn did not end");
			ended.delete(turnId);
		},
	};
}

/** A turn that failed would be measured as a fast one. */
function settle(ended: PromiseWithResolvers<void>, turn: PeerTurn | undefined): void {
	if (turn?.status === "completed") ended.resolve();
	else ended.reject(new Error(`The peer's turn has ended as ${turn?.status}: ${JSON.stringify(turn?.error)}`));
}
