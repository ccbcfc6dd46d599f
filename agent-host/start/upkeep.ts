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
	let isDone = false;
	const tidyUp = () => {
		if (isDone) return;
		isDone = true;
		// In this order: with another flag set, V8 would not take the code back.
		code.keep(hasRunTurn);
		spareOldSpace();
	};
	return {
		turnEnded: () => {
			if (hasRunTurn) return;
			hasRunTurn = true;
			setTimeout(tidyUp, CALM_MS).unref();
		},
		leaving: tidyUp,
	};
}
