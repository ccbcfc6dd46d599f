import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	type DocumentAddress,
	formatPath,
	parsePath,
	REPORT_NAMES,
} from "../../../../extension/views/reports/document-address.ts";

test("a document's address can be read back into what it shows", () => {
	const id = fc.uuid();
	const fragment = fc.constantFrom("permissions", "user-instructions");
	const side = fc.constantFrom("before" as const, "after" as const);
	const address: fc.Arbitrary<DocumentAddress> = fc.oneof(
		fc.record({ kind: fc.constant("policy" as const), threadId: id }),
		fc.constant({ kind: "policy" as const }),
		fc.record({ kind: fc.constant("thread" as const), threadId: id, title: fc.constant("A title") }),
		fc.record({ kind: fc.constant("ledger" as const), threadId: id }),
		fc.record({ kind: fc.constant("report" as const), name: fc.constantFrom(...REPORT_NAMES), threadId: id }),
		fc.record({ kind: fc.constant("report" as const), name: fc.constantFrom(...REPORT_NAMES) }),
		fc.record({
			kind: fc.constant("request" as const),
			threadId: id,
			side: fc.oneof(fc.constantFrom("last" as const, "next" as const), fc.integer({ min: 1, max: 10_000 })),
		}),
		fc.record({ kind: fc.constant("server" as const), name: fc.constant("docs") }),
		fc.record({
			kind: fc.constant("server" as const),
			name: fc.constant("docs"),
			file: fc.constantFrom("/one/.mcp.json", "C:\\two\\100 %\\.mcp.json"),
		}),
		fc.record({ kind: fc.constant("process" as const), threadId: id, processId: fc.constant("p12") }),
		fc.record({ kind: fc.constant("told" as const), threadId: id, turnId: id, index: fc.nat(), side, fragment }),
	);
	fc.assert(fc.property(address, (value) => assert.deepEqual(parsePath(formatPath(value)), { ...value })));
});

test("a title that is cut within a character still has a valid address", () => {
	for (const title of [`${"a".repeat(59)}😀 and so on`, `${"😀".repeat(61)}`, "half \ud83d"]) {
		const path = formatPath({ kind: "thread", threadId: "t", title });
		assert.ok(path.isWellFormed(), path);
		assert.doesNotThrow(() => encodeURIComponent(path));
	}
	assert.equal(
		formatPath({ kind: "thread", threadId: "t", title: "😀".repeat(61) }),
		`/thread/t/${"😀".repeat(60)}.md`,
	);
});

test("any title makes a single path segment, and a foreign address shows nothing", () => {
	const path = formatPath({ kind: "thread", threadId: "t", title: "a/b\\c\n\u0000 d" });
	assert.equal(path, "/thread/t/a b c d.md");
	for (const other of ["", "/", "/told/t", "/told/t/u/0/middle/x.md", "/secret/t", "/report/new/Other.md"]) {
		assert.equal(parsePath(other), undefined);
	}
});
