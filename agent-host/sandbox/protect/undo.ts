import { lstatSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../permissions/reach/reach.ts";
import { findProtected } from "../../workspace/files/find-protected.ts";
import { traceLinks } from "../../workspace/files/real-path.ts";
import type { HarmfulKind, HarmfulPlaces } from "./harmful-places.ts";
import { inHeldFolder } from "./in-held-folder.ts";
import { setAside } from "./set-aside.ts";
import { tryReadlink } from "./try-readlink.ts";

/** The state before a command, as far as it must be the same afterwards. */
export interface Before {
	readonly roots: readonly string[];
	/** Protected names directly below the roots. */
	readonly names: readonly string[];
	readonly known: readonly string[];
	readonly awaited: readonly string[];
	/** Links that are restored. */
	readonly links: readonly (readonly [path: string, target: string])[];
	/** Files without a mount, and links that are not restored, with their stamps. */
	readonly stamps: readonly (readonly [path: string, stamp: string])[];
}

/** How often what was set aside is itself examined: it may contain more. */
const MAX_ROUNDS = 20;

/** What was undone, and whether anything in the folders changed since the last check. */
export interface Undone {
	/** What was set aside. */
	readonly made: readonly string[];
	/** One sentence each. */
	readonly notes: readonly string[];
	readonly isUnchanged: boolean;
}

/** Undoes a command's changes repeatedly; a change that cannot be undone is reported once. */
export interface Undoing {
	/** Sets aside everything that was not there before, wherever it is, and restores links. */
	readonly all: () => Promise<Undone>;
	/** Only the names directly below the roots and the awaited ones: a check takes microseconds. */
	readonly named: () => Promise<Undone>;
	/** Only this one, which was just made directly below a root. */
	readonly one: (path: string) => Promise<Undone>;
	/** Call when the command is over and its last check is done. */
	readonly close: () => void;
}

export function createUndoing(
	before: Before,
	places: HarmfulPlaces,
	active: () => ReadonlySet<string>,
	/** Called with the links that are still restored, when another command turns out to have planted one. */
	onFewerLinks: (links: Before["links"]) => void = () => undefined,
): Undoing {
	const known = new Set(before.known);
	const links = new Map(before.links);
	const forget = (path: string): void => {
		known.delete(path);
		if (links.delete(path)) onFewerLinks([...links]);
	};
	running.add(forget);
	const setAsideNew = async (appeared: ReadonlyMap<string, HarmfulKind>) => {
		const others = active();
		const made: string[] = [];
		const notes: string[] = [];
		for (const [path, kind] of appeared) {
			if (known.has(path) || others.has(path)) continue;
			const { note, isGone } = await setAside(path, kind);
			// Another command that began meanwhile took it for the user's.
			if (isGone) for (const forgetIn of running) forgetIn(path);
			else known.add(path);
			// Absent if another check was faster.
			if (note === undefined) continue;
			made.push(path);
			notes.push(note);
		}
		return { made, notes };
	};
	const undoAll = async (): Promise<Undone> => {
		const made: string[] = [];
		const notes: string[] = [];
		let isUnchanged = true;
		for (let round = 0; round < MAX_ROUNDS; round += 1) {
			const found = await places.find(before.roots);
			const done = await setAsideNew(new Map([...found.places, ...(await findNamed(before, { known, links }))]));
			made.push(...done.made);
			notes.push(...done.notes);
			isUnchanged &&= found.isUnchanged;
			if (!found.isWhole) notes.push(TOO_MANY);
			if (done.made.length === 0 || !found.isWhole) break;
		}
		for (const [path, target] of links) notes.push(...(await restore(path, target)));
		return { made, notes, isUnchanged };
	};
	const undoSome = async (appeared: ReadonlyMap<string, HarmfulKind>): Promise<Undone> => {
		return { ...(await setAsideNew(appeared)), isUnchanged: false };
	};
	// A full check must see the results of all checks before it.
	let looks: Promise<unknown> = Promise.resolve();
	const after = <T>(look: Promise<T>): Promise<T> => {
		looks = Promise.all([looks, look]);
		return look;
	};
	return {
		named: () => after(findNamed(before, { known, links }).then(undoSome)),
		one: (path) => after(undoSome(new Map(stampFile(path) === undefined ? [] : [[path, "other"]]))),
		all: () => after(looks.then(undoAll)),
		close: () => void running.delete(forget),
	};
}

/** For each running command: it no longer takes a path for what it found in its place. */
const running = new Set<(path: string) => void>();

/** One sentence for each changed file that had no mount. */
export function findChanged({ stamps }: Before): readonly string[] {
	return stamps.flatMap(([path, before]) => {
		if (stampWhole(path) === before) return [];
		return [
			`${path} was changed while the command ran. Agents and editors follow it, so check it before you continue.`,
		];
	});
}

/** Differs after every change: no program can set the change time. Undefined if nothing can be reached there. */
export function stampFile(path: string): string | undefined {
	try {
		const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
		return stat && `${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}`;
	} catch {
		// A command may put a file, a loop of links or a closed folder on the way.
		return undefined;
	}
}

/** Also differs when a file directly in a folder changes. */
export function stampWhole(path: string): string | undefined {
	const names = namesIn(path).slice(0, MAX_STAMPED);
	return [path, ...names.map((name) => join(path, name))].map(stampFile).join(" ");
}

/** Files of a folder of configuration that are compared. */
const MAX_STAMPED = 200;

export function namesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		// A file, or a folder that is gone.
		return [];
	}
}

const TOO_MANY = "The command created too many folders to check completely. Check them before you open them.";

type Known = { readonly known: ReadonlySet<string>; readonly links: ReadonlyMap<string, string> };

async function findNamed(before: Before, known: Known): Promise<ReadonlyMap<string, HarmfulKind>> {
	const named = await findProtected(before.roots, before.names);
	const awaited = before.awaited.filter((path) => stampFile(path) !== undefined);
	const made = awaited.flatMap((path) => findMade(path, before.roots, known) ?? []);
	return new Map([...named, ...made].map((path) => [path, "other"]));
}

/** What stands at an awaited path: a link that was put on the way to it, or else what is there. */
function findMade(path: string, roots: readonly string[], { known, links }: Known): string | undefined {
	const way = traceLinks(path);
	// A link that was turned is restored, and what it leads to until then may be the user's.
	const isTurned = way.links.some((link) => links.has(link) && tryReadlink(link) !== links.get(link));
	if (isTurned) return undefined;
	const isOwn = (place: string) => roots.some((root) => isInside(place, root));
	const link = way.links.find((one) => !known.has(one) && isOwn(one));
	if (link !== undefined || stampFile(way.real) === undefined) return link;
	return isOwn(way.real) ? way.real : path;
}

async function restore(path: string, target: string): Promise<readonly string[]> {
	if (tryReadlink(path) === target) return [];
	await setAside(path, "other");
	try {
		inHeldFolder(path, (place) => symlinkSync(target, place));
		return [`${path} is protected and can't be changed by a command; it points to ${target} again.`];
	} catch {
		return [`${path} is protected, was changed by the command, and could not be restored.`];
	}
}
