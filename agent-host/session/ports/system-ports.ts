import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Ports } from "./ports.ts";

/** The ports of a real process; the surface adds those of its client. */
export const SYSTEM_PORTS: Pick<Ports, "now" | "pause" | "setTimer" | "random" | "newId"> = {
	now: () => Date.now(),
	pause: (ms, signal) => delay(ms, undefined, { signal }),
	setTimer: (ms, work) => {
		const timer = setTimeout(work, ms);
		return () => clearTimeout(timer);
	},
	random: () => Math.random(),
	newId: () => randomUUID(),
};
