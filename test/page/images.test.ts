import assert from "node:assert/strict";
import { test } from "node:test";
import { aPng } from "../support/an-image.ts";
import { aNextTurn, aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import type { ChatPage } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

const PNG = aPng(40, 30).toString("base64");
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString("base64");

interface GivenFile {
	readonly name: string;
	readonly type: string;
	readonly data: string;
}

/** Hands files to the prompt as the clipboard or a mouse does. Says whether the page took them over. */
function give(page: ChatPage, how: "paste" | "drop", files: readonly GivenFile[]): Promise<boolean> {
	return page.tab.locator("#composer").evaluate(
		(input, { how, files }) => {
			const transfer = new DataTransfer();
			for (const { name, type, data } of files) {
				transfer.items.add(new File([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], name, { type }));
			}
			const init = { bubbles: true, cancelable: true };
			const event =
				how === "paste"
					? new ClipboardEvent("paste", { ...init, clipboardData: transfer })
					: new DragEvent("drop", { ...init, dataTransfer: transfer });
			return !input.dispatchEvent(event);
		},
		{ how, files },
	);
}

test("a model that reads no images is reported before images are sent to it, with the way to another model", async () => {
	const page = await pages.open();
	const next = aNextTurn({ model: "acme-coder", readsImages: false });
	await page.tell({ type: "thread", threadId: null, title: "" }, { type: "panel", panel: aPanel({ next }) });
	await give(page, "paste", [{ name: "one.png", type: "image/png", data: PNG }]);
	const note = page.tab.locator(".attached-note");
	await note.waitFor();
	assert.match(await note.innerText(), /acme-coder may not support images, so they won't be sent\. Change Model/);
	await page.takePosted();
	await note.getByRole("button").click();
	assert.deepEqual(await page.takePosted(), [{ type: "run", command: "changeModel" }]);
	await page.tell({ type: "panel", panel: aPanel({ next: aNextTurn() }) });
	assert.equal(await note.count(), 0);
});

test("images can be pasted and dropped, are shown small, can be removed and sent, and go once they were accepted", async () => {
	const page = await pages.open();
	await page.tell({ type: "panel", panel: aPanel() }, { type: "thread", threadId: null, title: "" });
	await page.takePosted();
	const thumbnails = page.tab.locator(".thumbnail");
	assert.ok(await give(page, "paste", [{ name: "one.png", type: "image/png", data: PNG }]));
	assert.ok(await give(page, "drop", [{ name: "two.png", type: "image/png", data: PNG }]));
	await thumbnails.nth(1).waitFor();
	assert.equal(
		await thumbnails
			.first()
			.locator("img")
			.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
		40,
	);
	await page.tab.getByRole("button", { name: "Remove one.png" }).click();
	assert.equal(await thumbnails.count(), 1);
	assert.equal(await page.tab.locator("#send").isDisabled(), true, "an image without a word is no prompt");
	await page.tab.locator("#composer").fill("Look at this.");
	await page.tab.locator("#send").click();
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "submit");
	assert.deepEqual([sent.text, sent.images], ["Look at this.", [PNG]]);
	await page.tell({ type: "submitted", id: sent.id, problem: "Busy." });
	assert.equal(await thumbnails.count(), 1, "refused: the image stays");
	await page.tab.locator("#send").click();
	const [again] = await page.takePosted();
	assert.ok(again?.type === "submit");
	await page.tell({ type: "submitted", id: again.id });
	assert.equal(await thumbnails.count(), 0);
	assert.equal(await give(page, "paste", []), false, "text is the browser's to insert");
	assert.deepEqual([page.strangers, page.errors, await page.violations()], [[], [], []]);
});

test("attachments belong to their draft: no other thread has them, and they go once the prompt was accepted", async () => {
	const page = await pages.open();
	const go = (threadId: string | null) => page.tell({ type: "thread", threadId, title: "A thread" });
	const thumbnails = page.tab.locator(".thumbnail");
	const attached = async () => [await thumbnails.count(), await page.tab.getByText("notes.txt").count()];
	await page.tell({ type: "panel", panel: aPanel() });
	await go("thread-1");
	const notes = { key: "file notes.txt", kind: "file", label: "notes.txt", title: "notes.txt" } as const;
	await page.tell({ type: "compose", text: "", attach: [notes], how: "write" });
	await give(page, "paste", [{ name: "one.png", type: "image/png", data: PNG }]);
	await thumbnails.first().waitFor();
	assert.deepEqual(await attached(), [1, 1]);
	await go("thread-2");
	assert.deepEqual(await attached(), [0, 0]);
	await go("thread-1");
	assert.deepEqual(await attached(), [1, 1]);

	await page.tab.locator("#composer").fill("Look at this.");
	await page.takePosted();
	await page.tab.locator("#send").click();
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "submit");
	assert.deepEqual([sent.images, sent.attached], [[PNG], [notes.key]]);
	await go("thread-2");
	await page.tell({ type: "submitted", id: sent.id });
	await go("thread-1");
	assert.deepEqual(await attached(), [0, 0]);

	await go(null);
	await give(page, "paste", [{ name: "two.png", type: "image/png", data: PNG }]);
	await thumbnails.first().waitFor();
	await page.tell({ type: "opening", threadId: "thread-3", begun: true });
	assert.deepEqual(await attached(), [1, 0], "its thread has begun");
});

