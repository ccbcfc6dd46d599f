import assert from "node:assert/strict";
import { test } from "node:test";
import { AThread } from "../page/a-thread.ts";
import type { ChatPage } from "../page/chat-page.ts";
import { usePages } from "../page/open-page.ts";
import { messagesFor, openFolds, PLACES, readText } from "./full-thread.ts";
import { NO_HARM, openWatched, type WatchedPage } from "./watched-page.ts";

const pages = usePages();
let watched: WatchedPage | undefined;

/** One for all tests, as each shows a thread of its own; the page of one that failed is gone. */
async function watch(): Promise<WatchedPage> {
	if (watched === undefined || watched.page.tab.isClosed()) watched = await openWatched(pages);
	return watched;
}

/** Characters nobody can see, or that change how others look; by name, as code points. */
const INVISIBLE: Record<string, readonly number[]> = {
	"C0 controls": [0x01, 0x07, 0x08, 0x0b, 0x0c, 0x1b, 0x1f],
	"delete and C1 controls": [0x7f, 0x80, 0x85, 0x90, 0x9b, 0x9c, 0x9d, 0x9f],
	"bidirectional controls": [
		0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
	],
	"zero-width characters": [0x00ad, 0x034f, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2064, 0x206f, 0xfeff],
	fillers: [0x115f, 0x1160, 0x17b4, 0x3164, 0xffa0],
	"separators and annotations": [0x2028, 0x2029, 0xfff9, 0xfffa, 0xfffb],
	"variation selectors": [0xfe00, 0xfe0e, 0xfe0f, 0xe0100, 0xe01ef],
	"tag characters": Array.from({ length: 0x80 }, (_, index) => 0xe0000 + index),
};

/** A name may be written in any way a person can read as that code point. */
function isEscaped(text: string, code: number): boolean {
	const hex = code.toString(16);
	return new RegExp(`\\\\u\\{0*${hex}\\}|\\\\x0*${hex}|U\\+0*${hex}|\\\\u0*${hex}`, "i").test(text);
}

/** Terminal control sequences in a command's output are left out; another test covers those. */
function isObeyed(code: number): boolean {
	return [0x07, 0x0e, 0x0f, 0x1b].includes(code) || (code >= 0x80 && code <= 0x9f);
}

/** Everything in the page that is text for the reader, attributes for tooltips and screen readers included. */
function readEverything(page: ChatPage): Promise<string> {
	return page.tab.evaluate(() => {
		const attributes = ["title", "aria-label", "placeholder"];
		const said = [...document.querySelectorAll("#app *")].flatMap((element) =>
			attributes.map((name) => element.getAttribute(name) ?? ""),
		);
		return [document.getElementById("app")?.textContent, ...said].join("\n");
	});
}

