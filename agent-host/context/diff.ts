import { isDeepStrictEqual } from "node:util";
import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { Fragment } from "./fragment.ts";
import type { Previous, Section, WorldSnapshot } from "./section.ts";

const NOTHING: ReadonlySet<string> = new Set();

export interface WorldDiff {
	readonly fragments: readonly Fragment[];
	readonly snapshot: WorldSnapshot;
}

/**
 * Describes the whole world to a model of which we only know the fragment kinds in its history. If a kind is there, the
 * model has a belief about it, so even a default is stated. `changed` lists sections known to have had another value.
 */
export function stateWorld(
	sections: readonly Section[],
	envelope: TurnEnvelope,
	inHistory: ReadonlySet<string> = NOTHING,
	changed: WorldSnapshot = {},
): WorldDiff {
	return speak(sections, envelope, (section) => {
		const before = section.previous(changed);
		if (before.state === "known") return before;
		return { state: isHeld(section, inHistory) ? "unknown" : "absent" };
	});
}

/**
 * Computes what to tell the model now, from what it was told and the fragment kinds still in its history. The engine
 * decides whether a section speaks, the section decides what to say. A section whose text is gone from the history is
 * stated again.
 */
export function diffWorld(
	sections: readonly Section[],
	envelope: TurnEnvelope,
	told: WorldSnapshot,
	inHistory: ReadonlySet<string>,
): WorldDiff {
	const diff = speak(sections, envelope, (section, current, spoken) => {
		const previous = section.previous(told);
		if (previous.state !== "known" || !isDeepStrictEqual(previous.value, current)) return previous;
		if (isHeld(section, inHistory)) return "unchanged";
		const restated = section.render({ state: "absent" }, current, { envelope, spoken });
		return restated === undefined ? "unchanged" : { state: "absent" };
	});
	// A section with nothing to say in this turn keeps its last snapshot.
	const kept = sections.filter(({ id }) => !Object.hasOwn(diff.snapshot, id) && Object.hasOwn(told, id));
	const standing = Object.fromEntries(kept.map(({ id }) => [id, told[id]]));
	return { fragments: diff.fragments, snapshot: { ...diff.snapshot, ...standing } };
}

function isHeld({ kinds }: Section, inHistory: ReadonlySet<string>): boolean {
	return kinds.some((kind) => inHistory.has(kind));
}

function speak(
	sections: readonly Section[],
	envelope: TurnEnvelope,
	compare: (section: Section, current: unknown, spoken: ReadonlySet<string>) => Previous<unknown> | "unchanged",
): WorldDiff {
	const fragments: Fragment[] = [];
	const snapshot: Record<string, unknown> = {};
	const spoken = new Set<string>();
	for (const section of sections) {
		const current = section.observe(envelope);
		if (current === undefined) continue;
		snapshot[section.id] = current;
		const previous = compare(section, current, spoken);
		if (previous === "unchanged") continue;
		const fragment = section.render(previous, current, { envelope, spoken });
		if (fragment === undefined) continue;
		fragments.push(fragment);
		spoken.add(section.id);
	}
	return { fragments, snapshot };
}
