import { isDeepStrictEqual } from "node:util";
import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { Fragment } from "./fragment.ts";
import type { Section, WorldSnapshot } from "./section.ts";

export interface WorldDiff {
	readonly fragments: readonly Fragment[];
	readonly snapshot: WorldSnapshot;
}

/** What to tell the model now, given what it was told. The engine decides whether, a section decides what to say. */
export function diffWorld(sections: readonly Section[], envelope: TurnEnvelope, told: WorldSnapshot): WorldDiff {
	const fragments: Fragment[] = [];
	const snapshot: Record<string, unknown> = {};
	for (const section of sections) {
		const current = section.observe(envelope);
		const previous = section.previous(told);
		snapshot[section.id] = current;
		if (previous.state === "known" && isDeepStrictEqual(previous.value, current)) continue;
		fragments.push(section.render(previous, current));
	}
	return { fragments, snapshot };
}