/** The code points left in a text that a reader does not see. Tabs and ends of lines are seen. */
function findHidden(text: string): string[] {
	const hidden = text.match(/(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/gu) ?? [];
	return [...new Set(hidden.map((character) => `U+${character.codePointAt(0)?.toString(16)}`))];
}

for (const [name, codes] of Object.entries(INVISIBLE)) {
	test(`${name} are shown as escapes in every place and never as they are`, async () => {
		const { page, findHarm } = await watch();
		const text = (place: string) => `${place}<${codes.map((code) => `a${String.fromCodePoint(code)}b`).join("")}>`;
		await page.tell(...messagesFor((place) => [text(place)]));
		await openFolds(page);
		const shown = await readText(page);
		const missing = PLACES.flatMap((place) => {
			const part = new RegExp(`${place}<([^>]*)>`).exec(shown)?.[1] ?? "";
			const due = place === "command-output" ? codes.filter((code) => !isObeyed(code)) : codes;
			return due.filter((code) => !isEscaped(part, code)).map((code) => `${place}: U+${code.toString(16)}`);
		});
		assert.deepEqual(
			{ missing, hidden: findHidden(await readEverything(page)), harm: await findHarm() },
			{ missing: [], hidden: [], harm: NO_HARM },
		);
	});
}

const SEQUENCES: Record<string, string> = {
	"a colour": "\u001b[31mred\u001b[0m",
	"a cursor movement": "safe\u001b[2K\u001b[1Aevil",
	"a link": "\u001b]8;;https://evil.invalid/\u0007text\u001b]8;;\u0007",
	"a clipboard write": "\u001b]52;c;ZXZpbA==\u0007",
	"a title": "\u001b]0;title\u001b\\",
	"a request for a report": '\u001bP$q"p\u001b\\\u001b[c',
	"one-byte sequences": "\u009b31mred\u009d0;t\u009c",
	backspaces: "evil\b\b\b\bsafe",
	"an overwritten line": "evil line\rsafe line",
};

for (const [name, sequence] of Object.entries(SEQUENCES)) {
	test(`${name} from a terminal is shown, not obeyed, in output, code and text`, async () => {
		const { page, findHarm } = await watch();
		await page.tell(...messagesFor(() => [sequence, `\`\`\`sh\n${sequence}\n\`\`\``]));
		await openFolds(page);
		const everything = await readEverything(page);
		const printable = sequence.match(/[ -~]{3,}/g) ?? [];
		assert.deepEqual(
			{
				lost: printable.filter((part) => !everything.includes(part)),
				hidden: findHidden(everything),
				harm: await findHarm(),
			},
			{ lost: [], hidden: [], harm: NO_HARM },
		);
	});
}

test("scripts and emoji that need invisible characters keep them", async () => {
	const { page } = await watch();
	const samples = ["👩‍👩‍👧", "❤️", "1️⃣", "🏳️‍🌈", "می‌خواهم", "क्‍ष"];
	await page.showThread(new AThread().turn().ask(samples.join(" ")).answer(samples.join(" ")).events);
	const shown = await readText(page);
	assert.deepEqual(
		samples.filter((sample) => shown.split(sample).length !== 3),
		[],
	);
});

const CODE = `a\u202eb\u200b\u{e0041}\u001b[8mhidden\u001b[0m\rover   \n\n${" ".repeat(300)}far away`;

test("a copy button copies exactly the text that its block shows", async () => {
	const { page } = await watch();
	const json = JSON.stringify({ path: `x\u202ey`, text: CODE, nested: { deep: [1, 2] } });
	const call = { kind: "toolCall", callId: "c", name: "t", title: "T", status: "completed" } as const;
	const thread = new AThread()
		.turn()
		.answer(`\`\`\`sh\n${CODE}\n\`\`\`\n\n    ${"indented\u200b"}\n\n~~~\nplain\u2066\n~~~`);
	thread.item({ kind: "reasoning", text: `\`\`\`\n${CODE}\n\`\`\`` });
	thread.item({ ...call, arguments: json, output: `${CODE}\r\nlast\r\n` });
	thread.item({ ...call, arguments: "not\u202e json", output: "" });
	await page.showThread(thread.end().events);
	await openFolds(page);
	await page.takePosted();
	const blocks = page.tab.locator(".code");
	const shown = await blocks.evaluateAll((all) =>
		all.map((block) => {
			// The last button of an answer's code copies; other blocks have only that one.
			[...block.querySelectorAll("button")].at(-1)?.click();
			return block.querySelector("pre")?.textContent;
		}),
	);
	const copied = (await page.takePosted()).map((message) => (message.type === "copy" ? message.text : message));
	assert.equal(shown.length, 7);
	assert.deepEqual(copied, shown);
	assert.deepEqual(findHidden(copied.join("")), []);
});

test("no part of a block is drawn invisibly", async () => {
	const { page } = await watch();
	await page.showThread(new AThread().turn().answer(`\`\`\`html\n${CODE}<!-- c --><b>x</b>\n\`\`\``).end().events);
	const faint = await page.tab.locator(".code pre *").evaluateAll((all) =>
		all
			.map((element) => ({ text: element.textContent, style: getComputedStyle(element) }))
			.filter(({ style }) => {
				const isHidden = style.visibility !== "visible" || style.display === "none" || Number(style.opacity) < 0.5;
				return isHidden || Number.parseFloat(style.fontSize) < 8 || /, 0\)$/.test(style.color);
			})
			.map(({ text }) => text),
	);
	assert.deepEqual(faint, []);
});
