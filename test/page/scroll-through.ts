import type { ChatPage } from "./chat-page.ts";

/** Scrolls the list by a line at a time until its end, as a wheel does. */
export async function scrollThrough(page: ChatPage, selector: string): Promise<void> {
	const element = page.tab.locator(selector).first();
	for (let last = -1, at = 0; at !== last; ) {
		last = at;
		at = await element.evaluate((one) => {
			one.scrollTop += 30;
			return one.scrollTop;
		});
		await page.painted();
	}
}
