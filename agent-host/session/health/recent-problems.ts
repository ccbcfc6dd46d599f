import type { Ports } from "../ports/ports.ts";

const MAX_KEPT = 20;
const MAX_CHARS = 500;

/** Recent problems, oldest first. */
export interface RecentProblems {
	readonly read: () => readonly string[];
	/** Wraps ports; what is logged or warned through them is remembered. */
	readonly watch: (ports: Ports) => Ports;
}

export function createRecentProblems(): RecentProblems {
	let kept: readonly string[] = [];
	const keep = (now: number, words: string): void => {
		kept = [...kept, `${new Date(now).toISOString()} ${words.replaceAll(/\s+/g, " ").slice(0, MAX_CHARS)}`].slice(
			-MAX_KEPT,
		);
	};
	return {
		read: () => kept,
		watch: (ports) => ({
			...ports,
			log: (level, message) => {
				if (level !== "info") keep(ports.now(), `${level}: ${message}`);
				ports.log(level, message);
			},
			warn: (warning) => {
				keep(ports.now(), `warning: ${warning.message}`);
				ports.warn(warning);
			},
		}),
	};
}
