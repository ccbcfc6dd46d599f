import assert from "node:assert/strict";
import { test } from "node:test";
import { writesRepository } from "../../../agent-host/permissions/command-lines/git-call.ts";

test("plain Git calls that write are distinguished from all others", () => {
	const plain = [
		"git add .",
		'git commit -m "Say what changed && why; all of it"',
		"git add -A && git commit -m 'one'",
		"git --no-pager stash",
		"git status && git add a && git diff --cached",
		["git", "commit", "-m", "a; rm -rf ~"],
	];
	assert.deepEqual(
		plain.filter((command) => !writesRepository(command)),
		[],
	);
	const others = [
		"git status",
		"git -c core.fsmonitor=evil add .",
		"git --git-dir=/elsewhere add .",
		"git -C /elsewhere add .",
		"git config core.fsmonitor evil",
		"git submodule add /x",
		"git add . && ./build.sh",
		"git add . ; git commit",
		"git add . || git commit",
		"git add . & git commit",
		"git add $(evil)",
		'git commit -m "$(evil)"',
		"git add . > out",
		"GIT_DIR=x git add .",
		"./git add .",
		"sudo git add .",
		"git",
		"",
		["/usr/bin/git", "add"],
		["sh", "-c", "git add ."],
		[],
	];
	assert.deepEqual(
		others.filter((command) => writesRepository(command)),
		[],
	);
});
