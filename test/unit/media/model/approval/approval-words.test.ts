import assert from "node:assert/strict";
import { test } from "node:test";
import {
	commandText,
	describeApproval,
	describeTarget,
	summarizeSubject,
} from "../../../../../media/model/approval/approval-words.ts";
import { aCommand } from "../../../../page/an-approval.ts";

test("a shell's script is shown alone only if that is really what the shell is given", () => {
	const shell = "npm test";
	assert.equal(commandText({ ...aCommand(), argv: ["/bin/sh", "-c", shell], shell }), shell);
	assert.equal(commandText({ ...aCommand(), argv: ["/bin/sh", "-c", "rm -rf /"], shell }), "/bin/sh -c 'rm -rf /'");
});

test("a target is shown with where it leads and with every reason to look twice", () => {
	const workspace = { roots: ["/repo/app"], cwd: "/repo/app" };
	const file = { operation: "update", added: 1, removed: 2 } as const;
	const alarmsOf = (path: string, resolved: string, movedTo?: string) =>
		describeTarget({ ...file, path, resolved, ...(movedTo === undefined ? {} : { movedTo }) }, workspace).alarms;
	assert.deepEqual(alarmsOf("src/a.ts", "/repo/app/src/a.ts"), []);
	assert.deepEqual(alarmsOf("notes", "/home/me/.bashrc"), ["outside the workspace"]);
	assert.deepEqual(alarmsOf("a", "/repo/application/a"), ["outside the workspace"]);
	assert.deepEqual(alarmsOf("a", "/repo/app/../b"), ["outside the workspace"]);
	assert.deepEqual(alarmsOf("a", "/repo/app/a", "/tmp/b"), ["moves outside the workspace"]);
	assert.deepEqual(alarmsOf("a", "/repo/app/a", "../b"), ["moves outside the workspace"]);
	assert.deepEqual(describeTarget({ ...file, path: "l", resolved: "/etc/l", protected: "agent rules" }, workspace), {
		name: "l",
		leadsTo: "/etc/l",
		movesTo: undefined,
		alarms: ["outside the workspace", "protected: it can change what other programs run or the agent's permissions"],
		operation: "update",
		added: 1,
		removed: 2,
	});
});

test("a question about leaving the sandbox says so, and so does its record", () => {
	const [inside, outside] = [aCommand(), aCommand({ escalated: true })];
	assert.deepEqual([inside, outside].map(describeApproval), ["Run this command?", "Run outside the sandbox?"]);
	assert.equal(summarizeSubject(outside), `${summarizeSubject(inside)} (outside the sandbox)`);
});
