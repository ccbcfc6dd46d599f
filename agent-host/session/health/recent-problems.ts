import { fromMessage, joinSaid, mapSaid, quote, type Said } from "../../protocol/say.ts";
import type { Ports } from "../ports/ports.ts";

const MAX_KEPT = 20;
const MAX_CHARS = 500;

/** Recent problems, oldest first. */
export interface RecentProblems {
	readonly read: () => readonly Said[];
	/** Wraps ports; what is logged or warned through them is remembered. */
	readonly watch: (ports: Ports) => Ports;
}

export function createRecentProblems(): RecentProblems {
	let kept: readonly Said[] = [];
	const keep = (now: number, level: string, said: Said): void => {
		const short = mapSaid(said, (text) => text.replaceAll(/\s+/g, " ").slice(0, MAX_CHARS));
		kept = [...kept, joinSaid(quote(`${new Date(now).toISOString()} ${level}:`), short)].slice(-MAX_KEPT);
	};
	return {
		read: () => kept,
		watch: (ports) => ({
			...ports,
			log: (level, message) => {
				if (level !== "info") keep(ports.now(), level, quote(message));
				ports.log(level, message);
			},
			warn: (warning) => {
				// A program's own words belong to the sentence, and stay as the program wrote them.
				keep(ports.now(), "warning", warning.detail === undefined ? fromMessage(warning) : quote(warning.message));
				ports.warn(warning);
			},
		}),
	};
}
