import { dirname, join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import {
	effectiveEntries,
	enforcedAccess,
	guardedRoots,
	isInside,
	isProtectedName,
	writableRoots,
} from "../../permissions/reach/reach.ts";
import type { FileAccess, PolicyEntry } from "../../protocol/settings/policy-settings.ts";
import { isPattern } from "../../protocol/settings/policy-settings.ts";
import { type Filter, globFolders, globRegex, namesRegex, type Rule } from "./seatbelt.ts";

/** Running a file is a way to read it. */
const READ = ["file-read*", "process-exec*"];
const WRITE = ["file-write*"];

/**
 * A policy's files as Seatbelt rules. A later rule beats an earlier one, so the order is that of the resolver: entries
 * from shallow to deep, then what closes something that was granted. Rules for a single operation come last, because
 * Seatbelt may prefer them to wildcard rules in any position. `files` are places that are plain files.
 */
export function fileRules(policy: Policy, files: ReadonlySet<string>): readonly Rule[] {
	return [
		...entryRules(effectiveEntries(policy)),
		...globRules(policy),
		...secretRules(policy),
		...(policy.mode === "full" ? [] : protectionRules(policy)),
		...passageRules(policy),
		...heldRules(policy, files),
	];
}

/** Parents first; of several entries for one path, the strongest. */
function entryRules(entries: readonly PolicyEntry[]): readonly Rule[] {
	const paths = [...new Set(entries.filter((entry) => !isPattern(entry)).map(({ path }) => path))];
	const byDepth = paths.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
	return byDepth.flatMap((path) => {
		const granted = new Set(entries.filter((entry) => entry.path === path).map(({ access }) => access));
		return accessRules(path, granted.has("none") ? "none" : granted.has("write") ? "write" : "read");
	});
}

function accessRules(path: string, access: FileAccess): readonly Rule[] {
	const filters: readonly Filter[] = path === "/" ? [] : [{ kind: "subpath", path }];
	switch (access) {
		case "write":
			return [{ verdict: "allow", operations: [...READ, ...WRITE], filters }];
		case "read": {
			const allow: Rule = { verdict: "allow", operations: READ, filters };
			// Whatever is not granted is closed already.
			return path === "/" ? [allow] : [allow, { verdict: "deny", operations: WRITE, filters }];
		}
		case "none":
			return path === "/" ? [] : [{ verdict: "deny", operations: [...READ, ...WRITE], filters }];
	}
}

function globRules(policy: Policy): readonly Rule[] {
	const globs = policy.filesystem.filter(isPattern).map(({ path }) => path);
	const closed = globs.map((glob): Filter => ({ kind: "regex", source: globRegex(glob) }));
	return closed.length === 0 ? [] : [{ verdict: "deny", operations: [...READ, ...WRITE], filters: closed }];
}

function secretRules(policy: Policy): readonly Rule[] {
	const opened = policy.filesystem.filter(({ access }) => access !== "none").map(({ path }) => path);
	const filters = policy.secrets.map((secret) =>
		withExceptions({ kind: "subpath", path: secret }, within(opened, secret)),
	);
	return filters.length === 0 ? [] : [{ verdict: "deny", operations: [...READ, ...WRITE], filters }];
}

/** Like `protectedPart`: fixed paths first, each without those before it, then names below the writable roots. */
function protectionRules(policy: Policy): readonly Rule[] {
	const { names, paths } = policy.protect;
	const written = writableRoots(policy);
	const fixed = paths.map((path, index) =>
		withExceptions({ kind: "subpath", path }, [...paths.slice(0, index), ...within(written, path)]),
	);
	const openedPaths = paths.flatMap((path) => within(written, path));
	const named = names.length === 0 ? [] : guardedRoots(policy);
	const below = named.map((root) => {
		const opened = written.filter((path) => isInside(path, root) && isProtectedName(names, firstBelow(path, root)));
		return withExceptions({ kind: "regex", source: namesRegex(root, names) }, [...opened, ...openedPaths]);
	});
	const filters = [...fixed, ...below];
	return filters.length === 0 ? [] : [{ verdict: "deny", operations: WRITE, filters }];
}

/** Closed folders that lead to something open: they can be traversed but not listed. */
function passageRules(policy: Policy): readonly Rule[] {
	const open = listBorders(policy).filter((path) => enforcedAccess(policy, path) !== "none");
	const passed = new Set(open.flatMap(foldersAbove).filter((path) => enforcedAccess(policy, path) === "none"));
	const filters = [...passed].map((path): Filter => ({ kind: "literal", path }));
	return filters.length === 0 ? [] : [{ verdict: "allow", operations: ["file-read-metadata"], filters }];
}

/**
 * Folders that must not be moved or replaced: every one above a place where access changes, and every writable one in a
 * folder that is not. If one were moved away, or another moved into its place, the rules would apply to the wrong
 * files.
 */
function heldRules(policy: Policy, files: ReadonlySet<string>): readonly Rule[] {
	const isWritable = (path: string) => enforcedAccess(policy, path) === "write";
	const someName = (root: string) => policy.protect.names.map((name) => join(root, name.replaceAll("*", "")));
	const guarded = guardedRoots(policy).filter(
		(root) => !files.has(root) && isWritable(root) && !someName(root).every(isWritable),
	);
	const borders = listBorders(policy);
	const held = [...borders.filter(isWritable), ...guarded, ...[...borders, ...guarded].flatMap(foldersAbove)];
	const filters = [...new Set(held)].filter(isWritable).map((path): Filter => ({ kind: "literal", path }));
	const globs = policy.filesystem.filter(isPattern).map(({ path }) => path);
	const ways = globs.flatMap(globFolders).map((source): Filter => ({ kind: "folders", source }));
	return [
		...(filters.length === 0 ? [] : [deny(["file-write-unlink", "file-write-create"], filters)]),
		...(ways.length === 0 ? [] : [deny(["file-write-unlink"], ways)]),
	];
}

/** The policy's paths at which access changes. */
function listBorders(policy: Policy): readonly string[] {
	const entries = effectiveEntries(policy)
		.filter((entry) => !isPattern(entry))
		.map(({ path }) => path);
	const places = [...new Set([...entries, ...policy.secrets, ...policy.protect.paths])];
	return places.filter(
		(path) => path !== "/" && enforcedAccess(policy, path) !== enforcedAccess(policy, dirname(path)),
	);
}

function withExceptions(of: Filter, paths: readonly string[]): Filter {
	return { kind: "except", of, not: [...new Set(paths)].map((path) => ({ kind: "subpath", path })) };
}

function deny(operations: readonly string[], filters: readonly Filter[]): Rule {
	return { verdict: "deny", operations, filters };
}

function within(paths: readonly string[], folder: string): readonly string[] {
	return paths.filter((path) => isInside(path, folder));
}

function firstBelow(path: string, root: string): string {
	return path.slice(root === "/" ? 1 : root.length + 1).split("/")[0] ?? "";
}

function foldersAbove(path: string): readonly string[] {
	const above = dirname(path);
	return above === path ? [] : [...foldersAbove(above), above];
}

function depthOf(path: string): number {
	return path.split("/").filter((part) => part !== "").length;
}
