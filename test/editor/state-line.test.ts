import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditorChat } from "../support/editor-chat.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread, startOver } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";

const session = createEditorSession();

/** A click that something covers is tried again. */
const CLICK_MS = 2_000;

/** What the next request uses: as the chips say, or as its bytes do. */
interface State {
	readonly model: string;
	readonly folder: string;
	readonly mode: string;
	readonly network: string;
	readonly plans: boolean;
}

/** The switch of plan mode while it is on. */
const PLANS = '[data-chip="plan"][aria-pressed="true"]';

test(
	"each chip is what the next request holds: before and after trust, and as chosen in an empty thread",
	session.alone(async (desk) => {
		const folder = desk.editor.folder({ "a.txt": "a", "sub/b.txt": "b" });
		const { window, chat, model } = await openThread(desk, { folder });
		const check = (shown: EditorChat, prompt: string) => sendAndCompare(shown, model, prompt);
		assert.deepEqual((await check(chat, "untrusted")).mode, "Read Only");

		await window.grantTrust();
		await chat.banner("restricted").waitFor({ state: "detached" });
		await chat.chip("permissions").getByText("Workspace").waitFor();
		assert.equal((await check(chat, "trusted")).mode, "Workspace");

		const empty = await startOver(window);
		await window.command("Vitrine: Change Model…");
		await window.quickPick("Type a name…").click();
		await window.answer("Change Model", "other-1");
		await window.command("Vitrine: Change Reasoning Effort…");
		await window.quickPick("high").click();
		await window.command("Vitrine: Toggle Plan Mode");
		await empty.frame.locator(PLANS).waitFor();
		await empty.chip("model").getByText("other-1 (high)").waitFor();
		assert.deepEqual(await check(empty, "chosen before the first prompt"), {
			model: "other-1 (high)",
			folder,
			mode: "Read Only",
			network: "off",
			plans: true,
		});
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"a thread of another folder asks where to open, and read here it is read-only",
	session.alone(async (desk) => {
		const [here, there] = [desk.editor.folder({ "a.txt": "a" }), desk.editor.folder({ "b.txt": "b" })];
		const settings = { "security.workspace.trust.enabled": false };
		const first = await openThread(desk, { folder: there }, settings);
		await sendAndCompare(first.chat, first.model, "from over there");
		await first.window.page.close();

		const window = await desk.open({ folder: here });
		await window.openChat();
		await window.expandView("Threads");
		await window.expandRow(window.treeRow("Threads", "Other Folders"));
		const row = window.treeRow("Threads", "from over there");
		const dialog = window.page.locator(".monaco-dialog-box");
		await until("the editor asks where", async () => {
			// The list is drawn again while it loads.
			if (!(await dialog.isVisible())) await row.click({ timeout: CLICK_MS }).catch(() => undefined);
			return dialog.isVisible();
		});
		await dialog.getByRole("button", { name: "Read Here" }).click();
		const reading = await window.chat();
		await reading.frame.locator('[data-banner="folderNotOpen"]').getByText(there).waitFor();
		assert.deepEqual((await sendAndCompare(reading, first.model, "read only")).mode, "Read Only");
		assert.deepEqual(window.pageErrors, []);
	}),
);

/** Reads the chips as soon as the host has confirmed them, sends a prompt, and compares them with what arrives. */
async function sendAndCompare(chat: EditorChat, model: FakeModel, prompt: string): Promise<State> {
	await chat.frame.locator("#footer [data-level]").first().waitFor();
	await chat.frame.locator('#footer:not(:has([data-level="unconfirmed"]))').waitFor();
	const shown = await readChips(chat);
	const before = model.requests.length;
	await chat.ask(prompt);
	await chat.waitForEnd();
	const sent = readBytes(model, before);
	assert.deepEqual(shown, sent, prompt);
	return sent;
}

async function readChips(chat: EditorChat): Promise<State> {
	const read = async (name: "folder" | "model" | "permissions") =>
		((await chat.chip(name).getAttribute("title")) ?? "").replace(/^\w+: /, "");
	const [mode = "", way = ""] = (await read("permissions"))
		.replace(/, (?:no commands|plan mode)/, "")
		.split(", network ");
	const [network = ""] = way.split(",");
	const plans = (await chat.frame.locator(PLANS).count()) > 0;
	return { model: await read("model"), folder: await read("folder"), mode, network, plans };
}

function readBytes(model: FakeModel, index: number): State {
	const request = model.requests[index];
	assert.ok(request, "no request came");
	const { model: name = "", reasoning_effort: flat, reasoning } = bodyOf(request);
	const effort = flat ?? Object(reasoning).effort;
	const lines = inputLines(request).join("\n");
	const last = (pattern: RegExp) => [...lines.matchAll(pattern)].at(-1)?.[1] ?? "";
	return {
		model: effort === undefined ? name : `${name} (${effort})`,
		folder: last(/cwd="([^"]+)"/g),
		mode: last(/Permission mode: ([^⏎\n]+?)(?= ⏎|$)/gm),
		network: last(/Network access: (\w+)/g),
		plans: last(/collaboration-mode: mode="(\w+)"/g) === "plan",
	};
}
