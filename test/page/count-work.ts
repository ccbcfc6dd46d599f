import type { ChatPage } from "./chat-page.ts";

/** What a page did meanwhile. Both are the same on any machine, however busy it is. */
export interface Work {
	/** Functions of the page's own script that were called. */
	readonly calls: number;
	/** Elements that were made, whether they are still there or not. */
	readonly elements: number;
}

export async function countWork({ tab }: ChatPage, work: () => Promise<unknown>): Promise<Work> {
	const devtools = await tab.context().newCDPSession(tab);
	await devtools.send("Profiler.enable");
	await devtools.send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
	const made = await tab.evaluateHandle(countElements);
	await devtools.send("Profiler.takePreciseCoverage");
	await work();
	const { result } = await devtools.send("Profiler.takePreciseCoverage");
	const own = result.filter(({ url }) => url.endsWith("/panel.js")).flatMap(({ functions }) => functions);
	const { count: elements } = await made.jsonValue();
	await devtools.detach();
	return { calls: own.reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0), elements };
}

/** Runs in the page. */
function countElements(): { count: number } {
	const made = { count: 0 };
	const { createElementNS } = Document.prototype;
	Document.prototype.createElementNS = function (this: Document, ...args: Parameters<typeof createElementNS>) {
		made.count++;
		return createElementNS.apply(this, args);
	} as typeof createElementNS;
	return made;
}
