import { resolve } from "node:path";
import { finished, Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import {
	type AgentContext,
	methods,
	ndJsonStream,
	type PermissionOption,
	type RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import type { QuestionAnswer, QuestionRequest } from "../../protocol/approval/question.ts";
import { HostOptions } from "../../protocol/host/host-options.ts";
import { mergeSettings } from "../../protocol/settings/settings.ts";
import { listModelServers } from "../../session/model-servers.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import { VERSION } from "../../version.ts";
import { createAgent } from "../acp/agent.ts";
import { createHosts } from "../acp/hosts.ts";
import { readOutcome, toPermission } from "../acp/permission.ts";
import { describeQuestion } from "../approval-text.ts";
import { openSession } from "../open-session.ts";
import { createTurnWatch } from "../turn-watch.ts";
import type { CommandIo } from "./cli-command.ts";
import { clientlessPorts } from "./clientless-ports.ts";
import { describeUsage } from "./command-words.ts";
import { readSettings, TURN_OPTIONS } from "./model-options.ts";

const DONE = 0;
const MISUSED = 2;

export const ACP_OPTIONS = { ...TURN_OPTIONS, home: { type: "string" } } as const;

/** Serves editors over the Agent Client Protocol, until standard input ends. */
export async function acpCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = await readOptions(args, io.cwd);
	if (typeof options === "string") {
		io.stderr.write(`${options}\n`);
		return MISUSED;
	}
	const { home, settings } = options;
	const user = mergeSettings(settings);
	const watch = createTurnWatch();
	const connected = Promise.withResolvers<AgentContext>();
	const ports: ClientPorts = {
		...clientlessPorts(io.stderr, listModelServers(user)),
		publish: watch.publish,
		ask: async (request, signal) => {
			const client = await connected.promise;
			const { outcome } = await client.request(methods.client.session.requestPermission, toPermission(request), {
				cancellationSignal: signal,
				stopWaitingOnCancel: true,
			});
			return readOutcome(outcome, request);
		},
		question: async (request) => askWhether(await connected.promise, request),
	};
	const hosts = createHosts((folders, servers) => {
		const surface = { name: "acp", version: VERSION };
		const given = { ...settings, servers: { ...settings.servers, ...servers } };
		// An editor that opens a folder with its agent has chosen it.
		const hostOptions = HostOptions.parse({
			...(home === undefined ? {} : { home }),
			trusted: true,
			settings: given,
			surface,
		});
		return openSession(folders, hostOptions, ports, new Map(), { isCeiling: true });
	});
	const stream = ndJsonStream(Writable.toWeb(io.stdout), Readable.toWeb(io.stdin) as ReadableStream<Uint8Array>);
	const connection = createAgent({ hosts, watch, user }).connect(stream);
	connected.resolve(connection.client);
	// An editor that no longer reads is gone, too.
	await Promise.race([connection.closed, ended(io.stdin), ended(io.stdout)]);
	await hosts.close();
	// An input that is open would keep the process alive.
	connection.close();
	io.stdin.destroy();
	return DONE;
}

function ended(stream: Readable | Writable): Promise<void> {
	return new Promise((resolve) => finished(stream, () => resolve()));
}

/** Not a permission, but editors have one dialog for both. A form of questions has no place in it: no answer. */
async function askWhether(client: AgentContext, request: QuestionRequest): Promise<QuestionAnswer> {
	const { kind } = request.subject;
	if (kind === "form") return { choice: "dismiss" };
	const [yes, no] = kind === "loop" ? (["continue", "stop"] as const) : (["open", "dismiss"] as const);
	const { threadId: sessionId, questionId: toolCallId } = request;
	const toolCall = { toolCallId, title: describeQuestion(request), kind: "think" as const, status: "pending" as const };
	await client.notify(methods.client.session.update, {
		sessionId,
		update: { sessionUpdate: "tool_call", ...toolCall },
	});
	const options: PermissionOption[] = [
		{ optionId: yes, name: kind === "loop" ? "Continue" : "Opened", kind: "allow_once" },
		{ optionId: no, name: kind === "loop" ? "Stop" : "Dismiss", kind: "reject_once" },
	];
	const asked: RequestPermissionRequest = { sessionId, toolCall, options };
	const { outcome } = await client.request(methods.client.session.requestPermission, asked);
	return { choice: outcome.outcome === "selected" && outcome.optionId === yes ? yes : no };
}

async function readOptions(args: readonly string[], cwd: string) {
	try {
		const { values } = parseArgs({ args: [...args], options: ACP_OPTIONS });
		const read = await readSettings(values, cwd);
		if (!read.ok) return read.reason;
		return { home: values.home === undefined ? undefined : resolve(cwd, values.home), settings: read.settings };
	} catch (error) {
		return `${error instanceof Error ? error.message : String(error)}\n${describeUsage("acp")}`;
	}
}
