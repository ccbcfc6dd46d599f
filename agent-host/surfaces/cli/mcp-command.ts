import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { resolve } from "node:path";
import { createRequestStateCodec, McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { HostError } from "../../protocol/errors.ts";
import { HostOptions } from "../../protocol/host/host-options.ts";
import { mergeSettings, type PartialSettings } from "../../protocol/settings/settings.ts";
import { listModelServers } from "../../session/model-servers.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import { VERSION } from "../../version.ts";
import { createHandlers } from "../handlers.ts";
import { type Ask, askApproval, askQuestion } from "../mcp/asks.ts";
import { type Caller, createCarryingCaller, createPushingCaller } from "../mcp/caller.ts";
import type { Round } from "../mcp/follow-turn.ts";
import { MCP_TOOLS, type McpTool, type ToolDesk } from "../mcp/tools.ts";
import { openSession } from "../open-session.ts";
import { createTurnWatch } from "../turn-watch.ts";
import { makeVisible } from "../visible.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import { findFolders } from "./find-folders.ts";
import { readSettings, TURN_OPTIONS } from "./model-options.ts";
import { readArguments } from "./read-arguments.ts";

const DONE = 0;
const MISUSED = 2;
const KEY_BYTES = 32;

export const MCP_OPTIONS = {
	...TURN_OPTIONS,
	cwd: { type: "string", multiple: true },
	home: { type: "string" },
} as const;

/** Serves the agent to other agents over MCP, until standard input ends. */
export async function mcpCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = await readOptions(args, io.cwd);
	if (typeof options === "string") {
		io.stderr.write(`${makeVisible(options)}\n`);
		return MISUSED;
	}
	const { home, folders, settings } = options;
	const user = mergeSettings(settings);
	const watch = createTurnWatch();
	// Nobody can be asked before somebody has called.
	let caller: Caller = createCarryingCaller();
	// A call waits for the thread that it knows, also while one of its sub-agents needs an answer.
	const put = (ask: Ask) => caller.put({ ...ask, threadId: watch.rootOf(ask.threadId) });
	const ports: ClientPorts = {
		...clientlessPorts(io.stderr, listModelServers(user)),
		publish: (threadId, event) => {
			watch.publish(threadId, event);
			caller.tell(threadId, event);
		},
		ask: (request, signal) => askApproval(request, signal, put),
		question: (request, signal) => askQuestion(request, signal, put),
	};
	const surface = { name: "mcp", version: VERSION };
	const hostOptions = HostOptions.parse({ ...(home === undefined ? {} : { home }), trusted: true, settings, surface });
	const session = await openSession(folders, hostOptions, ports, new Map(), { isCeiling: true });
	const rounds = createRequestStateCodec<Round>({ key: randomBytes(KEY_BYTES) });
	const served = serveStdio(
		({ era }) => {
			const server = new McpServer({ name: "vitrine", version: VERSION }, { requestState: { verify: rounds.verify } });
			caller = era === "legacy" ? createPushingCaller(server.server) : caller;
			const { interrupt } = session;
			const handlers = createHandlers(session);
			const desk = { watch, caller, rounds, interrupt, session, handlers, user };
			for (const tool of MCP_TOOLS) register(server, tool, desk);
			return server;
		},
		{
			transport: new StdioServerTransport(io.stdin, io.stdout),
			onerror: (error) => io.stderr.write(`${error.message}\n`),
		},
	);
	await once(io.stdin, "close");
	await session.close();
	await served.close();
	return DONE;
}

function register(server: McpServer, { name, about, input, output, isReading, run }: McpTool, desk: ToolDesk): void {
	const annotations = { readOnlyHint: isReading, openWorldHint: !isReading };
	server.registerTool(
		name,
		{ description: about, inputSchema: input, outputSchema: output, annotations },
		async (given, context) => {
			try {
				return await run(desk, given, context);
			} catch (error) {
				if (!(error instanceof HostError)) throw error;
				return { isError: true, content: [{ type: "text", text: error.message }] };
			}
		},
	);
}

interface McpOptions {
	readonly home: string | undefined;
	readonly folders: readonly string[];
	readonly settings: PartialSettings;
}

async function readOptions(args: readonly string[], cwd: string): Promise<McpOptions | string> {
	const parsed = readArguments("mcp", args, { options: MCP_OPTIONS });
	if (typeof parsed === "string") return parsed;
	const { values } = parsed;
	const read = await readSettings(values, cwd);
	if (!read.ok) return read.reason;
	const folders = findFolders(values.cwd ?? ["."], cwd);
	if (typeof folders === "string") return folders;
	return {
		home: values.home === undefined ? undefined : resolve(cwd, values.home),
		folders,
		settings: read.settings,
	};
}
