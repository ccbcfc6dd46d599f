import type { KeptCode } from "./kept-code.ts";
import { spareOldSpace } from "./spare-memory.ts";

/** What a host does once, for its next start and for its memory, when it is no longer in a hurry. */
export interface Upkeep {
	readonly turnEnded: () => void;
	readonly leaving: () => void;
}

/** Time for the last words of the first turn to be shown. */
const CALM_MS = 500;

export function createUpkeep(code: KeptCode): Upkeep {
	let hasRunTurn = false;
	let isKept = false;
	const keep = () => {
		if (!isKept) code.keep(hasRunTurn);
		isKept = true;
	};
	return {
		turnEnded: () => {
			if (hasRunTurn) return;
			hasRunTurn = true;
			// In this order: with another flag set, V8 would not take the code back.
			setTimeout(() => {
				keep();
				spareOldSpace();
			}, CALM_MS).unref();
		},
		leaving: keep,
	};
}
