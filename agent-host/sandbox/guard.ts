import { readlinkSync, renameSync, symlinkSync } from "node:fs";
import type { Policy } from "../permissions/policy.ts";
import { findProtected } from "./disk-facts.ts";
import type { Layout } from "./layout.ts";

/** What no mount can hold: protected names in spellings that nobody can list beforehand, and names that are links. */
export interface Guard {
	/** Undoes what the command did to them; one sentence for each. */
	readonly settle: () => Promise<readonly string[]>;
}

const ASIDE = ".made-by-a-command";

export function guardProtected(policy: Policy, layout: Layout, present: readonly string[]): Guard {
	const known = new Set([...present, ...layout.placeholders]);
	const links = new Map(layout.watched.map((path) => [path, readlinkOf(path)]));
	return {
		settle: async () => {
			const appeared = policy.mode === "full" ? [] : await findProtected(policy);
			const made = appeared.filter((path) => !known.has(path)).flatMap(setAside);
			return [...made, ...[...links].flatMap(([path, target]) => restore(path, target))];
		},
	};
}

/** Renamed, not removed: it may be the user's, made in the same moment. Under another name no program runs it. */
function setAside(path: string): readonly string[] {
	try {
		renameSync(path, path + ASIDE);
		return [`${path} is protected and may not be made by a command; it was renamed to ${path}${ASIDE}.`];
	} catch {
		// Gone already.
		return [];
	}
}

function restore(path: string, target: string | undefined): readonly string[] {
	if (target === undefined || readlinkOf(path) === target) return [];
	try {
		setAside(path);
		symlinkSync(target, path);
		return [`${path} is protected and may not be changed by a command; it leads to ${target} again.`];
	} catch {
		return [`${path} is protected, was changed by the command, and could not be put back.`];
	}
}

function readlinkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}
