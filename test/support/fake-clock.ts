import type { Ports } from "../../agent-host/session/ports/ports.ts";

/** The time ports of a session, standing still until a test moves them. */
export interface FakeClock extends Pick<Ports, "now" | "pause" | "setTimer"> {
	/** Moves time on and runs what falls due on the way, in order, each at its own moment. */
	advance(ms: number): void;
	/** Sets the clock to another time, as a user or a time server does; nothing falls due by that. */
	set(now: number): void;
	/** How many timers wait. */
	readonly waiting: number;
}

interface Timer {
	readonly due: number;
	readonly work: () => void;
}

export function createFakeClock(start = 1_700_000_000_000): FakeClock {
	let now = start;
	let elapsed = 0;
	// In order of being set, which decides between timers of one moment.
	const timers = new Set<Timer>();

	function setTimer(ms: number, work: () => void): () => void {
		const timer = { due: elapsed + Math.max(0, ms), work };
		timers.add(timer);
		return () => timers.delete(timer);
	}

	function earliest(until: number): Timer | undefined {
		return [...timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0];
	}

	function moveTo(moment: number): void {
		now += moment - elapsed;
		elapsed = moment;
	}

	return {
		now: () => now,
		setTimer,
		pause(ms, signal) {
			return new Promise((resolve, reject) => {
				signal.throwIfAborted();
				const cancel = setTimer(ms, resolve);
				signal.addEventListener("abort", () => {
					cancel();
					reject(signal.reason);
				});
			});
		},
		advance(ms) {
			const until = elapsed + ms;
			for (let timer = earliest(until); timer; timer = earliest(until)) {
				timers.delete(timer);
				moveTo(timer.due);
				timer.work();
			}
			moveTo(until);
		},
		set(moment) {
			now = moment;
		},
		get waiting() {
			return timers.size;
		},
	};
}
