import { basename, dirname } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { guardedRoots, isInside, writableRoots } from "../../permissions/reach/reach.ts";
import { traceLinks } from "../../workspace/files/real-path.ts";
import { isEditorFolder, type Layout } from "../layout/plan-layout.ts";
import { watchedRoots } from "./bind-at-launch.ts";
import type { GuardJournal } from "./guard-journal.ts";
import { type Found, type HarmfulPlaces, NOT_TEXT } from "./harmful-places.ts";
import { tryReadlink } from "./try-readlink.ts";
import { type Before, createUndoing, findChanged, namesIn, stampFile, stampWhole, type Undone } from "./undo.ts";
import { watchPlanted } from "./watch-planted.ts";

/** Protects what no mount can: protected names that do not exist yet, in any case and place, and links. */
export interface Guard {
	/** Protected names that are links, with their targets. */
	readonly links: Before["links"];
	/**
	 * Undoes changes while the command runs, and calls `end` once, with a sentence, if the command does not stop making
	 * them.
	 */
	readonly watch: (end: (sentence: string) => void) => () => void;
	/** Undoes what the command did so far; one sentence for each change that was not reported yet. */
	readonly check: () => Promise<readonly string[]>;
	/** The same after the command and all its processes have ended. */
	readonly finish: () => Promise<readonly string[]>;
}

export interface Guarded {
	readonly policy: Policy;
	readonly layout: Layout;
	/** Protected files and folders that existed before the command. */
	readonly present: readonly string[];
	/** Harmful places that existed before it. */
	readonly found: Found;
	/** Missing files that a repository would obey if they existed. */
	readonly awaited: readonly string[];
}

/** How often a command may make the same thing, and how many in total: each exists for a moment. */
const [MOST_TIMES, MOST_PATHS] = [3, 50];

/**
 * `active`: the placeholders of all commands. The state is written down first, so that it can be restored if the host
 * dies.
 */
export function guardProtected(
	guarded: Guarded,
	places: HarmfulPlaces,
	journal: GuardJournal,
	active: () => ReadonlySet<string>,
	/** Called with what was set aside while the command ran. */
	onPlanted: (paths: readonly string[]) => void = () => undefined,
): Guard {
	const links = readLinks([...guarded.layout.watched, ...linksOnWay(guarded)], journal.isShared);
	const before = captureBefore(guarded, links);
	const written = journal.write(before);
	const undoing = createUndoing(before, places, active, (fewer) => written.replace({ ...before, links: fewer }));
	const unreported = new Set<string>();
	const reported = new Set<string>();
	const takeNotes = (): readonly string[] => {
		const notes = [...unreported].filter((note) => !reported.has(note));
		for (const note of notes) reported.add(note);
		unreported.clear();
		return notes;
	};
	const keepNotes = ({ notes }: Undone): void => {
		for (const note of notes) unreported.add(note);
	};
	const check = async (): Promise<readonly string[]> => {
		keepNotes(await undoing.all());
		for (const note of findChanged(before)) unreported.add(note);
		return takeNotes();
	};
	return {
		links: links.all,
		watch: (end) => {
			const count = countTimes(end, before.roots);
			return watchPlanted(
				before,
				undoing,
				(undone) => {
					keepNotes(undone);
					onPlanted(undone.made);
					count(undone.made);
				},
				(reason) => end(`Stopped: what it creates could not be checked (${reason}).`),
			);
		},
		check,
		finish: async () => {
			try {
				const notes = await check();
				written.remove();
				return notes;
			} catch (error) {
				// Stays written down: the next start of the host tries again.
				return [`What the command created could not be checked (${error}). Look at it before you open it.`];
			} finally {
				undoing.close();
			}
		},
	};
}

function countTimes(end: (sentence: string) => void, roots: readonly string[]): (made: readonly string[]) => void {
	const times = new Map<string, number>();
	let isEnded = false;
	return (made) => {
		for (const path of made) times.set(path, (times.get(path) ?? 0) + 1);
		// The editor obeys its own folder in an open one without asking. Other names are created by many programs, and again
		// when they are gone.
		const isTooMuch = (path: string) =>
			(isEditorFolder(path) && roots.includes(dirname(path))) ||
			(times.get(path) ?? 0) >= MOST_TIMES ||
			times.size > MOST_PATHS;
		const tooMuch = made.find(isTooMuch);
		if (tooMuch === undefined || isEnded) return;
		isEnded = true;
		end(
			`Stopped: it created ${tooMuch}, which is protected. Use apply_patch to write there; the user is asked for approval.`,
		);
	};
}

/** Harmful files without a mount, because there were too many. */
function stampUnheld({ protect }: Policy, { places }: Found): Before["stamps"] {
	const held = new Set(protect.paths);
	return [...places].flatMap(([path, kind]) => {
		const stamp = kind === "other" && !held.has(path) ? stampWhole(path) : undefined;
		return stamp === undefined ? [] : [[path, stamp] as const];
	});
}

interface Links {
	readonly all: Before["links"];
	/**
	 * Those that nobody can have planted: another host sets aside what its own commands plant, and this one would put it
	 * back.
	 */
	readonly restored: Before["links"];
}

/** Links on the way to what is awaited: elsewhere they would lead to something else. */
function linksOnWay({ policy, layout, awaited }: Guarded): readonly string[] {
	const roots = policy.mode === "full" ? [] : guardedRoots(policy);
	const links = [...layout.awaited, ...awaited].flatMap((path) => traceLinks(path).links);
	return [...new Set(links)].filter((link) => roots.some((root) => isInside(link, root)));
}

function readLinks(watched: readonly string[], isShared: GuardJournal["isShared"]): Links {
	if (watched.length === 0) return { all: [], restored: [] };
	// Before the links are read: who plants one has begun by then.
	const shared = isShared(watched);
	const all = watched.flatMap((path) => {
		const target = tryReadlink(path);
		return target === undefined ? [] : [[path, target] as const];
	});
	return { all, restored: shared ? [] : all };
}

/** A name that is not text cannot be asked for, only found in its folder. */
function isListed(path: string): boolean {
	return path.includes(NOT_TEXT) && namesIn(dirname(path)).includes(basename(path));
}

function captureBefore({ policy, layout, present, found, awaited }: Guarded, links: Links): Before {
	const isGuarded = policy.mode !== "full";
	// What is gone by now was set aside while this command was prepared.
	const isThere = (path: string) => stampFile(path) !== undefined || isListed(path);
	const unrestored = links.restored.length === 0 ? links.all : [];
	return {
		roots: isGuarded ? watchedRoots(policy) : [],
		names: isGuarded ? policy.protect.names : [],
		known: [
			...[...present, ...found.places.keys(), ...links.all.map(([path]) => path)].filter(isThere),
			// What is writable by name may also be created.
			...[...layout.placeholders, ...writableRoots(policy)],
		],
		awaited: isGuarded ? [...awaited, ...layout.awaited] : [],
		links: links.restored,
		stamps: isGuarded
			? [...stampUnheld(policy, found), ...unrestored.map(([path]) => [path, stampWhole(path) ?? ""] as const)]
			: [],
	};
}
