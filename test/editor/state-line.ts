import assert from "node:assert/strict";
import { pointAt } from "../host/rig/with-host.ts";
import type { EditorChat } from "../support/editor-chat.ts";
import { type OpenThread, trustFolder } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { aThread, runTurn, startHost } from "../support/host-process.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";

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

/** What is chosen in an empty thread, each chip as the next request holds it. */
export async function chooseInEmptyThread(opened: OpenThread & { readonly folder: string }): Promise<void> {
	const { window, chat, model, folder } = opened;
	await trustFolder(window, chat);
	await window.command("Vitrine: Change Model…");
	await window.quickPick("Type a name…").click();
	await window.answer("Change Model", "other-1");
	await window.command("Vitrine: Change Reasoning Effort…");
	await window.quickPick("high").click();
	await window.command("Vitrine: Toggle Plan Mode");
	await chat.frame.locator(PLANS).waitFor();
	await chat.chip("model").getByText("other-1 (high)").waitFor();
	assert.deepEqual(await sendAndCompare(chat, model, "chosen before the first prompt"), {
		model: "other-1 (high)",
		folder,
		mode: "Read Only",
		network: "off",
		plans: true,
	});
	assert.deepEqual(window.pageErrors, []);
}

/** A thread of another folder asks where to open, and read here it is read-only. */
export async function readThreadOfElsewhere(opened: OpenThread & { readonly elsewhere: string }): Promise<void> {
	const { window, chat, model, elsewhere } = opened;
	await trustFolder(window, chat);
	// Room for the list, whatever else is unfolded.
	await window.page.setViewportSize({ width: 1_280, height: 1_400 });
	assert.equal((await sendAndCompare(chat, model, "from here")).mode, "Ask First");
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
	await reading.frame.locator('[data-banner="folderNotOpen"]').getByText(elsewhere).waitFor();
	assert.deepEqual((await sendAndCompare(reading, model, "read only")).mode, "Read Only");
	assert.deepEqual(window.pageErrors, []);
}

/** A thread as a window on its folder would have left it; a host alone needs a tenth of the time. */
export async function leaveThread(home: string, folder: string, model: FakeModel): Promise<void> {
	const host = await startHost({ home, folders: [folder], settings: pointAt(model) });
	await runTurn(host, await aThread(host), "from over there");
	await host.close();
}

/** Reads the chips as soon as the host has confirmed them, sends a prompt, and compares them with what arrives. */
export async function sendAndCompare(chat: EditorChat, model: FakeModel, prompt: string): Promise<State> {
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
