import type { Policy } from "../../permissions/policy/policy.ts";
import { guardedRoots, writableRoots } from "../../permissions/reach/reach.ts";
import { isEditorFolder, type Layout } from "../layout/plan-layout.ts";
import type { GuardJournal } from "./guard-journal.ts";
import type { Found, HarmfulPlaces } from "./harmful-places.ts";
import { type Before, createUndoing, findChanged, readlinkOf, stampOf, type Undone } from "./undo.ts";
import { watchPlanted } from "./watch-planted.ts";

/** What no mount can hold: protected names that do not exist yet, in any spelling and place, and links. */
export interface Guard {
	/** Protected names that are links, with where they lead. */
	readonly links: Before["links"];
	/** Undoes it while the command runs, and calls `end` once, with a sentence, if the command does not stop doing it. */
	readonly watch: (end: (sentence: string) => void) => () => void;
	/** Undoes what the command did until now; one sentence for each that was not told yet. */
	readonly check: () => Promise<readonly string[]>;
	/** The same when nothing of the command is left. */
	readonly settle: () => Promise<readonly string[]>;
}

export interface Guarded {
	readonly policy: Policy;
	readonly layout: Layout;
	/** Protected files and folders that stood before the command. */
	readonly present: readonly string[];
	/** What stood before it that does harm wherever it lies. */
	readonly found: Found;
	/** Names that a repository would obey if there were such a file. */
	readonly awaited: readonly string[];
}

/** How often a command may make the same thing, and how much in all: each time it is there for a moment. */
const [MOST_TIMES, MOST_PATHS] = [3, 50];

/** `standing`: the placeholders of all commands. Written down first, so that a host that dies is cleaned up after. */
export function guardProtected(
	guarded: Guarded,
	places: HarmfulPlaces,
	journal: GuardJournal,
	standing: () => ReadonlySet<string>,
	/** Told what was set aside while the command ran. */
	onPlanted: (paths: readonly string[]) => void = () => undefined,
): Guard {
	const before = lookBefore(guarded);
	const written = journal.write(before);
	const undoing = createUndoing(before, places, standing);
	const untold = new Set<string>();
	const told = new Set<string>();
	const takeNotes = (): readonly string[] => {
		const notes = [...untold].filter((note) => !told.has(note));
		for (const note of notes) told.add(note);
		untold.clear();
		return notes;
	};
	const keepNotes = ({ notes }: Undone): void => {
		for (const note of notes) untold.add(note);
	};
	const check = async (): Promise<readonly string[]> => {
		keepNotes(await undoing.all());
		for (const note of findChanged(before)) untold.add(note);
		return takeNotes();
	};
	return {
		links: before.links,
		watch: (end) => {
			const count = countTimes(end);
			return watchPlanted(before, undoing, (undone) => {
				keepNotes(undone);
				onPlanted(undone.made);
				count(undone.made);
			});
		},
		check,
		settle: async () => {
			const notes = await check();
			written.remove();
			return notes;
		},
	};
}

function countTimes(end: (sentence: string) => void): (made: readonly string[]) => void {
	const times = new Map<string, number>();
	let isEnded = false;
	return (made) => {
		for (const path of made) times.set(path, (times.get(path) ?? 0) + 1);
		// The editor obeys its own folder without being asked. Others are made by many programs, and once more when they are gone.
		const isTooMuch = (path: string) =>
			isEditorFolder(path) || (times.get(path) ?? 0) >= MOST_TIMES || times.size > MOST_PATHS;
		const tooMuch = made.find(isTooMuch);
		if (tooMuch === undefined || isEnded) return;
		isEnded = true;
		end(
			`Stopped: it created ${tooMuch}, which is protected. Use apply_patch to write there; the user is asked for approval.`,
		);
	};
}

/** Files that do harm wherever they lie and that there were too many of for a mount each. */
function stampUnheld({ protect }: Policy, { places }: Found): Before["stamps"] {
	const held = new Set(protect.paths);
	return [...places].flatMap(([path, kind]) => {
		const stamp = kind === "other" && !held.has(path) ? stampOf(path) : undefined;
		return stamp === undefined ? [] : [[path, stamp] as const];
	});
}

function lookBefore({ policy, layout, present, found, awaited }: Guarded): Before {
	const isGuarded = policy.mode !== "full";
	return {
		roots: isGuarded ? guardedRoots(policy).filter((root) => root !== "/") : [],
		names: isGuarded ? policy.protect.names : [],
		// What may be written by name may be made, too.
		known: [...present, ...layout.placeholders, ...found.places.keys(), ...writableRoots(policy)],
		awaited: isGuarded ? [...awaited, ...layout.awaited] : [],
		links: layout.watched.flatMap((path) => {
			const target = readlinkOf(path);
			return target === undefined ? [] : [[path, target] as const];
		}),
		stamps: isGuarded ? stampUnheld(policy, found) : [],
	};
}
