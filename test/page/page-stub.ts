import type { FromWebview } from "../../media/wire.ts";

/** What stands for VS Code in the page, and for time. */
export interface Stub extends Clock, Drawing {
	/** What the page posted since a test last took it. */
	readonly posted: FromWebview[];
	/** What it has kept for the page that takes its place, the newest last. */
	readonly kept: Extract<FromWebview, { readonly type: "keep" }>[];
	/** The beginning of everything it posted, the newest last. */
	readonly postedEver: string[];
	/** Everything the policy refused. */
	readonly violations: string[];
}

interface Clock {
	/** Sets what the page's clock shows; only `pass` lets time go by. */
	readonly setClock: (at: number) => void;
	/** Lets time go by for the page: timers that are due run, each at its time. */
	readonly pass: (ms: number) => Promise<void>;
}

interface Drawing {
	/** Waits until nothing is left to draw, or fails with what still is. */
	readonly settle: () => Promise<void>;
	/** The browser's own next frame, which `settle` does not wait for. */
	readonly nextFrame: () => Promise<number>;
}

declare global {
	interface Window {
		readonly stub: Stub;
	}
}

/**
 * The script that runs before the page's own. With a time to start at, the page's clock stands still there: however
 * long a test takes, no time goes by for the page. Without one it runs as any other.
 */
export function renderStub(startsAt: number | undefined): string {
	const parts = [stopClock, followDrawing, standForEditor].join("\n");
	const drawing = `followDrawing(${startsAt === undefined ? 500 : "clock.drawingMs"})`;
	const clock = startsAt === undefined ? "undefined" : `stopClock(${startsAt})`;
	return `(() => {\n${parts}\nconst clock = ${clock};\nstandForEditor({ ...clock, ...${drawing} });\n})()`;
}

type Run = (...args: readonly unknown[]) => void;

/** Runs in the page. */
function stopClock(startsAt: number): Clock & { readonly drawingMs: number } {
	/** Timers up to this long are how the page and its libraries draw: they run all the same. */
	const drawingMs = 100;
	const { setTimeout: start, clearTimeout: stop } = window;
	let [epoch, time, last] = [startsAt, 0, 1_000_000];
	const held = new Map<number, { readonly due: number; readonly every?: number; readonly run: () => void }>();
	const hold = (due: number, run: () => void, every?: number): number => {
		last++;
		held.set(last, { due, run, ...(every === undefined ? {} : { every }) });
		return last;
	};
	const clear = (timer: number): void => {
		held.delete(timer);
		stop(timer);
	};
	Object.assign(window, {
		setTimeout: (run: Run, ms = 0, ...args: readonly unknown[]) =>
			ms > drawingMs ? hold(time + ms, () => run(...args)) : start(run, ms, ...args),
		setInterval: (run: Run, ms = 0, ...args: readonly unknown[]) => hold(time + ms, () => run(...args), ms),
		clearTimeout: clear,
		clearInterval: clear,
	});
	Date.now = () => epoch + time;
	performance.now = () => time;
	Object.defineProperty(Event.prototype, "timeStamp", { get: () => time });
	const pass = async (ms: number): Promise<void> => {
		const end = time + ms;
		for (;;) {
			const [next] = [...held].filter(([, { due }]) => due <= end).sort(([, a], [, b]) => a.due - b.due);
			if (next === undefined) break;
			const [timer, { due, every, run }] = next;
			time = due;
			if (every === undefined) held.delete(timer);
			else held.set(timer, { due: due + every, every, run });
			run();
			// What that changes may start or stop another one.
			await Promise.resolve();
		}
		time = end;
	};
	const setClock = (at: number): void => {
		epoch = at - time;
	};
	return { drawingMs, setClock, pass };
}

/** Runs in the page. Timers up to so many milliseconds count as drawing. */
function followDrawing(drawingMs: number): Drawing {
	/** What a frame's layout asks for comes with the next frame, so a single quiet one says nothing. */
	const quietFrames = 2;
	/** Frames, not time: what is slow on a busy machine is not stuck. */
	const giveUpAfter = 1_000;
	const { setTimeout: start, clearTimeout: stop, requestAnimationFrame: ask, cancelAnimationFrame: cancel } = window;
	const [timers, frames] = [new Set<number>(), new Set<number>()];
	Object.assign(window, {
		setTimeout: (run: Run, ms = 0, ...args: readonly unknown[]): number => {
			const timer = start(() => {
				timers.delete(timer);
				run(...args);
			}, ms);
			if (ms <= drawingMs) timers.add(timer);
			return timer;
		},
		clearTimeout: (timer: number): void => {
			timers.delete(timer);
			stop(timer);
		},
		requestAnimationFrame: (run: FrameRequestCallback): number => {
			const frame = ask((at) => {
				frames.delete(frame);
				run(at);
			});
			frames.add(frame);
			return frame;
		},
		cancelAnimationFrame: (frame: number): void => {
			frames.delete(frame);
			cancel(frame);
		},
	});
	let changed: Node | undefined;
	const observer = new MutationObserver((records) => {
		changed = records.at(-1)?.target;
	});
	observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
	const nextFrame = () => new Promise<number>((resolve) => ask(resolve));
	const whatIsLeft = (): string => {
		const element = changed instanceof Element ? changed : changed?.parentElement;
		const left = { frames: frames.size, timers: timers.size, fonts: document.fonts.status };
		return JSON.stringify({ ...left, changed: element?.outerHTML.slice(0, 200) });
	};
	const settle = async (): Promise<void> => {
		for (let [quiet, frame] = [0, 0]; quiet < quietFrames; frame++) {
			if (frame === giveUpAfter) throw new Error(`The page goes on drawing: ${whatIsLeft()}`);
			changed = undefined;
			await nextFrame();
			const isAtWork = frames.size > 0 || timers.size > 0 || document.fonts.status === "loading";
			quiet = changed || isAtWork ? 0 : quiet + 1;
		}
	};
	return { settle, nextFrame };
}

/** Runs in the page. */
function standForEditor(rest: Clock & Drawing): void {
	const stub: Stub = { ...rest, posted: [], kept: [], postedEver: [], violations: [] };
	document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
		stub.violations.push([violatedDirective, blockedURI, sample].join(" "));
	});
	// A page that is opened begins without a state; one that is loaded again finds its own.
	const opened = new URLSearchParams(location.search).get("opened") ?? "";
	if (sessionStorage.getItem("opened") !== opened) sessionStorage.clear();
	sessionStorage.setItem("opened", opened);
	const api = {
		postMessage: (message: FromWebview) => {
			if (message.type === "keep") {
				stub.kept.push(message);
				return;
			}
			stub.posted.push(message);
			stub.postedEver.push(JSON.stringify(message).slice(0, 500));
		},
		getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
		setState: (state: unknown) => sessionStorage.setItem("state", JSON.stringify(state)),
	};
	Object.assign(window, { stub, acquireVsCodeApi: () => api });
}
