import { readFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import * as z from "zod";
import {
	CLIENT_METHODS,
	CLIENT_NOTIFICATIONS,
	HOST_METHODS,
	HOST_NOTIFICATIONS,
} from "../agent-host/protocol/catalog.ts";
import { mergeSettings } from "../agent-host/protocol/settings/settings.ts";
import { AGENT_CAPABILITIES } from "../agent-host/surfaces/acp/agent.ts";
import { ACP_COMMANDS } from "../agent-host/surfaces/acp/agent-session.ts";
import { listOptions } from "../agent-host/surfaces/acp/config-options.ts";
import { ACP_OPTIONS } from "../agent-host/surfaces/cli/acp-command.ts";
import { COMMAND_WORDS } from "../agent-host/surfaces/cli/command-words.ts";
import { COMPACT_OPTIONS } from "../agent-host/surfaces/cli/compact-command.ts";
import { EXEC_OPTIONS } from "../agent-host/surfaces/cli/exec-options.ts";
import { MCP_OPTIONS } from "../agent-host/surfaces/cli/mcp-command.ts";
import { THREADS_OPTIONS } from "../agent-host/surfaces/cli/threads-command.ts";
import { MCP_TOOLS } from "../agent-host/surfaces/mcp/tools.ts";
import type { VitrineApi } from "../extension/outside/vitrine-api.ts";
import { sourceOf } from "../test/support/product-source.ts";

export const SURFACES = ["editor", "cli", "mcp", "acp", "api"] as const;
export type Surface = (typeof SURFACES)[number];

/** The options of the commands that have some to do with threads. */
export const COMMAND_OPTIONS = {
	exec: EXEC_OPTIONS,
	threads: THREADS_OPTIONS,
	compact: COMPACT_OPTIONS,
	mcp: MCP_OPTIONS,
	acp: ACP_OPTIONS,
} as const;

/** Those say where and how something is printed, not what a surface can do. */
const PLAIN_OPTIONS: readonly string[] = ["home", "limit", "archived"];
/** The same for fields of tools. */
const PLAIN_FIELDS: readonly string[] = ["threadId", "overrides", "tools"];
const API: Readonly<Record<keyof VitrineApi, true>> = {
	version: true,
	open: true,
	prefill: true,
	start: true,
	send: true,
	follow: true,
};

/** Everything that each way in has, read from the tables that it works by. */
export function listEntries(): Readonly<Record<Surface, readonly string[]>> {
	return { editor: editorEntries(), cli: commandEntries(), mcp: toolEntries(), acp: acpEntries(), api: apiEntries() };
}

/** Methods that the extension names in its source, and those that the host asks of it. */
function editorEntries(): readonly string[] {
	const source = sourceOf("extension");
	const all = Object.entries({ ...HOST_METHODS, ...HOST_NOTIFICATIONS, ...CLIENT_METHODS, ...CLIENT_NOTIFICATIONS });
	return all.filter(([key]) => new RegExp(`\\b${key}\\b`).test(source)).map(([, { name }]) => name);
}

function commandEntries(): readonly string[] {
	const words = Object.entries(COMMAND_WORDS).flatMap(([name, entry]) => [
		name,
		...("first" in entry ? entry.first : []).map((word) => `${name} ${word}`),
	]);
	const options = (["exec", "threads", "compact"] as const).flatMap((command) =>
		Object.keys(COMMAND_OPTIONS[command])
			.filter((option) => !PLAIN_OPTIONS.includes(option))
			.map((option) => `${command} --${option}`),
	);
	const asks = read("agent-host/surfaces/cli/exec-command.ts").includes('from "./ask-on-terminal.ts"');
	const stops = read("agent-host/surfaces/cli/run-turn-here.ts").includes('"SIGINT"');
	return [...words, ...options, ...(asks ? ["exec, on the terminal"] : []), ...(stops ? ["Ctrl+C"] : [])];
}

function toolEntries(): readonly string[] {
	const fields = MCP_TOOLS.flatMap(({ name, input }) => {
		const { properties = {} } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
		const inner = Object.keys(Object(Object(properties.overrides).properties));
		const own = Object.keys(properties).filter((field) => !PLAIN_FIELDS.includes(field));
		return [...own, ...inner].map((field) => `${name}.${field}`);
	});
	// Fields of reading and managing tools are those of the method, which the protocol's page describes.
	const isTurn = (field: string) => /^(?:start|turn|compact)\./.test(field);
	return [...MCP_TOOLS.map(({ name }) => name), ...fields.filter(isTurn), ...callsBack("mcp", /\belicitInput\b/g)];
}

function acpEntries(): readonly string[] {
	const { session, ...rest } = methods.agent;
	const named = { ...rest, ...session };
	const answered = read("agent-host/surfaces/acp/agent.ts").matchAll(
		/\.on(?:Request|Notification)\((?:of|methods\.agent)\.(\w+)/g,
	);
	const handled = [...answered].map(([, key = ""]) => {
		if (!(key in named)) throw new Error(`The Agent Client Protocol has no method ${key}.`);
		return named[key as keyof typeof named];
	});
	const options = listOptions(mergeSettings({}), [], []).map(({ id }) => `option ${id}`);
	const parts = Object.keys(AGENT_CAPABILITIES.promptCapabilities).map((part) => `prompt ${part}`);
	const folders = Object.keys(AGENT_CAPABILITIES.sessionCapabilities).filter((key) => key === "additionalDirectories");
	const servers = Object.keys(AGENT_CAPABILITIES.mcpCapabilities).map((kind) => `servers ${kind}`);
	const commands = ACP_COMMANDS.map(({ name }) => `/${name}`);
	const { update, requestPermission } = methods.client.session;
	const asked = callsBack("acp", /methods\.client\.session\.(?:update|requestPermission)/g).map((call) =>
		call.endsWith("update") ? update : requestPermission,
	);
	return [...handled, ...options, ...parts, ...folders, ...servers, ...commands, ...new Set(asked)];
}

function apiEntries(): readonly string[] {
	return Object.keys(API).filter((name) => name !== "version");
}

/** Which requests to its client a surface makes. */
function callsBack(surface: "mcp" | "acp", pattern: RegExp): readonly string[] {
	const source = sourceOf(`agent-host/surfaces/${surface}`) + read(`agent-host/surfaces/cli/${surface}-command.ts`);
	return [...new Set([...source.matchAll(pattern)].map(([call]) => call))];
}

function read(file: string): string {
	return readFileSync(join(import.meta.dirname, "..", file), "utf8");
}