test("a file that is no image is refused with the reason, whatever its name, and is never drawn", async () => {
	const page = await pages.open();
	await page.tell({ type: "panel", panel: aPanel() }, { type: "thread", threadId: null, title: "" });
	const problem = page.tab.locator(".composer-problem");
	await give(page, "paste", [{ name: "a.svg", type: "image/svg+xml", data: SVG }]);
	await problem.getByText("a.svg is not a PNG, JPEG, GIF or WebP image.").waitFor();
	await give(page, "drop", [{ name: "b.png", type: "image/png", data: SVG }]);
	await problem.getByText("b.png can't be read as an image.").waitFor();
	assert.equal(await page.tab.locator("img").count(), 0);
	await page.tab.locator("#composer").fill("Then without.");
	assert.equal(await problem.textContent(), "");
});

test("images of a prompt are requested when seen, open with a click, and say when they are gone", async () => {
	const page = await pages.open();
	const [here, gone] = ["a".repeat(64), "b".repeat(64)];
	const facts = { mediaType: "image/png", width: 40, height: 30, bytes: 100 } as const;
	const images = [here, gone].map((id) => ({ ...facts, id }));
	await page.takePosted();
	const thread = new AThread().turn().item({ kind: "userMessage", messageKind: "plain", text: "Look.", images });
	await page.showThread(thread.answer("A shot.").end().events);
	assert.deepEqual(await page.takePosted(), [
		{ type: "readImage", imageId: here },
		{ type: "readImage", imageId: gone },
	]);
	const url = `data:image/png;base64,${PNG}`;
	await page.tell({ type: "image", imageId: here, url }, { type: "image", imageId: gone, url: "" });
	await page.tab.getByText("Image, 40 × 30 is missing or damaged.").waitFor();
	const image = page.tab.getByRole("button", { name: "Image, 40 × 30" });
	assert.equal(await image.getAttribute("aria-expanded"), "false");
	await image.click();
	assert.equal(await image.getAttribute("aria-expanded"), "true");
	const shown = image.locator("img");
	assert.equal(await shown.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalHeight)), 30);
	await page.publish(
		thread.next({
			type: "rolledBack",
			turnIds: thread.events.flatMap(({ event }) => (event.type === "turnStarted" ? [event.turnId] : [])),
		}),
	);
	assert.equal(await page.tab.locator(".thumbnail").count(), 1, "what is here comes back with the words");
	assert.deepEqual([page.strangers, page.errors, await page.violations()], [[], [], []]);
});

test("a message to a running turn carries its images, which go once it was accepted", async () => {
	const page = await pages.open();
	await page.showThread(new AThread().turn().ask("Work").events);
	await give(page, "paste", [{ name: "one.png", type: "image/png", data: PNG }]);
	await page.tab.locator(".thumbnail").waitFor();
	const prompt = page.tab.locator("#composer");
	await prompt.fill("look");
	await page.takePosted();
	await prompt.press("Control+Enter");
	const [said] = await page.takePosted();
	assert.ok(said?.type === "steer");
	assert.deepEqual([said.text, said.images], ["look", [PNG]]);
	await page.tell({ type: "submitted", id: said.id, problem: "Not now." });
	assert.equal(await page.tab.locator(".thumbnail").count(), 1);
	await prompt.press("Control+Enter");
	const [again] = await page.takePosted();
	assert.ok(again?.type === "steer");
	await page.tell({ type: "submitted", id: again.id });
	assert.deepEqual([await prompt.inputValue(), await page.tab.locator(".thumbnail").count()], ["", 0]);
});

test("a queued message keeps its images: they leave and return with it, and are reported missing after a reload", async () => {
	const page = await pages.open();
	const thread = new AThread().turn().ask("Work");
	await page.showThread(thread.events);
	const prompt = page.tab.locator("#composer");
	const thumbnails = () => page.tab.locator(".thumbnail").count();
	const queue = async (text: string) => {
		await give(page, "paste", [{ name: `${text}.png`, type: "image/png", data: PNG }]);
		await page.tab.locator(".thumbnail").waitFor();
		await prompt.fill(text);
		await prompt.press("Enter");
	};
	await queue("one");
	assert.deepEqual([await prompt.inputValue(), await thumbnails()], ["", 0]);
	assert.equal(await page.tab.locator(".queued-along").innerText(), "1 attachment");
	await page.tab.locator(".queued").getByRole("button", { name: "Edit", exact: true }).click();
	assert.deepEqual([await prompt.inputValue(), await thumbnails()], ["one", 1]);
	await prompt.press("Enter");
	await queue("two");
	await page.takePosted();
	await page.publish(...thread.end().events.slice(-1));
	const [sent] = await page.takePosted();
	assert.ok(sent?.type === "submit");
	assert.deepEqual([sent.text, sent.images], ["one", [PNG]]);
	await page.tell({ type: "submitted", id: sent.id });
	await page.reload();
	await page.takePosted();
	await page.showThread(thread.events);
	assert.equal(
		await page.tab.locator(".queued-along").innerText(),
		"1 image was lost in a reload. Edit the message to add it again.",
	);
	assert.deepEqual(await page.takePosted(), [], "only the user sends it without");
});
