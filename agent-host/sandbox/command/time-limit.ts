import type { TimeLimit } from "../backend.ts";

export function createTimeLimit(ms: number): TimeLimit {
	let left = ms;
	let since: number | undefined;
	let pauses = 0;
	let timer: NodeJS.Timeout | undefined;
	let fire: (() => void) | undefined;
	const run = (): void => {
		if (fire === undefined || pauses > 0) return;
		since = performance.now();
		timer = setTimeout(fire, left);
	};
	const hold = (): void => {
		clearTimeout(timer);
		if (since !== undefined) left = Math.max(0, left - (performance.now() - since));
		since = undefined;
	};
	return {
		start: (over) => {
			fire = over;
			run();
		},
		pauseFor: async (wait) => {
			pauses += 1;
			hold();
			try {
				return await wait();
			} finally {
				pauses -= 1;
				run();
			}
		},
		extend: (more) => {
			hold();
			left = Math.max(left, more);
			run();
		},
		end: () => {
			fire = undefined;
			clearTimeout(timer);
		},
	};
}
