import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditorChip, FromWebview, Mention } from "../../media/wire.ts";
import { aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import type { ChatPage } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();
let page: ChatPage;

const CHIPS: readonly EditorChip[] = [
	{ key: "activeFile retry.ts", kind: "activeFile", label: "retry.ts", title: "active file src/retry.ts", isOn: true },
	{
		key: "selection retry.ts 40-62",
		kind: "selection",
		label: "retry.ts:40-62",
		title: "src/retry.ts, lines 40 to 62",
		isOn: true,
	},
	{ key: "problems 2", kind: "problems", label: "2 problems", title: "2 problems in src/retry.ts", isOn: false },
];
const FOUND: readonly Mention[] = ["retry.ts", "retry.test.ts", "entry.ts"].map((label) => {
	return {
		key: `file ${label}`,
		kind: "file",
		label,
		title: `src/${label}`,
		name: `src/${label}`,
		detail: "src",
	};
});

async function openNew(chips: readonly EditorChip[] = []): Promise<void> {
	page = await pages.reuse();
	await page.tell(
		{ type: "panel", panel: aPanel() },
		{ type: "thread", threadId: null, title: "" },
		{ type: "editorChips", chips },
	);
	await prompt().fill("");
	await prompt().focus();
	await page.takePosted();
}

function prompt() {
	return page.tab.locator("#composer");
}

function options() {
	return page.tab.locator("#mention-list [role=option]");
}

/** Types, and answers the questions that this makes. Gives the last one. */
async function typeMention(text: string, mentions: readonly Mention[] = FOUND): Promise<string | undefined> {
	await page.tab.keyboard.type(text);
	let last: string | undefined;
	for (;;) {
		const asked = (await page.takePosted()).find((message) => message.type === "findMentions");
		if (asked === undefined) break;
		await page.tell({ type: "mentions", id: asked.id, mentions, isWhole: true });
		last = asked.query;
	}
	return last;
}

async function takeSubmit(): Promise<Extract<FromWebview, { type: "submit" }>> {
	const [message] = (await page.takePosted()).filter(({ type }) => type === "submit");
	assert.ok(message?.type === "submit");
	await page.tell({ type: "submitted", id: message.id });
	return message;
}

test("context whose chip is on is sent along, and a kind that is switched off stays off", async () => {
	await openNew(CHIPS);
	await prompt().fill("Why?");
	await prompt().press("Enter");
	assert.deepEqual((await takeSubmit()).attached, ["activeFile retry.ts", "selection retry.ts 40-62"]);
	const selection = page.tab.getByRole("button", { name: "Attach retry.ts:40-62: src/retry.ts, lines 40 to 62" });
	assert.equal(await selection.getAttribute("aria-pressed"), "true");
	await selection.click();
	await page.tab.getByRole("button", { name: "Attach 2 problems" }).click();
	await page.tell({ type: "editorChips", chips: CHIPS });
	await prompt().fill("And now?");
	await prompt().press("Enter");
	assert.deepEqual((await takeSubmit()).attached, ["activeFile retry.ts", "problems 2"]);
	await selection.click();
	await page.tab.getByRole("button", { name: "Attach 2 problems" }).click();
});

test("a mention is found while typing, picked by keyboard, stays as @name, and is sent once", async () => {
	await openNew();
	assert.equal(await typeMention("Look at @re"), "re");
	assert.equal(await typeMention("t"), "ret");
	assert.deepEqual(
		await options().allTextContents(),
		FOUND.map(({ label, detail }) => label + detail),
	);
	await page.tab.keyboard.press("ArrowDown");
	await page.tab.keyboard.press("ArrowDown");
	await page.tab.keyboard.press("ArrowUp");
	assert.equal(await prompt().getAttribute("aria-activedescendant"), "mention-1");
	assert.equal(await options().nth(1).getAttribute("aria-selected"), "true");
	await page.tab.keyboard.press("Enter");
	assert.equal(await prompt().inputValue(), "Look at @src/retry.test.ts ");
	assert.equal(await options().count(), 0);
	await page.tab.keyboard.type("please");
	await page.tab.keyboard.press("Enter");
	const { text, attached } = await takeSubmit();
	assert.deepEqual({ text, attached }, { text: "Look at @src/retry.test.ts please", attached: ["file retry.test.ts"] });
	assert.equal(await page.tab.locator(".context-chip").count(), 0);
});

test("where not every file is listed, the list says so, with and without matches, for as long as it is open", async () => {
	await openNew();
	const missing = "This workspace is too large to list every file.";
	const answer = async (mentions: readonly Mention[]): Promise<void> => {
		const asked = (await page.takePosted()).find((message) => message.type === "findMentions");
		await page.tell({ type: "mentions", id: asked?.id ?? "", mentions, isWhole: true, missing });
	};
	const said = page.tab.locator(".missing-files");
	await page.tab.keyboard.type("@");
	await answer(FOUND);
	assert.deepEqual([await options().count(), await said.textContent()], [FOUND.length, missing]);
	await page.tab.keyboard.type("x");
	await answer([]);
	assert.equal(await said.textContent(), missing);
	assert.equal(await page.tab.locator(".composer [role=status]").first().textContent(), `No matches. ${missing}`);
	await page.tab.keyboard.press("Escape");
	assert.equal(await said.count(), 0);
});

test("a chosen chip can be removed, and the text stays", async () => {
	await openNew();
	await typeMention("@");
	await options().first().click();
	await page.tab.getByRole("button", { name: "Remove src/retry.ts" }).click();
	await page.painted();
	await page.tab.keyboard.type("hm");
	await page.tab.keyboard.press("Enter");
	const { text, attached } = await takeSubmit();
	assert.deepEqual({ text, attached }, { text: "@src/retry.ts hm", attached: undefined });
});

test("Esc closes the list for that @ only, and does not count towards stopping the turn", async () => {
	page = await pages.reuse();
	await page.showThread(new AThread().turn().ask("Work").events);
	await prompt().fill("");
	await prompt().focus();
	await page.takePosted();
	await typeMention("@re");
	await page.tab.keyboard.press("Escape");
	assert.equal(await options().count(), 0);
	await page.tab.keyboard.type("t");
	assert.deepEqual(await page.takePosted(), []);
	assert.equal(await page.tab.getByText("Press Esc again to stop").count(), 0);
	await typeMention(" and @x");
	assert.equal(await options().count(), FOUND.length);
	await page.tab.keyboard.press("Escape");
});

test("keys of an input method do not choose, and an @ inside a word opens nothing", async () => {
	await openNew();
	await typeMention("@re");
	await prompt().evaluate((element) => {
		const init = { key: "Enter", bubbles: true, cancelable: true };
		element.dispatchEvent(new KeyboardEvent("keydown", { ...init, isComposing: true }));
		element.dispatchEvent(new KeyboardEvent("keydown", { ...init, keyCode: 229 }));
	});
	assert.equal(await prompt().inputValue(), "@re");
	assert.equal(await options().count(), FOUND.length);
	await prompt().fill("");
	await page.takePosted();
	await page.tab.keyboard.type("me@example");
	assert.deepEqual(await page.takePosted(), []);
});

test("a command's text and context go into the composer, and are sent only if the composer was empty", async () => {
	await openNew();
	const attach = [{ key: "problems x", kind: "problems", label: "a.ts:3", title: "Missing semicolon" }] as const;
	await page.tell({ type: "compose", text: "Fix the attached problem.", attach, how: "send" });
	const { text, attached } = await takeSubmit();
	assert.deepEqual({ text, attached }, { text: "Fix the attached problem.", attached: ["problems x"] });
	await prompt().fill("half a thought");
	await page.tell({ type: "compose", text: "Explain the selected code.", attach, how: "send" });
	assert.equal(await prompt().inputValue(), "half a thought\n\nExplain the selected code.");
	assert.deepEqual(await page.takePosted(), []);
	await page.tab.getByRole("button", { name: "Remove Missing semicolon" }).click();
	assert.deepEqual(page.errors, []);
});

interface Given {
	/** By their types. */
	readonly data?: Readonly<Record<string, string>>;
	readonly files?: readonly { readonly name: string; readonly bytes: readonly number[] }[];
}

/** Hands something to the prompt as the clipboard or a mouse does. Says whether the page took it over. */
function give(how: "paste" | "drop", { data = {}, files = [] }: Given): Promise<boolean> {
	return prompt().evaluate(
		(input, { how, data, files }) => {
			const transfer = new DataTransfer();
			for (const [type, text] of Object.entries(data)) transfer.setData(type, text);
			for (const { name, bytes } of files) transfer.items.add(new File([Uint8Array.from(bytes)], name));
			const init = { bubbles: true, cancelable: true };
			const event =
				how === "paste"
					? new ClipboardEvent("paste", { ...init, clipboardData: transfer })
					: new DragEvent("drop", { ...init, dataTransfer: transfer });
			return !input.dispatchEvent(event);
		},
		{ how, data, files },
	);
}

test("files dragged from the editor are requested by address, up to a limit, and become chips", async () => {
	await openNew();
	await prompt().fill("Compare");
	const uris = Array.from({ length: 21 }, (_, index) => `file:///repo/${index}.ts`);
	assert.ok(await give("drop", { data: { "application/vnd.code.uri-list": uris.join("\r\n"), "text/plain": "0.ts" } }));
	assert.deepEqual(await page.takePosted(), [{ type: "attachFiles", uris: uris.slice(0, 20) }]);
	const attach = [{ key: "file a", kind: "file" as const, label: "0.ts", title: "0.ts" }];
	await page.tell({ type: "compose", text: "", attach, how: "write" });
	await page.tab.locator('.context-chip[data-from="reader"]', { hasText: "0.ts" }).waitFor();
	assert.equal(
		await page.tab.locator(".composer-problem").textContent(),
		"Only the first 20 files are attached.",
		"said until the words change",
	);
	assert.deepEqual([await prompt().inputValue(), await page.takePosted()], ["Compare", []]);
	assert.equal(await give("paste", { data: { "text/uri-list": "https://example.org/" } }), false);
	assert.equal(await give("drop", { data: { "text/plain": "words" } }), false);
	await page.tab.getByRole("button", { name: "Remove 0.ts" }).click();
});

test("of many attachments the last ones are in view, and thread and prompt keep their room", async () => {
	await openNew();
	await page.tab.setViewportSize({ width: 290, height: 490 });
	await page.showThread(new AThread().turn().ask("Read them").answer("word ".repeat(400)).end().events);
	const attach = Array.from({ length: 30 }, (_, index) => {
		const label = `a-file-of-the-shop-${index}.ts`;
		return { key: label, kind: "file" as const, label, title: `src/${label}` };
	});
	await page.tell({ type: "compose", text: "Look at these", attach, how: "write" });
	const height = (await page.tab.locator(".composer").boundingBox())?.height ?? 490;
	assert.ok(height < 245, `the composer is ${height} px high`);
	const { bottom, end } = await page.tab.locator(".context-chips").evaluate((list) => ({
		bottom: list.getBoundingClientRect().bottom,
		end: list.lastElementChild?.getBoundingClientRect().bottom ?? Number.POSITIVE_INFINITY,
	}));
	assert.ok(end <= bottom + 1, `the last chip ends ${end - bottom} px below the list`);
	await page.tell({ type: "thread", threadId: null, title: "" });
});

test("a dropped text file is attached under its name; other or oversized files are refused with the reason", async () => {
	await openNew();
	const problem = page.tab.locator(".composer-problem");
	const notes = { name: "notes.txt", bytes: [...Buffer.from("größer\n")] };
	assert.ok(await give("drop", { files: [notes, { name: "a.out", bytes: [127, 69, 76, 70, 0, 255] }] }));
	await problem.getByText("a.out can't be read as text.").waitFor();
	assert.deepEqual(await page.takePosted(), [{ type: "attachText", name: "notes.txt", text: "größer\n" }]);
	assert.ok(await give("paste", { files: [{ name: "long.log", bytes: Array(20_001).fill(120) }] }));
	await problem.getByText("long.log is too long (limit 20,000 characters).").waitFor();
	assert.deepEqual(await page.takePosted(), []);
	assert.deepEqual([page.strangers, page.errors, await page.violations()], [[], [], []]);
});
