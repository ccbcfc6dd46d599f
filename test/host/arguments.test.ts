import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { describeUsage } from "../../agent-host/surfaces/cli/command-words.ts";
import { VITRINE } from "./rig/vitrine.ts";

function vitrine(...args: readonly string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [VITRINE, ...args], { encoding: "utf8" });
	return { status, stdout, stderr };
}

test("help is found as -h, --help and help, for the program and for a command, also behind other options", () => {
	const all = vitrine("--help");
	assert.match(all.stdout, /^Usage: vitrine COMMAND \[OPTION…\]\n[\s\S]*\n {2}exec {2,}Run one task/);
	for (const args of [[], ["-h"], ["help"], ["help", "--help"]])
		assert.deepEqual(vitrine(...args), all, args.join(" "));
	const exec = { status: 0, stdout: `${describeUsage("exec")}\n`, stderr: "" };
	for (const args of [
		["help", "exec"],
		["exec", "-h"],
		["exec", "--help"],
		["exec", "--mode", "ask", "--help"],
	]) {
		assert.deepEqual(vitrine(...args), exec, args.join(" "));
	}
	const unknown = vitrine("help", "fly");
	assert.deepEqual([unknown.status, unknown.stdout], [2, ""]);
	assert.match(unknown.stderr, /^There is no command fly\.\n/);
	// What follows -- is the command's own.
	assert.match(vitrine("sandbox", "--policy", "none.json", "--", "ls", "--help").stderr, /none\.json cannot be read/);
});
