import { readFileSync } from "node:fs";
import type { ChatPage } from "./chat-page.ts";

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What axe objects to, as one line each. */
export async function findViolations({ tab }: ChatPage): Promise<readonly string[]> {
	if (!(await tab.evaluate(() => "axe" in window))) await tab.evaluate(AXE);
	return tab.evaluate(async () => {
		// axe has put itself there.
		const { axe } = window as unknown as { readonly axe: typeof import("axe-core") };
		// Where in the page nobody asks, nor what is well.
		const { violations } = await axe.run(document, { resultTypes: ["violations"], selectors: false });
		return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
	});
}
