import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, isInside } from "../../../agent-host/permissions/decide.ts";

const policy = { read: ["/repo", "/other"] };

test("a file below a workspace folder may be read, and the folder itself", () => {
	for (const path of ["/repo", "/repo/a/b.ts", "/other/x", "/repo/..hidden"]) {
		assert.deepEqual(decide({ kind: "read", path }, policy), { kind: "allow" });
	}
});

test("a file elsewhere may not be read, however alike its path looks", () => {
	for (const path of ["/repository/a", "/", "/etc/passwd", "/repo/../etc/passwd", "/rep"]) {
		assert.deepEqual(decide({ kind: "read", path }, policy), {
			kind: "deny",
			reason: `${path} is outside the workspace folders; only files below them can be read.`,
		});
	}
});

test("with no folder open nothing may be read, and the reason says so", () => {
	assert.deepEqual(decide({ kind: "read", path: "/repo/a" }, { read: [] }), {
		kind: "deny",
		reason: "No folder is open in the editor, so there are no files to read.",
	});
});

test("a call that touches nothing is allowed", () => {
	assert.deepEqual(decide({ kind: "none" }, { read: [] }), { kind: "allow" });
});

test("a name that begins with two dots is inside its folder", () => {
	assert.equal(isInside("/repo/...", "/repo"), true);
	assert.equal(isInside("/repo/..", "/repo"), false);
});
