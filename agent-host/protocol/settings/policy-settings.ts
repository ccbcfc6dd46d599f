import * as z from "zod";

/** How much the agent may do by itself; the table "What asks, what runs" in the docs is about these. */
export const PermissionMode = z.enum(["readOnly", "ask", "workspaceWrite", "full"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** Who is asked: about everything that no rule allows, about what leaves the policy, or nobody. */
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
	/** The path is one place although it looks like a pattern: somebody's folder has a star in its name. Never read from a file. */
	readonly literal?: true;
};

export const NetworkMode = z.enum(["off", "allowList", "on"]);
export type NetworkMode = z.infer<typeof NetworkMode>;

/** A command the user allowed for good: its first words, exactly. */
export const CommandRule = z.object({ prefix: z.array(z.string().min(1).max(1_000)).min(1).max(50) });
export type CommandRule = z.infer<typeof CommandRule>;

const Path = z.string().min(1).max(MAX_PATH_CHARS);
const PATH_RULE = "must be an absolute path or start with ~/ or a token such as :workspace";

const Megabytes = z.int().min(0).max(1_000_000_000);

/** What one command may use of the machine, in megabytes; 0 is as much as there is. */
const LimitSettings = z.object({
	/** All its processes together; null is half of what the machine has. */
	memory: Megabytes.nullable().default(null),
	/** One file that it writes. */
	fileSize: Megabytes.default(4_096),
	/** Room that may go from the disks it writes to while it runs. */
	diskGrowth: Megabytes.default(10_240),
});

export const PermissionSettings = z.object({
	mode: PermissionMode.default("workspaceWrite"),
	network: NetworkMode.default("off"),
	/** Hosts for `allowList`, such as `registry.example.org:443` or `*.example.org`; a `!` before one closes it. */
	allowedDomains: z.array(z.string().min(1).max(300)).max(MAX_ENTRIES).default([]),
	/** Folders to write to besides the workspace's. */
	writableRoots: z.array(Path.refine(isPolicyPath, PATH_RULE)).max(MAX_ENTRIES).default([]),
	/** Paths and globs that nothing may read. */
	denyRead: z
		.array(Path.refine((path) => isPolicyPath(path) || isPolicyGlob(path), `${PATH_RULE}, or be a glob`))
		.max(MAX_ENTRIES)
		.default([]),
	/** Further entries; the most specific path wins. */
	filesystem: z.array(PolicyEntry).max(MAX_ENTRIES).default([]),
	rules: z.array(CommandRule).max(MAX_ENTRIES).default([]),
	limits: LimitSettings.prefault({}),
});
export type PermissionSettings = z.infer<typeof PermissionSettings>;

/** What a command inherits of the host's environment: an allow-list, and what the user adds to it. */
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

/** Whether a path stands for many, as it is written in a policy. */
export function isGlob(path: string): boolean {
	return /[*?]/.test(path);
}

/** Whether an entry stands for many paths, once the folders that its tokens mean are in it. */
export function isPattern({ path, literal }: Pick<PolicyEntry, "path" | "literal">): boolean {
	return literal !== true && isGlob(path);
}

/** An entry for exactly this path, whatever it is called. */
export function entryAt(path: string, access: FileAccess): PolicyEntry {
	return isGlob(path) ? { path, access, literal: true } : { path, access };
}

function isPolicyGlob(path: string): boolean {
	return isGlob(path) && !path.includes("\0");
}

/** What keeps commands from being contained on a machine. */
export const SandboxProblemCode = z.enum([
	"no-sandbox-here",
	"bwrap-missing",
	"bwrap-changed",
	"bwrap-too-old",
	"bwrap-broken",
	"no-user-namespaces",
	"no-proc",
	"wsl1",
	"seatbelt-missing",
	"seatbelt-broken",
]);
export type SandboxProblemCode = z.infer<typeof SandboxProblemCode>;

export const SandboxKind = z.enum(["bubblewrap", "seatbelt", "none"]);

/** The stricter of two values that stand in an order, from strict to free. */
export function lower<T>(fromStrictToFree: readonly T[]): (one: T, other: T) => T {
	return (one, other) => (fromStrictToFree.indexOf(other) < fromStrictToFree.indexOf(one) ? other : one);
}

/** `untrusted` asks about more, `never` refuses what would be asked: neither is stricter in everything, so the first stays. */
export function stricterApproval(one: ApprovalPolicy, other: ApprovalPolicy): ApprovalPolicy {
	return one === "onRequest" ? other : one;
}
