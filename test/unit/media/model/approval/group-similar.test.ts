import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalRequest } from "../../../../../agent-host/protocol/approval/approval.ts";
import { groupSimilar, similarityKey } from "../../../../../media/model/approval/group-similar.ts";
import type { ApprovalEntry } from "../../../../../media/model/thread/entry.ts";
import { aCommand, anApproval, aPatch } from "../../../../page/an-approval.ts";

const WORKSPACE = { roots: ["/repo/app"], cwd: "/repo/app" };
const FILE = { path: "a.ts", resolved: "/repo/app/a.ts", operation: "update", added: 1, removed: 1 } as const;

function anEntry(change: Partial<ApprovalRequest>, approvalId = "a1"): ApprovalEntry {
	const request = anApproval({ ...change, approvalId });
	const state = { kind: "pending" } as const;
	return { kind: "approval", key: `approval ${approvalId}`, turnId: "turn-1", request, workspace: WORKSPACE, state };
}

const COMMAND = { subject: aCommand({ sandbox: "workspace", network: "off" }) };
const PATCH = { subject: aPatch({ files: [FILE] }) };
const HOST = { subject: { kind: "network", host: "a.org", port: 443, process: "npm" } } as const;

const ALIKE: Readonly<Record<string, readonly [Partial<ApprovalRequest>, Partial<ApprovalRequest>]>> = {
	"two commands in one sandbox": [COMMAND, { subject: { ...COMMAND.subject, argv: ["ls"], cwd: "/repo/app/src" } }],
	"two edits of the workspace": [PATCH, { subject: aPatch({ files: [{ ...FILE, operation: "add" }] }) }],
	"two programs and one address": [HOST, { subject: { ...HOST.subject, process: "curl" } }],
};

const UNLIKE: Readonly<Record<string, readonly [Partial<ApprovalRequest>, Partial<ApprovalRequest>]>> = {
	"another policy under the same name": [COMMAND, { subject: { ...COMMAND.subject, policyDigest: "other" } }],
	"another sandbox": [COMMAND, { subject: { ...COMMAND.subject, sandbox: "full" } }],
	"another network": [COMMAND, { subject: { ...COMMAND.subject, network: "on" } }],
	"another reason": [COMMAND, { ...COMMAND, reason: "It is seen to reach further." }],
	"another host": [HOST, { subject: { ...HOST.subject, host: "b.org" } }],
	"another port": [HOST, { subject: { ...HOST.subject, port: 80 } }],
	"a command and an edit": [COMMAND, PATCH],
};

const ALONE: Readonly<Record<string, Partial<ApprovalRequest>>> = {
	"outside the sandbox": { subject: { ...COMMAND.subject, escalated: true } },
	"a command that deletes": { subject: aCommand({ deletes: { targets: ["/repo/app/a"], files: 1, isWhole: true } }) },
	"a protected file": { subject: aPatch({ files: [FILE, { ...FILE, protected: "git hooks" }] }) },
	"a file outside": { subject: aPatch({ files: [{ ...FILE, resolved: "/home/me/.bashrc" }] }) },
	"a path that climbs": { subject: aPatch({ files: [{ ...FILE, resolved: "/repo/app/../b" }] }) },
	"a deleted file": { subject: aPatch({ files: [FILE, { ...FILE, operation: "delete" }] }) },
	"a moved file": { subject: aPatch({ files: [{ ...FILE, operation: "move", movedTo: "/repo/app/b.ts" }] }) },
	"a replaced file": { subject: aPatch({ files: [{ ...FILE, operation: "add", overwrites: true }] }) },
	"many files": { subject: aPatch({ files: Array.from({ length: 21 }, () => FILE) }) },
	"no way to allow it": { ...COMMAND, choices: ["deny", "abort"] },
};

test("questions are similar if asked for the same reason about one sandbox, the workspace or one address", () => {
	for (const [name, [one, other]] of Object.entries(ALIKE)) {
		const kind = similarityKey(anEntry(one));
		assert.deepEqual([typeof kind, similarityKey(anEntry(other))], ["string", kind], name);
	}
	for (const [name, [one, other]] of Object.entries(UNLIKE)) {
		assert.notEqual(similarityKey(anEntry(one)), similarityKey(anEntry(other)), name);
	}
});

test("questions about leaving the sandbox, deletions, protected or outside files, or many files are never grouped", () => {
	for (const [name, change] of Object.entries(ALONE)) {
		assert.equal(similarityKey(anEntry(change)), undefined, name);
		assert.deepEqual(groupSimilar([anEntry(change, "a1"), anEntry(change, "a2")]), [], name);
	}
});

test("groups of at least two are offered together, named by what their members have in common", () => {
	const [a, b, c, d] = [anEntry(COMMAND, "a"), anEntry(PATCH, "b"), anEntry(HOST, "c"), anEntry(COMMAND, "d")];
	assert.deepEqual(
		groupSimilar([a, b, c, d].filter((entry) => entry !== undefined)).map(({ about, name, members }) => [
			about,
			name,
			members,
		]),
		[["commands in the sandbox “{0}”", "workspace", [a, d]]],
	);
	assert.deepEqual(groupSimilar([a, b, c]), []);
});
