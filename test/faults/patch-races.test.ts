import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { withHost } from "../host/rig/with-host.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn } from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf } from "../support/request-page.ts";

const RACES = process.env.VITRINE_FULL === "1" ? 500 : 15;
const SIDES = ["left", "right"] as const;

/** Reads the file, then counts its own line up by one in a patch. */
function countUp(request: RecordedRequest): Step {
	const { input } = bodyOf(request);
	const asked = input.findLastIndex(({ role }) => role === "user");
	const prompt = JSON.stringify(input[asked]);
	const [, side = "", from = ""] = /(left|right) (\d+)/.exec(prompt) ?? [];
	const results = input.slice(asked).filter(({ type }) => type === "function_call_output");
	if (results.length === 0) return calls("read_file", { path: "counts.txt" });
	if (results.length > 1) return says("Done.");
	const patch = aPatch("*** Update File: counts.txt", "@@", `-${side} ${from}`, `+${side} ${Number(from) + 1}`);
	return calls("apply_patch", { patch });
}

test(`in ${RACES} races of two windows for one file, no edit is lost and none is reported applied that is not`, (t) =>
	withHost(t, { script: countUp }, async ({ host, another, world }) => {
		const file = join(world.workspace, "counts.txt");
		const counts = { left: 0, right: 0 };
		const write = () => `left ${counts.left}\n\nbetween\n\nright ${counts.right}\n`;
		writeFileSync(file, write());
		const windows = [host, await another()] as const;
		let refused = 0;
		for (let race = 0; race < RACES; race += 1) {
			const threads = await Promise.all(windows.map((window) => aThread(window)));
			const applied = await Promise.all(
				SIDES.map((side, index) => patches(windows[index], threads[index], `${side} ${counts[side]}`)),
			);
			for (const [index, side] of SIDES.entries()) {
				if (applied[index]) counts[side] += 1;
				else refused += 1;
			}
			assert.equal(readFileSync(file, "utf8"), write(), `race ${race}`);
		}
		assert.ok(counts.left + counts.right >= RACES, "of two that meet, at least one is applied");
		t.diagnostic(`${counts.left + counts.right} edits applied, ${refused} refused because the other was first, 0 lost`);
	}));

async function patches(window?: HostProcess, threadId?: ThreadId, prompt = ""): Promise<boolean> {
	assert.ok(window && threadId);
	const { published } = await runTurn(window, threadId, prompt);
	return published.some(
		({ event }) =>
			event.type === "itemCompleted" &&
			isCall(event.item) &&
			event.item.name === "apply_patch" &&
			event.item.status === "completed",
	);
}
