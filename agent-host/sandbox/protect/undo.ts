import { lstatSync, readlinkSync, symlinkSync } from "node:fs";
import { findProtected } from "./disk-facts.ts";
import type { HarmfulKind, HarmfulPlaces } from "./harmful-places.ts";
import { setAside } from "./set-aside.ts";

/** How things stood before a command, as far as it has to be so afterwards. */
export interface Before {
	readonly roots: readonly string[];
	/** Protected names directly below the roots. */
	readonly names: readonly string[];
	readonly known: readonly string[];
	readonly awaited: readonly string[];
	readonly links: readonly (readonly [path: string, target: string])[];
}

/** How often what was set aside is itself looked at: it may hold more. */
const MAX_ROUNDS = 20;

/** Sets aside what was not there before, and puts links back. */
export async function undo(
	before: Before,
	places: HarmfulPlaces,
	standing: () => ReadonlySet<string>,
): Promise<readonly string[]> {
	const known = new Set(before.known);
	const notes: string[] = [];
	for (let round = 0; round < MAX_ROUNDS; round += 1) {
		const { appeared, isWhole } = await findAppeared(before, places);
		const others = standing();
		const made = [...appeared].filter(([path]) => !known.has(path) && !others.has(path));
		for (const [path, kind] of made) {
			const note = await setAside(path, kind);
			// What cannot be renamed is told once.
			known.add(path);
			if (note !== undefined) notes.push(note);
		}
		if (!isWhole) notes.push(TOO_MANY);
		if (made.length === 0 || !isWhole) break;
	}
	for (const [path, target] of before.links) notes.push(...(await restore(path, target)));
	return notes;
}

const TOO_MANY =
	"The command left more folders than can be looked at, so what else it has left there is not known. Look at them before you open them.";

async function findAppeared(before: Before, places: HarmfulPlaces) {
	const found = await places.find(before.roots);
	const appeared = new Map<string, HarmfulKind>(found.places);
	for (const path of findProtected(before.roots, before.names)) appeared.set(path, "other");
	for (const path of before.awaited) if (lstatSync(path, { throwIfNoEntry: false })) appeared.set(path, "other");
	return { appeared, isWhole: found.isWhole };
}

async function restore(path: string, target: string): Promise<readonly string[]> {
	if (readlinkOf(path) === target) return [];
	await setAside(path, "other");
	try {
		symlinkSync(target, path);
		return [`${path} is protected and may not be changed by a command; it leads to ${target} again.`];
	} catch {
		return [`${path} is protected, was changed by the command, and could not be put back.`];
	}
}

export function readlinkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}
