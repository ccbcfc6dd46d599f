// Looks at every state of the panel. With VITRINE_PICTURES set, the pictures in docs/pictures are taken again.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ChatPage } from "./chat-page.ts";
import { findViolations } from "./find-violations.ts";
import { OPENED_AT, usePages } from "./open-page.ts";
import { STATES, type State } from "./states.ts";
import type { ThemeName } from "./themes.ts";

interface Look {
	readonly name: string;
	readonly theme: ThemeName;
	readonly width: number;
}

const LOOKS: readonly Look[] = [
	{ name: "light", theme: "light", width: 420 },
	{ name: "dark", theme: "dark", width: 420 },
	{ name: "contrast", theme: "contrast", width: 420 },
	{ name: "narrow", theme: "dark", width: 240 },
];
const HEIGHT = 640;
const FOLDER = join(import.meta.dirname, "../../docs/pictures");
const ARE_TAKEN = process.env.VITRINE_PICTURES !== undefined;

const pages = usePages();
if (ARE_TAKEN) mkdirSync(FOLDER, { recursive: true });

// The short run looks where most goes wrong: without colours, and without room, as at 200 % zoom.
const ALL = ARE_TAKEN || process.env.VITRINE_FULL !== undefined;
const LOOKED_AT = LOOKS.filter(({ name }) => ALL || name === "contrast" || name === "narrow");

for (const { name, theme, width } of LOOKED_AT) {
	test(`nothing overlaps, is cut off or too faint in this state: ${name}`, async () => {
		const found: string[] = [];
		let page: ChatPage | undefined;
		for (const [index, state] of STATES.entries()) {
			if (page === undefined || state.page !== STATES[index - 1]?.page) page = await openFor(state, { theme, width });
			await state.show(page);
			// What the pointer rests on looks different.
			await page.tab.mouse.move(width - 1, HEIGHT - 1);
			await page.painted();
			// Roles, names and colours do not depend on the width; the long run asks axe all the same.
			const violations = ALL || name === "contrast" ? await findViolations(page) : [];
			found.push(...[...(await findFlaws(page)), ...violations].map((flaw) => `${state.name}: ${flaw}`));
			if (ARE_TAKEN)
				await page.tab.screenshot({ path: join(FOLDER, `${state.name}-${name}.png`), animations: "disabled" });
			await page.setClock(OPENED_AT);
			if ((await page.tab.locator("#find").count()) > 0) await page.tab.locator("#find").press("Escape");
		}
		assert.deepEqual(found, []);
	});
}

// Long words in the narrowest panel; only the long run has the time.
if (process.env.VITRINE_FULL !== undefined) {
	test("nothing overlaps or is cut off in any state: 168 px, in German", async () => {
		const found: string[] = [];
		for (const state of STATES.filter(({ page }) => page === undefined)) {
			const page = await pages.open({ theme: "light", width: 168, height: HEIGHT, language: "de" });
			await state.show(page);
			await page.painted();
			found.push(...(await findFlaws(page)).map((flaw) => `${state.name}: ${flaw}`));
		}
		assert.deepEqual(found, []);
	});
}

test("every picture is judged on the page beside the pictures", () => {
	const rows = STATES.map(
		({ name, judgement }) =>
			`| ${LOOKS.map((one) => `![${name}, ${one.name}](${name}-${one.name}.png)`).join(" ")} | ${judgement} |`,
	);
	const page = [
		"# Pictures of the panel",
		"Taken by `VITRINE_PICTURES=1 node --test test/page/pictures.test.ts`, which also looks for overlaps, cut text and faint colors. Ten of them as they once were: [before and after](before.md).",
		`| State | What it shows |\n| --- | --- |\n${rows.join("\n")}`,
		"The whole window, taken by `test/editor/pictures.full.ts`: chat, changes and diff side by side.",
		"![the window, light](window-light.png) ![the window, dark](window-dark.png)",
		"A preview of a compaction: what it does, and the summary to edit before it is applied.",
		"![the preview, light](preview-light.png) ![the preview, dark](preview-dark.png)\n",
	].join("\n\n");
	if (ARE_TAKEN) writeFileSync(join(FOLDER, "README.md"), page);
	assert.equal(readFileSync(join(FOLDER, "README.md"), "utf8"), page);
});

/** In the editor there is twice the room of a side bar. */
function openFor({ page: name }: State, { theme, width }: Omit<Look, "name">): Promise<ChatPage> {
	const room = name === "inspector" ? { page: name, width: 2 * width } : { width };
	return pages.open({ theme, height: HEIGHT, ...room });
}

/** What a person would object to, as one line each. */
function findFlaws(page: ChatPage): Promise<readonly string[]> {
	return page.tab.evaluate(() => {
		const flaws: string[] = [];
		/** What the boxes that scroll leave of it, and the answers of a card, which stay in place above what scrolls. */
		const visiblePart = (element: Element) => {
			let { left, right, top, bottom } = element.getBoundingClientRect();
			for (let box = element.parentElement; box; box = box.parentElement) {
				if (getComputedStyle(box).overflowY === "visible") continue;
				const frame = box.getBoundingClientRect();
				[left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
				[top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
			}
			const answers = element.closest(".approval")?.querySelector(".answers");
			if (answers && !answers.contains(element)) bottom = Math.min(bottom, answers.getBoundingClientRect().top);
			return { left, right, top, bottom };
		};
		const inked = [
			...document.querySelectorAll<HTMLElement>(
				"button, textarea, input, a, h2, .plain, .chip-text, .status span, .facts > *, .queued-text",
			),
		].filter(
			(element) =>
				element.checkVisibility({ opacityProperty: true }) &&
				element.getBoundingClientRect().width > 0 &&
				!element.closest(".sr-only"),
		);
		for (const element of inked) {
			const { overflowX, textOverflow } = getComputedStyle(element);
			const isCut =
				element.scrollWidth > element.clientWidth + 1 && overflowX === "hidden" && textOverflow !== "ellipsis";
			const { left, right } = element.getBoundingClientRect();
			const isOutside = left < -0.5 || right > innerWidth + 0.5;
			if ((isCut || isOutside) && !element.closest("pre, .output, .table, .diff"))
				flaws.push(`cut: ${element.outerHTML.slice(0, 120)}`);
		}
		if (document.documentElement.scrollWidth > innerWidth) flaws.push("the page scrolls sideways");
		const buttons = inked.filter((element) => element.matches("button, textarea, input"));
		for (const [index, one] of buttons.entries()) {
			for (const other of buttons.slice(index + 1)) {
				const [a, b] = [visiblePart(one), visiblePart(other)];
				const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
				const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
				if (across > 1 && down > 1)
					flaws.push(`overlap: ${one.outerHTML.slice(0, 90)} ${other.outerHTML.slice(0, 90)}`);
			}
		}
		return flaws;
	});
}
