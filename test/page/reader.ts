import type { PublishedEvent } from "../../agent-host/protocol/events.ts";
import { type ChatPage, THREAD } from "./open-page.ts";

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
	const begun = await eventOf(page, "scroll");
	await endOfScroll(page, async () => {
		await page.tab.mouse.wheel(0, pixels);
		await begun();
		await meanwhile();
	});
}

/** Delivers an event in every frame, without waiting for anything else. */
export async function publishEachFrame(page: ChatPage, events: readonly PublishedEvent[]): Promise<void> {
	await page.tab.evaluate(
		async ([threadId, json]) => {
			for (const event of JSON.parse(json)) {
				const data = { type: "events", threadId, events: [event], loading: false };
				window.dispatchEvent(new MessageEvent("message", { data }));
				await new Promise(requestAnimationFrame);
			}
		},
		[THREAD, JSON.stringify(events)] as const,
	);
}

/** Scrolls over several frames and waits for the end of it. */
export async function scrollSmoothly(page: ChatPage, pixels: number): Promise<void> {
	const list = page.tab.locator("#transcript");
	await endOfScroll(page, () =>
		list.evaluate((element, by) => element.scrollBy({ top: by, behavior: "smooth" }), pixels),
	);
}

async function endOfScroll(page: ChatPage, scroll: () => Promise<void>): Promise<void> {
	const ended = await eventOf(page, "scrollend");
	await scroll();
	await ended();
	await page.painted();
}

/** Begins to listen to the thread; the function given waits for the event, which may have come before. */
async function eventOf(page: ChatPage, name: "scroll" | "scrollend"): Promise<() => Promise<unknown>> {
	const seen = await page.tab
		.locator("#transcript")
		.evaluateHandle(
			(list, type) => ({ promise: new Promise((resolve) => list.addEventListener(type, resolve, { once: true })) }),
			name,
		);
	return () => seen.evaluate(({ promise }) => promise.then(() => undefined));
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
			requestAnimationFrame(look);
		};
		requestAnimationFrame(look);
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
export async function sendOneByOne(page: ChatPage, events: readonly PublishedEvent[]): Promise<void> {
	await page.tab.evaluate(
		async ([threadId, json]) => {
			const rest = JSON.parse(json);
			while (rest.length > 0) {
				for (const event of rest.splice(0, 20)) {
					window.postMessage({ type: "events", threadId, events: [event], loading: false });
				}
				await new Promise((resolve) => setTimeout(resolve));
			}
		},
		[THREAD, JSON.stringify(events)] as const,
	);
}
