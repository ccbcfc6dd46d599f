import * as z from "zod";
import { ServerInput, ServerName, ServerSettings } from "../../protocol/settings/server-settings.ts";
import { stripComments } from "../strip-comments.ts";
import { findVariables } from "./variables.ts";

const MAX_INPUTS = 64;
/** Keys of other programs that would run or read something without the user seeing it. */
const REFUSED = ["envFile", "headersHelper"] as const;

const Sandbox = z.looseObject({
	filesystem: z.looseObject({ allowWrite: z.array(z.string()).optional() }).optional(),
	network: z.looseObject({ allowedDomains: z.array(z.string()).optional() }).optional(),
});

/** The shape of `.vscode/mcp.json` and `.mcp.json`. Keys that only mean something to other programs are skipped. */
const File = z.looseObject({
	servers: z.record(z.string(), z.unknown()).optional(),
	mcpServers: z.record(z.string(), z.unknown()).optional(),
	inputs: z.array(z.unknown()).max(MAX_INPUTS).optional(),
	sandbox: Sandbox.optional(),
});

const Entry = z.looseObject({
	disabled: z.boolean().optional(),
	timeout: z.number().optional(),
	oauth: z
		.looseObject({ clientId: z.string(), callbackPort: z.number().optional() })
		.transform(({ clientId, callbackPort }) => ({ clientId, callbackPort }))
		.optional(),
});
const Input = z.looseObject({
	id: z.string(),
	type: z.string(),
	description: z.string().optional(),
	password: z.boolean().optional(),
	default: z.string().optional(),
	options: z.array(z.union([z.string(), z.looseObject({ value: z.string() })])).optional(),
});

export interface ParsedServers {
	readonly servers: Readonly<Record<string, ServerSettings>>;
	readonly inputs: readonly ServerInput[];
	/** What is left out and why, one sentence each. */
	readonly problems: readonly string[];
}

/** The servers in the text of a workspace's file, or why it is not used. They never leave the sandbox. */
export function parseServersFile(text: string, path: string): ParsedServers | string {
	const file = File.safeParse(parseJson(text));
	if (!file.success) return "it is not valid JSON with servers";
	const problems: string[] = [];
	const leaveOut = (name: string, why: string): void => void problems.push(`${path}: ${name} is not used: ${why}.`);
	const inputs = (file.data.inputs ?? []).flatMap((raw) => {
		const input = readInput(raw);
		if (typeof input !== "string") return [input];
		leaveOut("an input", input);
		return [];
	});
	const servers: Record<string, ServerSettings> = {};
	for (const [name, raw] of Object.entries(file.data.servers ?? file.data.mcpServers ?? {})) {
		const server = readServer(name, raw, file.data.sandbox);
		if (typeof server === "string") leaveOut(name, server);
		else servers[name] = server;
	}
	return { servers, inputs, problems };
}

function readServer(name: string, raw: unknown, sandbox: z.infer<typeof Sandbox> = {}): ServerSettings | string {
	const entry = Entry.safeParse(raw).data;
	if (!ServerName.safeParse(name).success)
		return "its name must be made of letters, digits, dots, dashes and underscores";
	if (entry === undefined) return "it is not an object";
	if (entry.url === undefined && entry.command === undefined) return "it has no command and no url";
	const refused = REFUSED.find((key) => entry[key] !== undefined);
	if (refused !== undefined) return `${refused} is not supported; use env or headers`;
	const { type, command, args, cwd, env, url, headers, oauth, disabled, timeout } = entry;
	const common = { enabled: disabled !== true, ...(timeout !== undefined && { timeoutMs: timeout }) };
	const grants = {
		filesystem: { allowWrite: sandbox.filesystem?.allowWrite ?? [] },
		network: { allowedDomains: sandbox.network?.allowedDomains ?? [] },
	};
	const parsed = ServerSettings.safeParse(
		url === undefined
			? { type, command, args, cwd, env, sandbox: grants, ...common }
			: { type, url, headers, oauth, ...common },
	);
	if (!parsed.success) return "its values are not what a server needs";
	const unknown = [...findVariables(parsed.data)].find(([, { kind }]) => kind === "unknown");
	return unknown === undefined ? parsed.data : `\${${unknown[0]}} is not supported`;
}

function readInput(raw: unknown): ServerInput | string {
	const input = Input.safeParse(raw).data;
	if (input === undefined) return "it has no id and type";
	const { id, type, description, password = false, default: preset, options = [] } = input;
	if (type !== "promptString" && type !== "pickString") return `the type ${type} is not supported`;
	const choices = options.map((option) => (typeof option === "string" ? option : option.value));
	const read = ServerInput.safeParse({
		...{ id, password },
		...(description !== undefined && { description }),
		...(preset !== undefined && { default: preset }),
		...(type === "pickString" && { options: choices }),
	});
	return read.success ? read.data : "its texts are too long";
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(stripComments(text.replace(/^\uFEFF/, "")));
	} catch {
		return undefined;
	}
}
