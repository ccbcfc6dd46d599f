import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { Frame } from "playwright-core";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { callsAll, says } from "../support/fake-model-steps.ts";
import { copySample } from "../support/sample.ts";
import { noteLines, takeUnseen } from "./note-lines.ts";

const SEQUENCES = 20;
const SEED = 21;

const SETTINGS = { "security.workspace.trust.enabled": false, "vitrine.permissions.mode": "ask" };

const session = createEditorSession({ settings: SETTINGS });
const inFolder = session.share(async (desk) => {
	const folder = copySample(desk.editor.root);
	return { folder, ...(await openThread(desk, { folder }, SETTINGS)) };
});

type Act =
	| { readonly do: "wheel"; readonly by: number }
	| { readonly do: "click"; readonly on: string }
	| { readonly do: "key"; readonly key: string };

const act: fc.Arbitrary<Act> = fc.oneof(
	{ weight: 5, arbitrary: fc.record({ do: fc.constant("wheel" as const), by: fc.constantFrom(40, 120, 600, -60) }) },
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant("click" as const),
			on: fc.constantFrom("[data-decision=allow]", "[data-decision=allow]", '[aria-label="Next approval"]'),
		}),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("key" as const), key: fc.constantFrom("Alt+Enter", "Enter") }) },
);
const sequence = fc.record({
	lines: fc.array(fc.constantFrom(1, 1, 4, 30, 60), { minLength: 2, maxLength: 4 }),
	acts: fc.array(act, { minLength: 15, maxLength: 25 }),
});

test(
	`in ${SEQUENCES} random sequences of real presses and scrolls, no command runs before each of its lines was in view`,
	inFolder(async ({ folder, window, play }) => {
		let ran = 0;
		for (const [index, { lines, acts }] of fc.sample(sequence, { numRuns: SEQUENCES, seed: SEED }).entries()) {
			const names = lines.map((_, nth) => `seen-${index}-${nth}.made`);
			const commands = names.map((name, nth) => [`touch ${name}`, ...moreLines(lines[nth] ?? 1)].join("\n"));
			play(callsAll(commands.map((command) => ["run_command", { command }] as const)), says("over"));
			// A press of the previous sequence may have left the chat.
			const chat = await window.openChat();
			await noteLines(chat.frame);
			await chat.ask(`Sequence ${index}`);
			await chat.frame.locator("[data-approval]").first().waitFor();
			for (const one of acts) await perform(chat.frame, one);
			await readAndAllow(chat.frame, folder);
			// When everything was allowed, nothing is left to stop.
			await window.command("Vitrine: Stop");
			await chat.waitForEnd();
			const made = names.filter((name) => existsSync(join(folder, name)));
			ran += made.length;
			const unseen = await takeUnseen(chat.frame);
			assert.deepEqual(
				made.filter((name) => unseen[name] !== 0),
				[],
				JSON.stringify({ lines, acts, unseen }),
			);
		}
		assert.ok(ran > 0, "nothing was allowed: the sequences try nothing");
		assert.deepEqual(window.pageErrors, []);
	}),
);

function moreLines(count: number): readonly string[] {
	return Array.from({ length: count - 1 }, (_, line) => `echo ${line}`);
}

/** Answers the approval in front, if one is left, as a reader would: to its last line, then Allow. */
async function readAndAllow(frame: Frame, folder: string): Promise<void> {
	const text = frame.locator("[data-approval] .long-part").first();
	if (!(await text.isVisible())) return;
	const [name = ""] = /seen-\d+-\d+\.made/.exec(await text.innerText()) ?? [];
	// The text scrolls first, then the card.
	for (const by of [-10_000, -10_000]) await perform(frame, { do: "wheel", by });
	await until(`${name} is made`, async () => {
		// Less than one screen.
		await perform(frame, { do: "wheel", by: 120 });
		await perform(frame, { do: "click", on: "[data-decision=allow]" });
		return existsSync(join(folder, name));
	});
}

/** With the real mouse and keyboard, only on what can be pressed, and only while the chat has the keys. */
async function perform(frame: Frame, act: Act): Promise<void> {
	const { mouse, keyboard } = frame.page();
	const part = frame.locator(act.do === "click" ? act.on : "[data-approval] .long-part").first();
	if (act.do === "key") {
		if (await frame.evaluate(() => document.hasFocus())) await keyboard.press(act.key);
		return;
	}
	const box = await part.boundingBox({ timeout: 1_000 }).catch(() => null);
	if (box === null) return;
	const card =
		(await frame
			.locator(".approvals")
			.boundingBox({ timeout: 1_000 })
			.catch(() => null)) ?? box;
	// The text may begin above what is in view.
	const top = Math.max(box.y, card.y);
	await mouse.move(box.x + box.width / 2, top + Math.min(box.y + box.height - top, 40) / 2);
	if (act.do === "wheel") await mouse.wheel(0, act.by);
	else await mouse.click(box.x + box.width / 2, box.y + box.height / 2);
	await frame.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
