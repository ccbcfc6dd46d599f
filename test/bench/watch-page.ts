import type { ChatPage } from "../page/chat-page.ts";

/** What a page was like while something happened: milliseconds, and shares in percent. */
export interface Streamed {
	/** From a key to its letter in the prompt, for each key. */
	readonly handled: readonly number[];
	/** From a key to the end of the frame that shows it. */
	readonly painted: readonly number[];
	/** From each frame to the next. */
	readonly frames: readonly number[];
	readonly dropped: number;
	readonly busy: number;
}

export interface Watch {
	readonly during: (work: () => Promise<void>) => Promise<Streamed>;
	/** Megabytes that are in use after everything else was thrown away. */
	readonly heap: () => Promise<number>;
}

const FRAME_MS = 1_000 / 60;
const MEGABYTE = 1_048_576;

export async function watchPage({ tab }: ChatPage): Promise<Watch> {
	const devtools = await tab.context().newCDPSession(tab);
	await devtools.send("Performance.enable");
	const busySeconds = async () => {
		const { metrics } = await devtools.send("Performance.getMetrics");
		return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
	};
	return {
		during: async (work) => {
			const seen = await tab.evaluateHandle(noteFramesAndKeys);
			const [busy, start] = [await busySeconds(), performance.now()];
			await work();
			const busyMs = ((await busySeconds()) - busy) * 1_000;
			const took = performance.now() - start;
			const { at, handled, painted } = await seen.jsonValue();
			const frames = at.slice(1).map((time, index) => time - (at[index] ?? time));
			const due = frames.reduce((sum, ms) => sum + Math.max(1, Math.round(ms / FRAME_MS)), 0);
			const dropped = (100 * (due - frames.length)) / due;
			return { handled, painted, frames, dropped, busy: (100 * busyMs) / took };
		},
		heap: async () => {
			await devtools.send("HeapProfiler.collectGarbage");
			return (await devtools.send("Runtime.getHeapUsage")).usedSize / MEGABYTE;
		},
	};
}

/** Runs in the page. */
function noteFramesAndKeys() {
	const seen: { readonly at: number[]; readonly handled: number[]; readonly painted: number[] } = {
		at: [],
		handled: [],
		painted: [],
	};
	const nextFrame = (time: number): void => {
		seen.at.push(time);
		requestAnimationFrame(nextFrame);
	};
	requestAnimationFrame(nextFrame);
	let pressed = 0;
	const onKey = (event: Event): void => {
		pressed = event.timeStamp;
		const start = pressed;
		requestAnimationFrame(() => {
			const { port1, port2 } = new MessageChannel();
			// A message sent inside of a frame arrives when that frame has been painted.
			port1.onmessage = () => seen.painted.push(performance.now() - start);
			port2.postMessage(null);
		});
	};
	window.addEventListener("keydown", onKey, { capture: true });
	window.addEventListener("input", () => seen.handled.push(performance.now() - pressed));
	return seen;
}
