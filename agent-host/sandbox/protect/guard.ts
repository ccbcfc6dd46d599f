import { readlinkSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Policy } from "../../permissions/policy.ts";
import { guardedRoots } from "../../permissions/reach.ts";
import { openHeldFolder } from "../apply/held-folder.ts";
import type { Layout } from "../linux/layout.ts";
import { findProtected } from "./disk-facts.ts";
import type { Nested } from "./nested.ts";

/** What no mount can hold: protected names in spellings and places that nobody can list beforehand, and names that are links. */
export interface Guard {
	/** Undoes what the command did to them; one sentence for each. */
	readonly settle: () => Promise<readonly string[]>;
}

export interface Guarded {
	readonly policy: Policy;
	readonly layout: Layout;
	/** Protected files and folders that stood before the command. */
	readonly present: readonly string[];
}

const ASIDE = ".made-by-a-command";
const MAX_ASIDE = 100;

/** `standing`: the placeholders of all commands. */
export async function guardProtected(
	{ policy, layout, present }: Guarded,
	nested: Nested,
	standing: () => ReadonlySet<string>,
): Promise<Guard> {
	const roots = policy.mode === "full" ? [] : guardedRoots(policy).filter((root) => root !== "/");
	const known = new Set([...present, ...layout.placeholders, ...(await nested.find(roots))]);
	const links = new Map(layout.watched.map((path) => [path, readlinkOf(path)]));
	return {
		settle: async () => {
			const named = policy.mode === "full" ? [] : findProtected(policy);
			const appeared = new Set([...named, ...(await nested.find(roots))]);
			const others = standing();
			const made = [...appeared].filter((path) => !known.has(path) && !others.has(path));
			const notes = await Promise.all(made.map(setAside));
			const restored = await Promise.all([...links].map(([path, target]) => restore(path, target)));
			return [...notes, ...restored].filter((note) => note !== undefined);
		},
	};
}

/** Renamed, not removed: it may be the user's, made in the same moment. Under another name no program runs it. */
async function setAside(path: string): Promise<string | undefined> {
	try {
		const name = await renameWithin(dirname(path), basename(path));
		return `${path} is protected and may not be made by a command; it was renamed to ${name}.`;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		return `${path} is protected, was made by the command, and could not be renamed. Look at it before you open it.`;
	}
}

/** In a folder that is held open, reached without a link: a command that still runs cannot lead this elsewhere. */
async function renameWithin(path: string, name: string): Promise<string> {
	const folder = await openHeldFolder(path);
	try {
		for (let count = 1; ; count += 1) {
			const other = `${name}${ASIDE}${count === 1 ? "" : `-${count}`}`;
			if (count < MAX_ASIDE && (await folder.look(other)) !== undefined) continue;
			await folder.rename(name, other);
			return join(path, other);
		}
	} finally {
		await folder.close();
	}
}

async function restore(path: string, target: string | undefined): Promise<string | undefined> {
	if (target === undefined || readlinkOf(path) === target) return undefined;
	await setAside(path);
	try {
		symlinkSync(target, path);
		return `${path} is protected and may not be changed by a command; it leads to ${target} again.`;
	} catch {
		return `${path} is protected, was changed by the command, and could not be put back.`;
	}
}

function readlinkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}
