import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { foldFindings, NO_REVIEW, type ReviewOf } from "../../../../extension/review/fold-findings.ts";

const finding = (path: string) => ({ severity: "error" as const, path, line: 1, title: "Odd", reason: "It is." });

function started(cwd: string | undefined): ThreadEvent {
	return { type: "turnStarted", envelope: { ...(cwd === undefined ? {} : { cwd }) } } as ThreadEvent;
}

function reported(...paths: readonly string[]): ThreadEvent {
	const item = { callId: "1", name: "report_findings", status: "completed" };
	const json = JSON.stringify({ findings: paths.map(finding) });
	return { type: "itemCompleted", item: { ...item, kind: "toolCall", arguments: json } } as unknown as ThreadEvent;
}

function filesOf(...events: readonly ThreadEvent[]): readonly string[] | undefined {
	const review = events.reduce<ReviewOf>((before, event) => foldFindings(before, event, "/first"), NO_REVIEW);
	return review.findings?.map(({ file }) => file);
}

test("files of findings are relative to the folder that their turn worked in", () => {
	assert.deepEqual(filesOf(started("/second/app"), reported("a.ts", "../lib/b.ts", "/third/c.ts")), [
		...["/second/app/a.ts", "/second/lib/b.ts", "/third/c.ts"],
	]);
	assert.deepEqual(filesOf(started("/second"), started("/third"), reported("a.ts")), ["/third/a.ts"]);
	assert.deepEqual(filesOf(started(undefined), reported("a.ts")), ["/first/a.ts"]);
});

test("the newest report counts, even an empty one, and later events do not change it", () => {
	assert.deepEqual(filesOf(started("/a"), reported("x"), reported()), []);
	assert.deepEqual(filesOf(started("/a"), reported("x"), started("/b")), ["/a/x"]);
	assert.equal(filesOf(started("/a")), undefined);
});
