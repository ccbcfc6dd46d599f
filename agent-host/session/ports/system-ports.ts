import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Ports } from "./ports.ts";

/** The longest wait of a timer, almost 25 days: Node calls one that should wait longer at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The ports of a real process; the surface adds those of its client. */
export const SYSTEM_PORTS: Pick<Ports, "now" | "pause" | "setTimer" | "random" | "newId"> = {
	now: () => Date.now(),
	pause: (ms, signal) => delay(ms, undefined, { signal }),
	setTimer: (ms, work) => {
		const timer = setTimeout(work, Math.min(ms, MAX_TIMER_MS));
		return () => clearTimeout(timer);
	},
	random: () => Math.random(),
	newId: () => randomUUID(),
};
