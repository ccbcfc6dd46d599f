import type { CommandEnd, RunningCommand } from "../../agent-host/sandbox/backend.ts";

/** What an MCP server in this process does when it is asked. */
export interface MemoryServerOptions {
	/** Answers calls of its one tool, `work`; by default at once. */
	readonly call?: (input: unknown) => Promise<unknown>;
	/** What it answers to other requests, by method. */
	readonly answers?: Readonly<Record<string, (params: unknown) => Promise<unknown>>>;
	/** When a program that was stopped is gone; by default at once. */
	readonly stopped?: Promise<void>;
}

export interface MemoryServer extends RunningCommand {
	/** Whether nobody has stopped it. */
	readonly isRunning: () => boolean;
	/** Asks the client something. */
	readonly ask: (method: string) => Promise<unknown>;
	/** Notifies the client. */
	readonly say: (method: string) => void;
}

/** An MCP server as a program that needs no process. */
export function startMemoryServer(onData: (bytes: Buffer) => void, options: MemoryServerOptions = {}): MemoryServer {
	const { call = async () => "Done.", answers = {}, stopped = Promise.resolve() } = options;
	const ended = Promise.withResolvers<CommandEnd>();
	const asked = new Map<string, (result: unknown) => void>();
	let isRunning = true;
	const send = (message: object): void => onData(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
	const known: NonNullable<MemoryServerOptions["answers"]> = {
		initialize: async (params) => ({
			protocolVersion: (params as { protocolVersion: string }).protocolVersion,
			capabilities: { tools: {}, prompts: {}, resources: {} },
			serverInfo: { name: "memory", version: "1" },
		}),
		"tools/list": async () => ({ tools: [{ name: "work", inputSchema: { type: "object", properties: {} } }] }),
		"prompts/list": async () => ({ prompts: [{ name: "greet" }] }),
		"resources/list": async () => ({ resources: [{ uri: "doc://guide", name: "guide" }] }),
		"resources/templates/list": async () => ({ resourceTemplates: [] }),
		"tools/call": async (params) => ({
			content: [{ type: "text", text: await call((params as { arguments?: unknown }).arguments) }],
		}),
		...answers,
	};
	const hear = async ({ id, method, params, result }: Message): Promise<void> => {
		if (method === undefined) return asked.get(String(id))?.(result);
		const answer = known[method];
		if (id !== undefined && answer !== undefined) send({ id, result: await answer(params) });
	};
	return {
		state: "running",
		ended: ended.promise,
		takeNew: () => "",
		read: () => "",
		bytes: () => 0,
		refusedHosts: () => [],
		bound: "cgroup",
		check: async () => [],
		endInput: () => undefined,
		write: (text) => {
			for (const line of text.trim().split("\n")) void hear(JSON.parse(line) as Message);
			return isRunning;
		},
		stop: () => {
			if (!isRunning) return;
			isRunning = false;
			void stopped.then(() => ended.resolve(STOPPED));
		},
		isRunning: () => isRunning,
		say: (method) => send({ method }),
		ask: (method) => {
			const { promise, resolve } = Promise.withResolvers<unknown>();
			const id = `ask-${asked.size + 1}`;
			asked.set(id, resolve);
			send({ id, method });
			return promise;
		},
	};
}

interface Message {
	readonly id?: string | number;
	readonly method?: string;
	readonly params?: unknown;
	readonly result?: unknown;
}

const STOPPED: CommandEnd = {
	state: "stopped",
	by: "user",
	output: { text: "", bytes: 0, dropped: 0 },
	notes: [],
	refusedHosts: [],
	bound: "cgroup",
};
