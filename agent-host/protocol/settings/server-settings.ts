import * as z from "zod";

/** More servers than one person uses, and more arguments than a command line needs. */
const MAX_SERVERS = 32;
const MAX_PARTS = 200;
const MAX_TEXT_CHARS = 32_768;

const Text = z.string().max(MAX_TEXT_CHARS);
const Texts = z.record(z.string().min(1).max(200), Text).default({});

const Common = {
	/** Off: the server stays configured, but is not used. */
	enabled: z.boolean().default(true),
	/** How long a call may be silent, in milliseconds. */
	timeoutMs: z.int().min(1_000).max(3_600_000).default(300_000),
};

/** What the sandbox of a server opens. */
const ServerSandbox = z.strictObject({
	filesystem: z.strictObject({ allowWrite: z.array(Text).max(MAX_PARTS).default([]) }).prefault({}),
	network: z.strictObject({ allowedDomains: z.array(Text).max(MAX_PARTS).default([]) }).prefault({}),
});

/** A program on this machine that speaks over its standard streams. */
const ServerCommand = z.strictObject({
	type: z.literal("stdio").optional(),
	command: Text.min(1),
	args: z.array(Text).max(MAX_PARTS).default([]),
	env: Texts,
	/** Off: it runs with the user's rights; only stored keys and passwords stay closed. */
	sandboxEnabled: z.boolean().default(true),
	sandbox: ServerSandbox.prefault({}),
	...Common,
});

/** A server at an address. */
const ServerAddress = z.strictObject({
	type: z.enum(["http", "streamable-http", "sse"]).default("http"),
	url: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// address" }),
	headers: Texts,
	...Common,
});

export const ServerSettings = z.union([ServerCommand, ServerAddress]);
export type ServerSettings = z.infer<typeof ServerSettings>;

/** MCP servers by the user's own names for them. */
export const ServersSettings = z
	.record(
		z.string().regex(/^[\w.-]{1,64}$/, "must be made of letters, digits, dots, dashes and underscores"),
		ServerSettings,
	)
	.refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `can have at most ${MAX_SERVERS} servers`);
