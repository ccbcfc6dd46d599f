import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Frame } from "playwright-core";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { encodeRecord, type RecordBody } from "../../agent-host/store/records/record.ts";
import { AThread } from "../page/a-thread.ts";
import { startCanary } from "../security/canary.ts";
import { ATTRIBUTES, ELEMENTS } from "../security/watched-page.ts";
import type { EditorChat } from "../support/editor-chat.ts";
import type { Desk } from "../support/editor-desk.ts";
import { until } from "../support/editor-until.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import { VECTORS } from "../support/vectors.ts";

/** Some of every kind; the page alone is held to all of them elsewhere. */
const COUNT = 38;
const SOME = VECTORS.filter((_, index) => index % Math.floor(VECTORS.length / COUNT) === 0).slice(0, COUNT);

interface Opened {
	readonly desk: Desk;
	readonly folder: string;
	readonly window: EditorWindow;
	readonly chat: EditorChat;
}

/** Brings a hostile thread in and looks for anything that it did. */
export async function showHostileThread({ desk, folder, window, chat }: Opened): Promise<void> {
	const canary = await startCanary();
	desk.defer(async () => canary[Symbol.asyncDispose]());
	const file = join(folder, "hostile.jsonl");
	writeFileSync(file, hostileRecords(canary.origin));
	const { frame } = chat;
	const asked: string[] = [];
	const left: string[] = [];
	desk.context.on("request", (request) => asked.push(request.url()));
	window.page.on("framenavigated", (moved) => left.push(moved.url()));
	desk.context.on("page", (page) => left.push(page.url()));
	await watchApp(frame);

	await importFile(window, file);
	await chat.rows("agentMessage").first().waitFor();
	const read = await readToTheEnd(frame);
	await window.screenshot("a hostile thread");

	const unseen = SOME.flatMap((_, index) => (read.includes(addressOf(canary.origin, index)) ? [] : [index]));
	const isCanary = (url: string) => url.includes(new URL(canary.origin).host);
	assert.deepEqual(
		{
			unseen: unseen.map((index) => SOME[index]?.name),
			connections: canary.connections(),
			asked: asked.filter(isCanary),
			left,
			strange: await frame.evaluate(() => globalThis.window.watch.strange),
			errors: window.pageErrors,
		},
		{ unseen: [], connections: 0, asked: [], left: [], strange: [], errors: [] },
	);
}

/** Without the scheme, which some vectors disguise. */
function addressOf(origin: string, index: number): string {
	return `${new URL(origin).host}/v${String(index).padStart(3, "0")}`;
}

/** A thread as somebody else could have exported it, with a vector in every place that a text can have. */
function hostileRecords(origin: string): string {
	const thread = new AThread();
	for (const [index, { write }] of SOME.entries()) {
		const text = write(`http://${addressOf(origin, index)}`);
		thread.turn().ask(text).answer(text);
		const call = { kind: "toolCall", callId: `c${index}`, status: "failed" } as const;
		thread.item({ ...call, name: "read_file", title: text, arguments: text, output: text });
		thread.add({ type: "turnCompleted", status: "failed", error: { code: "server", message: text } });
	}
	const header = {
		kind: "thread",
		threadId: ThreadId.parse("hostile"),
		settings: {},
		baseInstructions: "Be.",
	} as const;
	const events = thread.events.map(({ seq = 0, event }): RecordBody => ({ kind: "event", seq, event }));
	return [header, ...events].map((body, index) => encodeRecord({ v: 1, n: index + 1, at: 1, body })).join("");
}

async function importFile(window: EditorWindow, file: string): Promise<void> {
	await window.command("Vitrine: Import Thread…");
	await window.page.locator(".quick-input-title").getByText("Import Thread").waitFor();
	// The dialog fills in the folder when it has read it, over what was typed by then.
	await until("the file is taken", async () => {
		if (!(await window.quickInput.isVisible())) return true;
		if ((await window.quickInput.inputValue()) === file) await window.page.keyboard.press("Enter");
		// It may close meanwhile; the next look tells.
		else await window.quickInput.fill(file, { timeout: 1_000 }).catch(() => undefined);
		return false;
	});
}

/** Notes every element and attribute in the page that our own code does not draw, from now on. */
async function watchApp(frame: Frame): Promise<void> {
	await frame.evaluate(
		({ elements, attributes }) => {
			const [tags, names] = [new Set(elements.split(" ")), new Set([...attributes.split(" "), "style"])];
			const strange: string[] = [];
			const check = (element: Element): void => {
				if (!tags.has(element.localName)) strange.push(element.outerHTML.slice(0, 200));
				for (const { name } of element.attributes) if (!names.has(name)) strange.push(`${element.localName}[${name}]`);
			};
			new MutationObserver((records) => {
				for (const { target, addedNodes } of records) {
					if (target instanceof Element && target.id !== "app") check(target);
					for (const node of addedNodes) {
						if (!(node instanceof Element)) continue;
						check(node);
						for (const inner of node.querySelectorAll("*")) check(inner);
					}
				}
			}).observe(document.getElementById("app") ?? document, { subtree: true, childList: true, attributes: true });
			Object.assign(window, { watch: { strange }, pwned: () => strange.push("a script ran") });
		},
		{ elements: ELEMENTS, attributes: ATTRIBUTES },
	);
}

/** Scrolls from the first row to the last, since only rows near the view are drawn, and gives all that can be read on the way. */
async function readToTheEnd(frame: Frame): Promise<string> {
	return frame.evaluate(async () => {
		const list = document.getElementById("transcript");
		const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
		const parts: string[] = [];
		if (list === null) return "";
		list.scrollTop = 0;
		for (let last = -1; list.scrollTop > last || parts.length < 3; ) {
			last = list.scrollTop;
			await drawn();
			for (const fold of list.querySelectorAll<HTMLElement>('[aria-expanded="false"]')) fold.click();
			await drawn();
			parts.push(list.innerText);
			list.scrollBy({ top: list.clientHeight * 0.8, behavior: "instant" });
			await drawn();
		}
		return parts.join("\n");
	});
}
