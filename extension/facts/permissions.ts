import type * as z from "zod";
import { describeIssue } from "../../agent-host/protocol/describe-issue.ts";
import {
	ApprovalPolicy,
	lower,
	NetworkMode,
	PermissionMode,
	PermissionSettings,
	stricterApproval,
} from "../../agent-host/protocol/settings/policy-settings.ts";
import { type Message, t } from "../../l10n/t.ts";

/** A setting by scope: the user's value, and those of the workspace and its folders. */
export interface ScopedValue {
	readonly user: unknown;
	readonly workspace: readonly unknown[];
}

const FIELDS = { ...PermissionSettings.shape, approval: ApprovalPolicy.default("onRequest") };
export type PermissionKey = keyof typeof FIELDS;
// The keys of the object literal are exactly those of its type.
export const PERMISSION_KEYS = Object.keys(FIELDS) as readonly PermissionKey[];

export type ScopedPermissions = Readonly<Record<PermissionKey, ScopedValue>>;

export interface ResolvedPermissions {
	readonly permissions: PermissionSettings;
	readonly approval: ApprovalPolicy;
	/** Problems in the user's settings and what applies instead, one sentence each. */
	readonly problems: readonly string[];
}

/**
 * The effective permissions. The workspace can only be stricter than the user, and is ignored while it is untrusted. An
 * invalid user value falls back to the most restrictive one.
 */
export function resolvePermissions(scoped: ScopedPermissions, trust: "trusted" | "restricted"): ResolvedPermissions {
	const own = readUser(scoped);
	if (trust === "restricted") return own;
	const { permissions, approval } = own;
	const asked = <K extends PermissionKey>(key: K) => scoped[key].workspace.flatMap((value) => parseValid(key, value));
	const closed = asked("filesystem").flatMap((entries) => entries.filter(({ access }) => access === "none"));
	const denied = asked("rules").flatMap((rules) => rules.filter(({ decision }) => decision === "deny"));
	const { mode, ...tightened } = tighten(
		{ mode: permissions.mode, approval },
		{
			mode: asked("mode").reduce(lower(MODES), permissions.mode),
			approval: asked("approval").reduce(stricterApproval, approval),
		},
	);
	return {
		...own,
		...tightened,
		permissions: {
			...permissions,
			mode,
			network: asked("network").reduce(lower(NetworkMode.options), permissions.network),
			denyRead: addUpTo(permissions.denyRead, asked("denyRead").flat()),
			filesystem: addUpTo(permissions.filesystem, closed),
			rules: addUpTo(permissions.rules, denied),
		},
	};
}

/** From strict to free, with one exception: `ask` asks before commands that `readOnly` runs without write access. */
const MODES = PermissionMode.options;
const MAX_ENTRIES = 200;

const EVERYTHING = [":root", ":workspace", ":tmp", ":home"];

/** What applies if a user value is invalid, and the sentence for it. */
const CLOSED: { readonly [K in PermissionKey]: readonly [value: z.output<(typeof FIELDS)[K]>, words: Message] } = {
	mode: ["readOnly", "The mode is Read Only until it is fixed."],
	network: ["off", "The network is off until it is fixed."],
	allowedDomains: [[], "No sites are allowed until it is fixed."],
	writableRoots: [[], "No additional folders are writable until it is fixed."],
	denyRead: [EVERYTHING, "No files are accessible until it is fixed."],
	filesystem: [
		EVERYTHING.map((path) => ({ path, access: "none" as const })),
		"No files are accessible until it is fixed.",
	],
	rules: [[], "No rules apply, and every edit and command needs approval until it is fixed."],
	serverTools: [[], "No rules apply until it is fixed."],
	limits: [{ memory: null, fileSize: 4_096, diskGrowth: 10_240 }, "The defaults apply until it is fixed."],
	approval: ["untrusted", "Every edit and command needs approval until it is fixed."],
};

function readUser(scoped: ScopedPermissions): ResolvedPermissions {
	const problems: string[] = [];
	const read = <K extends PermissionKey>(key: K): z.output<(typeof FIELDS)[K]> => {
		const result = FIELDS[key].safeParse(scoped[key].user);
		// The schema of a key has that key's type; TypeScript loses the pairing in the lookup.
		if (result.success) return result.data as z.output<(typeof FIELDS)[K]>;
		const [value, words] = CLOSED[key];
		problems.push(t("The setting {0} is not valid: {1}. {2}", settingId(key), describeRefusal(result.error), t(words)));
		return value;
	};
	const { approval: chosen, ...permissions } = Object.fromEntries(PERMISSION_KEYS.map((key) => [key, read(key)])) as {
		[K in PermissionKey]: z.output<(typeof FIELDS)[K]>;
	};
	// Without the rules that deny, nothing may run unseen.
	const approval = FIELDS.rules.safeParse(scoped.rules.user).success ? chosen : "untrusted";
	if (permissions.mode !== "full") return { permissions, approval, problems };
	problems.push(t("Full Access can't be set here. Use Vitrine: Change Permissions… to grant it to a single thread."));
	return { permissions: { ...permissions, mode: "workspaceWrite" }, approval, problems };
}

export function settingId(key: PermissionKey): string {
	return key === "approval" ? "vitrine.approval" : `vitrine.permissions.${key}`;
}

function describeRefusal(error: z.ZodError): string {
	const [issue] = error.issues;
	if (issue === undefined) return t("unknown");
	const place = issue.path.length === 0 ? "" : `${t("entry {0}", issue.path.join("."))} `;
	return `${place}${describeIssue(issue)}`;
}

function parseValid<K extends PermissionKey>(key: K, value: unknown): readonly z.output<(typeof FIELDS)[K]>[] {
	if (value === undefined) return [];
	const result = FIELDS[key].safeParse(value);
	return result.success ? [result.data as z.output<(typeof FIELDS)[K]>] : [];
}

interface Manner {
	readonly mode: PermissionMode;
	readonly approval: ApprovalPolicy;
}

/** If the user is asked before every command, that stays so when the workspace demands read-only. */
function tighten(own: Manner, wanted: Manner): Manner {
	if (own.mode !== "ask" || wanted.mode !== "readOnly") return wanted;
	return wanted.approval === "never" ? { ...wanted, mode: "ask" } : { ...wanted, approval: "untrusted" };
}

function addUpTo<T>(own: readonly T[], added: readonly T[]): T[] {
	return [...own, ...added].slice(0, Math.max(own.length, MAX_ENTRIES));
}
