import type { ChatPage } from "./chat-page.ts";

/** Gives a page in a tab of its own so much height that its list draws all of a thread. */
export async function makeTall({ tab }: ChatPage, width: number, height: number): Promise<void> {
	const browser = await tab.context().newCDPSession(tab);
	// A hundredth of the pixels: nobody looks at them, and painting would take most of the time.
	const metrics = { width, height, deviceScaleFactor: 0.1, mobile: false };
	await browser.send("Emulation.setDeviceMetricsOverride", metrics);
}
