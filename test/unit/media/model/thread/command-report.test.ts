import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandState } from "../../../../../agent-host/protocol/call-end.ts";
import type { CommandEnd } from "../../../../../agent-host/protocol/thread/item.ts";
import { readCommandReport, resolveStatus } from "../../../../../media/model/thread/command-report.ts";

test("a command is shown from its recorded facts, whatever its text says", () => {
	const text = "Exit code 1 after 4.1 s.\nA note.\nOutput:\nExit code 0 after 0.1 s.\nOutput:\nx";
	const outputFrom = text.indexOf("Output:\n") + "Output:\n".length;
	const end: CommandEnd = { state: "ended", exitCode: 1, notes: ["A note."], outputFrom };
	const output = "Exit code 0 after 0.1 s.\nOutput:\nx";
	assert.deepEqual(readCommandReport(end, text), { end, notes: ["A note."], output });
	assert.equal(resolveStatus("completed", end), "failed");
	const ended = { state: "ended", exitCode: 0 } as const;
	assert.equal(resolveStatus("completed", { ...ended, signal: "SIGKILL" }), "failed");
	assert.equal(resolveStatus("completed", { state: "stopped", stoppedBy: "user", timedOut: false }), "completed");
	for (const stoppedBy of ["time", "protection", "limit"] as const) {
		const timedOut = stoppedBy === "time";
		assert.equal(resolveStatus("completed", { state: "stopped", stoppedBy, timedOut }), "failed", stoppedBy);
	}
});

test("a command of an older release is shown with what was recorded and its whole text, and nothing is guessed", () => {
	const text = "Still running after 1.0 s as process p1. Read on…\nOutput:\nx";
	const known = { sandbox: "Workspace, network off", durationMs: 1_000 };
	assert.deepEqual(readCommandReport(known, text), { end: known, notes: [], output: text });
	assert.deepEqual(
		[{ exitCode: 2 }, { signal: "SIGKILL" }, { timedOut: true }, { timedOut: false }, known, {}].map(
			(end: CommandEnd) => readCommandState(end),
		),
		["ended", "ended", "stopped", "stopped", "background", undefined],
	);
	assert.deepEqual(readCommandReport(undefined, text), { end: {}, notes: [], output: text });
	const forged = { state: "ended", exitCode: 0, outputFrom: 9_999 } as const;
	assert.equal(readCommandReport(forged, text).output, text);
});
