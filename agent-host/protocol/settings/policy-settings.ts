import * as z from "zod";

/** How much the agent may do without approval; the table "What asks, what runs" in the docs describes these. */
export const PermissionMode = z.enum(["readOnly", "ask", "workspaceWrite", "full"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** When the user is asked: for everything without a rule, for what exceeds the policy, or never. */
export const ApprovalPolicy = z.enum(["untrusted", "onRequest", "never"]);
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>;

export const FileAccess = z.enum(["none", "read", "write"]);
export type FileAccess = z.infer<typeof FileAccess>;

const MAX_PATH_CHARS = 4_096;
const MAX_ENTRIES = 200;

/**
 * One line of a file-system policy. `path` is absolute, a token (`:root`, `:workspace`, `:tmp`, `:home`, `:minimal`,
 * each with an optional `/sub/path`), or, with access `none` only, a glob.
 */
export const PolicyEntry = z
	.object({ path: z.string().min(1).max(MAX_PATH_CHARS), access: FileAccess })
	.refine(({ path, access }) => isPolicyPath(path) || (access === "none" && isPolicyGlob(path)), {
		error: "must be an absolute path, start with ~/ or a token such as :workspace, or be a glob with access none",
		path: ["path"],
	});
export type PolicyEntry = z.infer<typeof PolicyEntry> & {
	/**
	 * The path is one place although it looks like a pattern, for example a folder with a star in its name. Never read
	 * from a file.
	 */
	readonly literal?: true;
};

export const NetworkMode = z.enum(["off", "allowList", "on"]);
export type NetworkMode = z.infer<typeof NetworkMode>;

/** A command the user always allows or denies: its first words, exactly. */
export const CommandRule = z.object({
	prefix: z.array(z.string().min(1).max(1_000)).min(1).max(50),
	/** Without it, the rule allows. A rule that denies wins over every one that allows. */
	decision: z.enum(["allow", "deny"]).optional(),
	/** It counts only for commands in this folder and below. */
	folder: z
		.string()
		.min(1)
		.max(MAX_PATH_CHARS)
		.refine((path) => isPolicyPath(path) && !path.startsWith(":"), "must be an absolute path or start with ~/")
		.optional(),
	/** It may run without a sandbox, on a machine that has none: then `prefix` is all of its words. */
	sandbox: z.literal("none").optional(),
});
export type CommandRule = z.infer<typeof CommandRule>;

/** A tool of an MCP server that the user always allows, with any arguments, as long as the server describes it so. */
export const ServerToolRule = z.object({
	server: z.string().min(1).max(64),
	tool: z.string().min(1).max(200),
	/** Identifies the server's settings and everything it says about the tool. */
	definition: z.string().min(1).max(200),
});
export type ServerToolRule = z.infer<typeof ServerToolRule>;

const Path = z.string().min(1).max(MAX_PATH_CHARS);
const PATH_RULE = "must be an absolute path or start with ~/ or a token such as :workspace";

const Megabytes = z.int().min(0).max(1_000_000_000);

/** Resource limits of one command, in megabytes; 0 means no limit. */
const LimitSettings = z.object({
	/** All its processes together; null is half of the machine's memory. */
	memory: Megabytes.nullable().default(null),
	/** Size of one file that it writes. */
	fileSize: Megabytes.default(4_096),
	/** How much the free space of the disks it writes to may shrink while it runs. */
	diskGrowth: Megabytes.default(10_240),
});

export const PermissionSettings = z.object({
	mode: PermissionMode.default("workspaceWrite"),
	network: NetworkMode.default("off"),
	/** Hosts for `allowList`, such as `registry.example.org:443` or `*.example.org`; a leading `!` blocks one. */
	allowedDomains: z.array(z.string().min(1).max(300)).max(MAX_ENTRIES).default([]),
	/** Writable folders besides the workspace's. */
	writableRoots: z.array(Path.refine(isPolicyPath, PATH_RULE)).max(MAX_ENTRIES).default([]),
	/** Paths and globs that cannot be read. */
	denyRead: z
		.array(Path.refine((path) => isPolicyPath(path) || isPolicyGlob(path), `${PATH_RULE}, or be a glob`))
		.max(MAX_ENTRIES)
		.default([]),
	/** Further entries; the most specific path wins. */
	filesystem: z.array(PolicyEntry).max(MAX_ENTRIES).default([]),
	rules: z.array(CommandRule).max(MAX_ENTRIES).default([]),
	serverTools: z.array(ServerToolRule).max(MAX_ENTRIES).default([]),
	limits: LimitSettings.prefault({}),
});
export type PermissionSettings = z.infer<typeof PermissionSettings>;

/** What a command inherits from the host's environment: an allow-list, and the user's additions. */
export const EnvironmentPolicy = z.object({
	inherit: z.enum(["allowList", "none"]).default("allowList"),
	include: z.array(z.string().min(1).max(200)).max(MAX_ENTRIES).default([]),
	set: z.record(z.string().min(1).max(200), z.string().max(32_768)).default({}),
});
export type EnvironmentPolicy = z.infer<typeof EnvironmentPolicy>;

const TOKENS = [":root", ":workspace", ":tmp", ":home", ":minimal"];

function isPolicyPath(path: string): boolean {
	if (isGlob(path) || path.includes("\0") || path.split(/[/\\]/).includes("..")) return false;
	if (path.startsWith(":")) return TOKENS.includes(path.split("/")[0] ?? "");
	return path.startsWith("/") || path.startsWith("~/") || /^[a-zA-Z]:[/\\]/.test(path);
}

/** Whether a path in a policy is a pattern. */
export function isGlob(path: string): boolean {
	return /[*?]/.test(path);
}

/** Whether an entry is a pattern after its tokens were expanded. */
export function isPattern({ path, literal }: Pick<PolicyEntry, "path" | "literal">): boolean {
	return literal !== true && isGlob(path);
}

/** An entry for exactly this path, even if it looks like a pattern. */
export function entryAt(path: string, access: FileAccess): PolicyEntry {
	return isGlob(path) ? { path, access, literal: true } : { path, access };
}

function isPolicyGlob(path: string): boolean {
	return isGlob(path) && !path.includes("\0");
}

/** Why commands cannot be contained on a machine. */
export const SandboxProblemCode = z.enum([
	"no-sandbox-here",
	"bwrap-missing",
	"bwrap-changed",
	"bwrap-too-old",
	"bwrap-broken",
	"no-user-namespaces",
	"userns-apparmor",
	"userns-off",
	"userns-container",
	"flatpak",
	"snap",
	"no-proc",
	"wsl1",
	"seatbelt-missing",
	"seatbelt-broken",
]);
export type SandboxProblemCode = z.infer<typeof SandboxProblemCode>;

export const SandboxKind = z.enum(["bubblewrap", "seatbelt", "none"]);

/** The stricter of two values in an order from strict to free. */
export function lower<T>(fromStrictToFree: readonly T[]): (one: T, other: T) => T {
	return (one, other) => (fromStrictToFree.indexOf(other) < fromStrictToFree.indexOf(one) ? other : one);
}

/**
 * `untrusted` asks more often, `never` refuses instead of asking: neither is stricter in every case, so the first one
 * stays.
 */
export function stricterApproval(one: ApprovalPolicy, other: ApprovalPolicy): ApprovalPolicy {
	return one === "onRequest" ? other : one;
}
