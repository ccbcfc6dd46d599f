import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";

interface SeenRow {
	readonly key: string;
	/** Pixels from the window's top. */
	readonly top: number;
	readonly height: number;
}

/** The first row of which anything can be seen. */
export function firstVisible(page: ChatPage): Promise<SeenRow> {
	return page.tab.locator("#transcript").evaluate((list) => {
		const view = list.getBoundingClientRect();
		for (const row of list.querySelectorAll<HTMLElement>("[data-row]")) {
			const { top, bottom, height } = row.getBoundingClientRect();
			if (bottom > view.top + 1) return { key: row.dataset.row ?? "", top, height };
		}
		throw new Error("no row is in sight");
	});
}

export async function scrollBy(page: ChatPage, pixels: number): Promise<void> {
	await page.tab.locator("#transcript").evaluate((list, by) => list.scrollBy({ top: by, behavior: "instant" }), pixels);
	await page.painted();
}

/** Turns the wheel over the thread, does something as soon as that scrolls, and waits for the end of both. */
export async function turnWheel(page: ChatPage, pixels: number, meanwhile: () => Promise<void>): Promise<void> {
	await page.tab.mouse.move(100, 200);
	const scrolling = await followScrolling(page, pixels);
	await page.tab.mouse.wheel(0, pixels);
	await scrolling.hasBegun();
	await meanwhile();
	await scrolling.hasEnded();
}

/** Delivers events as a message each, so many in every frame, without waiting for anything else. */
export async function publishEachFrame(page: ChatPage, events: readonly PublishedEvent[], each = 1): Promise<void> {
	await page.tab.evaluate(
		async ([threadId, json, perFrame]) => {
			const rest = JSON.parse(json);
			while (rest.length > 0) {
				for (const event of rest.splice(0, perFrame)) {
					const data = { type: "events", threadId, events: [event], loading: false };
					window.dispatchEvent(new MessageEvent("message", { data }));
				}
				await window.stub.nextFrame();
			}
		},
		[THREAD, JSON.stringify(events), each] as const,
	);
}

/** Scrolls over several frames and waits for the end of it. */
export async function scrollSmoothly(page: ChatPage, pixels: number): Promise<void> {
	const scrolling = await followScrolling(page, pixels);
	await page.tab.locator("#transcript").evaluate((list, by) => list.scrollBy({ top: by, behavior: "smooth" }), pixels);
	await scrolling.hasEnded();
}

/** Watches the reader's scroll into that direction; what the page itself scrolls meanwhile, to follow the end, is not it. */
async function followScrolling(page: ChatPage, pixels: number) {
	const seen = await page.tab.locator("#transcript").evaluateHandle((list, direction) => {
		const seen = { hasBegun: false, isAtRest: true };
		let last = list.scrollTop;
		list.addEventListener("scroll", () => {
			if (Math.sign(list.scrollTop - last) === direction) seen.hasBegun = true;
			last = list.scrollTop;
			seen.isAtRest = false;
		});
		list.addEventListener("scrollend", () => {
			seen.isAtRest = true;
		});
		return seen;
	}, Math.sign(pixels));
	return {
		hasBegun: () => page.tab.waitForFunction(({ hasBegun }) => hasBegun, seen),
		hasEnded: async () => {
			await page.tab.waitForFunction(({ hasBegun, isAtRest }) => hasBegun && isAtRest, seen);
			await page.painted();
		},
	};
}

/** Notes where a row was painted in every frame, so that a jump of a single frame is seen too. */
export async function watchRow(page: ChatPage, key: string): Promise<{ readonly movement: () => Promise<number> }> {
	const tops = await page.tab.evaluateHandle((wanted) => {
		const seen: number[] = [];
		// An intersection is computed where nothing can change any more before the frame is painted.
		const observer = new IntersectionObserver((entries) => {
			for (const { boundingClientRect } of entries) seen.push(boundingClientRect.top);
		});
		const look = (): void => {
			const row = document.querySelector(`[data-row="${wanted}"]`);
			observer.disconnect();
			if (row) observer.observe(row);
			else seen.push(Number.POSITIVE_INFINITY);
			void window.stub.nextFrame().then(look);
		};
		void window.stub.nextFrame().then(look);
		return seen;
	}, key);
	return {
		movement: async () => {
			await page.painted();
			const seen = await tops.jsonValue();
			return Math.max(...seen) - Math.min(...seen);
		},
	};
}

/** Posts each event as a message of its own, as the extension does, some of them every few milliseconds. */
export async function sendOneByOne(page: ChatPage, events: readonly PublishedEvent[], each = 20): Promise<void> {
	await page.tab.evaluate(
		async ([threadId, json, some]) => {
			const rest = JSON.parse(json);
			while (rest.length > 0) {
				for (const event of rest.splice(0, some)) {
					window.postMessage({ type: "events", threadId, events: [event], loading: false });
				}
				await new Promise((resolve) => setTimeout(resolve));
			}
		},
		[THREAD, JSON.stringify(events), each] as const,
	);
}
