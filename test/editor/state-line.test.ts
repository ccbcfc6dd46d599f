import assert from "node:assert/strict";
import { test } from "node:test";
import type { EditorChat } from "../support/editor-chat.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread, startOver } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { EditorWindow } from "../support/editor-window.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";

const session = createEditorSession();

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
	"each chip is what the next request holds: in a new thread, an empty one, after a reload, other settings and trust",
	session.alone(async (desk) => {
		const folder = desk.editor.folder({ "a.txt": "a", "sub/b.txt": "b" });
		const { window, chat, model } = await openThread(desk, { folder });
		const check = (shown: EditorChat, prompt: string) => sendAndCompare(shown, model, prompt);
		assert.deepEqual((await check(chat, "untrusted")).mode, "Read Only");

		await window.grantTrust();
		await chat.banner("restricted").waitFor({ state: "detached" });
		assert.equal((await check(chat, "trusted")).mode, "Workspace");

		let empty = await startOver(window);
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

		await window.reload();
		empty = await window.chat();
		assert.equal((await check(empty, "after a reload")).model, "other-1 (high)");
		await window.command("Vitrine: Toggle Plan Mode");
		await empty.frame.locator(PLANS).waitFor({ state: "detached" });
		assert.equal((await check(empty, "without the plan")).plans, false);

		desk.editor.writeMachineSettings({ "vitrine.permissions.mode": "ask" });
		const fresh = await startOver(window);
		await fresh.chip("permissions").getByText("Ask First").waitFor();
		assert.deepEqual([(await check(fresh, "other settings")).mode, model.requests.length], ["Ask First", 6]);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"a thread of another folder asks where to open, and the window of that folder opens it and runs it there",
	session.alone(async (desk) => {
		const [here, there] = [desk.editor.folder({ "a.txt": "a" }), desk.editor.folder({ "b.txt": "b" })];
		const settings = { "security.workspace.trust.enabled": false };
		const first = await openThread(desk, { folder: there }, settings);
		await sendAndCompare(first.chat, first.model, "from over there");
		await first.window.page.close();

		const window = await desk.open({ folder: here });
		await window.openChat();
		await window.expandView("Threads");
		const row = window.treeRow("Threads", "from over there");
		const dialog = window.page.locator(".monaco-dialog-box");
		await until("the editor asks where", async () => {
			await row.click();
			return dialog.isVisible();
		});
		await dialog.getByRole("button", { name: "Read Here" }).click();
		const reading = await window.chat();
		await reading.frame.locator('[data-banner="folderNotOpen"]').getByText(there).waitFor();
		assert.deepEqual((await sendAndCompare(reading, first.model, "read only")).mode, "Read Only");

		const opened = desk.context.waitForEvent("page");
		await reading.frame.getByRole("button", { name: "Open Folder in New Window" }).click();
		const other = await EditorWindow.adopt(await opened, desk.editor);
		const chat = await other.chat();
		await chat.frame.locator(".thread-title").getByText("from over there").waitFor();
		const sent = await sendAndCompare(chat, first.model, "over there again");
		assert.deepEqual([sent.folder, sent.mode], [there, "Workspace"]);
		assert.equal(await chat.frame.locator('[data-banner="folderNotOpen"]').count(), 0);
		assert.deepEqual([...window.pageErrors, ...other.pageErrors], []);
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
	const [mode = "", network = ""] = (await read("permissions")).replace(", no commands", "").split(", network ");
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
