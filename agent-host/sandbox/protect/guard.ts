import type { Policy } from "../../permissions/policy.ts";
import { guardedRoots } from "../../permissions/reach.ts";
import type { Layout } from "../linux/layout.ts";
import type { GuardJournal } from "./guard-journal.ts";
import type { Found, HarmfulPlaces } from "./harmful-places.ts";
import { type Before, readlinkOf, undo } from "./undo.ts";

/** What no mount can hold: protected names in spellings and places that nobody can list beforehand, and names that are links. */
export interface Guard {
	/** Protected names that are links, with where they lead. */
	readonly links: Before["links"];
	/** Undoes what the command did to them until now; one sentence for each. */
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

/** `standing`: the placeholders of all commands. Written down first, so that a host that dies is cleaned up after. */
export function guardProtected(
	guarded: Guarded,
	places: HarmfulPlaces,
	journal: GuardJournal,
	standing: () => ReadonlySet<string>,
): Guard {
	const before = lookBefore(guarded);
	const written = journal.write(before);
	const check = () => undo(before, places, standing);
	return {
		links: before.links,
		check,
		settle: async () => {
			const notes = await check();
			written.remove();
			return notes;
		},
	};
}

function lookBefore({ policy, layout, present, found, awaited }: Guarded): Before {
	const isGuarded = policy.mode !== "full";
	return {
		roots: isGuarded ? guardedRoots(policy).filter((root) => root !== "/") : [],
		names: isGuarded ? policy.protect.names : [],
		known: [...present, ...layout.placeholders, ...found.places.keys()],
		awaited: isGuarded ? awaited : [],
		links: layout.watched.flatMap((path) => {
			const target = readlinkOf(path);
			return target === undefined ? [] : [[path, target] as const];
		}),
	};
}
