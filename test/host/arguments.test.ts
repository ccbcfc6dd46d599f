import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { acpCommand } from "../../agent-host/surfaces/cli/acp-command.ts";
import { applyPatchCommand } from "../../agent-host/surfaces/cli/apply-patch-command.ts";
import type { Command } from "../../agent-host/surfaces/cli/cli-command.ts";
import { describeUsage } from "../../agent-host/surfaces/cli/command-words.ts";
import { compactCommand } from "../../agent-host/surfaces/cli/compact-command.ts";
import { completionCommand } from "../../agent-host/surfaces/cli/completion-command.ts";
import { doctorCommand } from "../../agent-host/surfaces/cli/doctor-command.ts";
import { execCommand } from "../../agent-host/surfaces/cli/exec-command.ts";
import { mcpCommand } from "../../agent-host/surfaces/cli/mcp-command.ts";
import { replayCommand } from "../../agent-host/surfaces/cli/replay-command.ts";
import { sandboxCommand } from "../../agent-host/surfaces/cli/sandbox-command.ts";
import { threadsCommand } from "../../agent-host/surfaces/cli/threads-command.ts";
import { runHere } from "./rig/command-here.ts";
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

type Name = Parameters<typeof describeUsage>[0];

test("every command names the argument that it does not understand, and shows its usage", async () => {
	const cases: readonly (readonly [Command, Name, args: readonly string[], reason: string, status?: number])[] = [
		[execCommand, "exec", ["one", "two"], "Unexpected argument 'two'. Put the prompt in quotes."],
		[execCommand, "exec", ["--last", "--fork", "a", "b"], "--fork and --last cannot be used together."],
		[execCommand, "exec", ["--resume", "No!", "b"], "'No!' cannot be a thread."],
		[execCommand, "exec", ["--policy", "a", "--mode", "ask", "b"], "--policy and --mode cannot be used together."],
		[threadsCommand, "threads", ["shwo", "a"], "Unexpected argument 'shwo'."],
		[threadsCommand, "threads", ["show"], "No thread is named."],
		[threadsCommand, "threads", ["show", "a", "b"], "Unexpected argument 'b'."],
		[threadsCommand, "threads", ["--limit", "ten"], "--limit: 'ten' is not a number of at least 1."],
		[threadsCommand, "threads", ["--home", ""], "--home names no folder."],
		[compactCommand, "compact", [], "No thread is named."],
		[replayCommand, "replay", ["\u001b[31m"], "'\\u{1b}[31m' cannot be a thread."],
		[completionCommand, "completion", ["tcsh"], "Unexpected argument 'tcsh'."],
		[
			sandboxCommand,
			"sandbox",
			["--policy", "a", "ls"],
			"Unexpected argument 'ls'. This command does not take positional arguments",
			125,
		],
		[sandboxCommand, "sandbox", ["--", "ls"], "No policy file is named.", 125],
		[sandboxCommand, "sandbox", ["--policy", "a", "--"], "No command is named after --.", 125],
		[applyPatchCommand, "apply-patch", ["a", "b"], "Unexpected argument 'b'.", 1],
		[doctorCommand, "doctor", ["now"], "Unexpected argument 'now'. This command does not take positional arguments"],
	];
	for (const [command, name, args, reason, status = 2] of cases) {
		const stderr = `${reason}\n${describeUsage(name)}\n`;
		assert.deepEqual(await runHere(command, args, { cwd: "/" }), { status, stdout: "", stderr }, args.join(" "));
	}
	for (const [command, name] of [
		[threadsCommand, "threads"],
		[doctorCommand, "doctor"],
		[replayCommand, "replay"],
	] as const) {
		const { status, stderr } = await runHere(command, ["--jsno"], { cwd: "/" });
		assert.equal(status, 2);
		assert.ok(stderr.startsWith("Unknown option '--jsno'") && stderr.endsWith(`\n${describeUsage(name)}\n`), stderr);
	}
});

test("no refusal of an argument contains what a terminal would obey", async () => {
	const odd = "a\u001b[31m";
	const cases: readonly (readonly [Command, ...string[]])[] = [
		...["--file", "--image", "--settings", "--output-schema", "--policy", "--cwd"].map(
			(option) => [execCommand, option, odd, "Hello."] as const,
		),
		[compactCommand, odd],
		[threadsCommand, "--home", odd],
		[replayCommand, "--home", odd, "any"],
		[doctorCommand, "--home", odd],
		[doctorCommand, "--cwd", odd],
		[mcpCommand, "--cwd", odd],
		[acpCommand, "--settings", odd],
		[sandboxCommand, "--policy", odd, "--", "ls"],
		[applyPatchCommand, "--cwd", odd, "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"],
	];
	for (const [command, ...args] of cases) {
		const { status, stdout, stderr } = await runHere(command, args, { cwd: "/" });
		assert.deepEqual([status === 0, stdout, stderr.includes("\u001b")], [false, "", false], args.join(" "));
		assert.ok(stderr.includes("a\\u{1b}[31m"), stderr);
	}
});

test("what the system refuses to open ends a command with one line and no stack trace", () => {
	const { status, stdout, stderr } = vitrine("compact", "--home", `/${"long".repeat(100)}`, "any");
	assert.deepEqual([status, stdout], [1, ""]);
	assert.match(stderr, /^ENAMETOOLONG: name too long, [^\n]+\n$/);
});
