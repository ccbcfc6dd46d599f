import { win32 } from "node:path";
import type { Policy } from "../permissions/policy/policy.ts";
import { grantsMinimal, isMinimalPlace } from "../permissions/resolve/resolve-policy.ts";
import type { FileAccess } from "../protocol/settings/policy-settings.ts";
import { isGlob, isPattern } from "../protocol/settings/policy-settings.ts";

/** Which helper is installed: one with a separate account, one with a restricted token of the user, or none. */
export type WindowsBackend = "elevated" | "restrictedToken" | "none";

export type WindowsPlan =
	| {
			readonly kind: "contained";
			readonly read: "everything" | readonly string[];
			readonly write: readonly string[];
			/** Read-only places below writable ones. */
			readonly readOnly: readonly string[];
			readonly network: "off" | "on";
			/** Parts of the policy that this backend does not enforce; one sentence each. */
			readonly notes: readonly string[];
	  }
	/** Nothing contains the command, so each one needs approval. */
	| { readonly kind: "ask"; readonly reason: string }
	| { readonly kind: "refused"; readonly reason: string };

/** What a program needs to start, if a policy grants the minimal system instead of the whole disk. */
export const WINDOWS_READ_ROOTS = ["C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)", "C:\\ProgramData"];

const ROOT = "\\";

/**
 * How a backend enforces a policy, or why it cannot. Entries that it cannot enforce are refused; other gaps are listed
 * in the notes.
 */
export function planWindows(policy: Policy, backend: WindowsBackend): WindowsPlan {
	if (backend === "none") return withoutHelper(policy);
	const places = listPlaces(policy);
	const problem =
		refuseShape(policy, places) ?? (backend === "restrictedToken" ? refuseForToken(policy, places) : undefined);
	if (problem !== undefined) return { kind: "refused", reason: problem };
	return {
		kind: "contained",
		read: isAllReadable(places) ? "everything" : readRoots(policy, places),
		write: places.filter(({ access }) => access === "write").map(({ path }) => path),
		readOnly: [...places.filter(isCarveOut).map(({ path }) => path), ...protectedPlaces(policy, places)],
		network: policy.network.kind === "on" ? "on" : "off",
		notes: backend === "restrictedToken" ? tokenNotes(policy) : [],
	};
}

function withoutHelper(policy: Policy): WindowsPlan {
	if (policy.approval === "never") {
		return { kind: "refused", reason: "No sandbox is available on this machine, and approvals are off." };
	}
	return { kind: "ask", reason: "No sandbox is available on this machine, so every command needs approval." };
}

/** One path of the policy, with the access there and around it. */
interface Place {
	readonly path: string;
	readonly access: FileAccess;
	/** The access of its parent folder; `none` if nothing is granted. */
	readonly around: FileAccess;
	readonly isBelowWritable: boolean;
}

function listPlaces(policy: Policy): readonly Place[] {
	const granted = new Map<string, { readonly path: string; readonly access: FileAccess }>();
	for (const entry of policy.filesystem) {
		if (isPattern(entry)) continue;
		const { path, access } = entry;
		const place = win32.normalize(path);
		const known = granted.get(keyOf(place))?.access;
		if (known === undefined || STRENGTH[access] > STRENGTH[known]) granted.set(keyOf(place), { path: place, access });
	}
	const all = [...granted.values()];
	return all.map(({ path, access }) => {
		const above = all.filter((other) => other.path !== path && isBelow(path, other.path));
		const nearest = above.toSorted((a, b) => a.path.length - b.path.length).at(-1);
		const isBelowWritable = above.some((other) => other.access === "write");
		return { path, access, around: nearest?.access ?? "none", isBelowWritable };
	});
}

const STRENGTH: Readonly<Record<FileAccess, number>> = { read: 1, write: 2, none: 3 };

function refuseShape(policy: Policy, places: readonly Place[]): string | undefined {
	const glob = policy.filesystem.find(isPattern);
	const denied = glob ?? places.find(({ access, around }) => access === "none" && around !== "none");
	if (denied !== undefined) return `${denied.path} is blocked inside a readable folder, which Windows cannot enforce.`;
	if (places.some(({ path, access }) => path === ROOT && access === "write")) {
		return "The whole disk is writable, so there is nothing for Windows to restrict.";
	}
	const reopened = places.find((place) => isReopened(policy, place));
	if (reopened !== undefined) {
		return `${reopened.path} is writable inside a read-only folder, which Windows cannot enforce.`;
	}
	if (policy.network.kind === "allow") return "Allowed sites cannot be enforced on Windows.";
	return undefined;
}

function refuseForToken(policy: Policy, places: readonly Place[]): string | undefined {
	if (!isAllReadable(places))
		return "A restricted token can read everything the user can, so reading cannot be restricted.";
	const written = places.filter(({ access }) => access === "write").map(({ path }) => keyOf(path));
	const isUsual =
		written.length === 0 || policy.folders.every((folder) => written.includes(keyOf(win32.normalize(folder))));
	return isUsual
		? undefined
		: "A restricted token can write to the workspace and other folders, not only to other folders.";
}

function tokenNotes(policy: Policy): readonly string[] {
	const notes: string[] = [];
	if (policy.secrets.length > 0) notes.push("Stored keys stay readable.");
	if (policy.network.kind === "off") notes.push("The network is off only for programs that respect the environment.");
	return notes;
}

function isAllReadable(places: readonly Place[]): boolean {
	return places.some(({ path, access }) => path === ROOT && access !== "none");
}

function isCarveOut({ access, around }: Place): boolean {
	return access === "read" && around === "write";
}

/** Writable again below a carve-out, either of the policy or a protected name. */
function isReopened(policy: Policy, { path, access, around, isBelowWritable }: Place): boolean {
	if (access !== "write") return false;
	if (around === "read" && isBelowWritable) return true;
	return guardedPlaces(policy).some((guarded) => keyOf(guarded) !== keyOf(path) && isBelow(path, guarded));
}

function readRoots(policy: Policy, places: readonly Place[]): readonly string[] {
	const named = places.filter(
		({ path, access, around }) => access === "read" && around === "none" && !isMinimalPlace(path),
	);
	return [...named.map(({ path }) => path), ...(grantsMinimal(policy) ? WINDOWS_READ_ROOTS : [])];
}

function protectedPlaces(policy: Policy, places: readonly Place[]): readonly string[] {
	const opened = new Set(places.filter(({ access }) => access === "write").map(({ path }) => keyOf(path)));
	return guardedPlaces(policy).filter((path) => !opened.has(keyOf(path)));
}

/** All protected files and folders with a fixed name; patterns are checked after the command. */
function guardedPlaces(policy: Policy): readonly string[] {
	const { names, paths, free } = policy.protect;
	const roots = policy.filesystem.filter(({ path, access }) => access === "write" && !free.includes(path));
	const fixed = names.filter((name) => !isGlob(name));
	const named = roots.flatMap(({ path }) => fixed.map((name) => win32.join(path, name)));
	return [...new Set([...paths.map((path) => win32.normalize(path)), ...named])];
}

function isBelow(path: string, folder: string): boolean {
	return folder === ROOT || keyOf(path) === keyOf(folder) || keyOf(path).startsWith(`${keyOf(folder)}\\`);
}

/** Windows compares names ignoring case; a trailing separator, as a drive has it, is irrelevant. */
function keyOf(path: string): string {
	return path.toLowerCase().replace(/(?<!\\)\\+$/, "");
}
