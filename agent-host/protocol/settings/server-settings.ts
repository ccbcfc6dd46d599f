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
	/** Where it runs; absent means the workspace folder. */
	cwd: Text.min(1).optional(),
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
	/** For a service that registers no apps: as the user registered Vitrine there. */
	oauth: z
		.strictObject({
			clientId: Text.min(1),
			/** Best as `${input:…}`, which is kept in the editor's secret storage. */
			clientSecret: Text.min(1).optional(),
			callbackPort: z.int().min(1_024).max(65_535).optional(),
		})
		.optional(),
	...Common,
});

export const ServerSettings = z.union([ServerCommand, ServerAddress]);
export type ServerSettings = z.infer<typeof ServerSettings>;

export const ServerName = z
	.string()
	.regex(/^[\w.-]{1,64}$/, "must be made of letters, digits, dots, dashes and underscores");

/** MCP servers by the user's own names for them. */
export const ServersSettings = z
	.record(ServerName, ServerSettings)
	.refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `can have at most ${MAX_SERVERS} servers`);

/** A value that people enter when a server first needs it. */
export const ServerInput = z.object({
	id: z.string().min(1).max(200),
	description: z.string().max(1_000).optional(),
	/** It is not shown while it is entered. */
	password: z.boolean(),
	default: Text.optional(),
	/** One of these, if there are any. */
	options: z.array(z.string().max(1_000)).max(MAX_PARTS).optional(),
});
export type ServerInput = z.infer<typeof ServerInput>;
