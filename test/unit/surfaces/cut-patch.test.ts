import assert from "node:assert/strict";
import { test } from "node:test";
import { ItemId, TurnId } from "../../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { CallItem, CutPatch } from "../../../agent-host/protocol/thread/item.ts";
import { cutPatch, MAX_SENT_CHARS } from "../../../agent-host/surfaces/cut-patch.ts";
import { aPatch } from "../../support/patch-files.ts";

const LINES = Array.from({ length: 2_000 }, (_, index) => `line ${index} of a long file`);
const PATCH = aPatch(
	"*** Add File: long.txt",
	...LINES.map((line) => `+${line}`),
	"*** Update File: src/a.ts",
	"*** Move to: src/b.ts",
	"@@",
	" same",
	"-old",
	"+new",
	"+more",
	"*** Delete File: gone.txt",
);
const FILES: CutPatch["files"] = [
	{ path: "long.txt", operation: "add", added: 2_000, removed: 0 },
	{ path: "src/a.ts", movedTo: "src/b.ts", operation: "update", added: 2, removed: 1 },
	{ path: "gone.txt", operation: "delete", added: 0, removed: 0 },
];

function anEvent(change: Partial<CallItem>, type: "itemStarted" | "itemCompleted" = "itemStarted"): PublishedEvent {
	const call = { kind: "fileChange", callId: "c", name: "apply_patch", title: "Patch", status: "running" } as const;
	const item = { ...call, id: ItemId.parse("i"), arguments: "", ...change };
	return { seq: 1, at: 0, event: { type, turnId: TurnId.parse("t"), item } };
}

test("for a long patch a client gets the files with their lines and the beginning, both at its start and its end", () => {
	for (const text of [JSON.stringify({ patch: PATCH }), PATCH]) {
		for (const type of ["itemStarted", "itemCompleted"] as const) {
			const whole = anEvent({ arguments: text }, type);
			const cut = { characters: text.length, files: FILES };
			assert.deepEqual(cutPatch(whole), anEvent({ arguments: text.slice(0, 1_024), cut }, type));
			assert.equal("item" in whole.event && "arguments" in whole.event.item && whole.event.item.arguments, text);
		}
	}
});

test("a short patch, any other call and an invalid patch are sent whole", () => {
	const long = "x".repeat(MAX_SENT_CHARS + 1);
	const whole: readonly PublishedEvent[] = [
		anEvent({ arguments: JSON.stringify({ patch: aPatch("*** Delete File: a") }) }),
		anEvent({ arguments: JSON.stringify({ patch: long }) }),
		anEvent({ kind: "command", name: "run_command", arguments: JSON.stringify({ command: PATCH }) }),
		{ seq: 1, at: 0, event: { type: "titleChanged", title: long } },
	];
	for (const event of whole) assert.equal(cutPatch(event), event);
});

test("no character is cut in two", () => {
	for (const shift of ["", "x"]) {
		const text = `${shift}${"\u{1F600}".repeat(600)}${PATCH}`;
		const { event } = cutPatch(anEvent({ arguments: text }));
		assert.ok("item" in event && "arguments" in event.item && event.item.cut !== undefined);
		assert.ok(event.item.arguments.isWellFormed());
		assert.ok(text.startsWith(event.item.arguments));
	}
});
