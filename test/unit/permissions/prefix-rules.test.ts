import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesRule, offerRule, refuseRule } from "../../../agent-host/permissions/command-lines/prefix-rules.ts";

const status = { prefix: ["git", "status"] };

test("a rule covers its words and plain words after them, and nothing that merely starts like it (S-29)", () => {
	assert.ok(matchesRule(status, ["git", "status"]));
	assert.ok(matchesRule(status, ["git", "status", "src"]));
	assert.ok(matchesRule(status, ["git", "status", "--short"]));
	for (const words of [
		["git"],
		["git", "statusx"],
		["/tmp/git", "status"],
		["git", "-C", "x", "status"],
		["git", "status", "--porcelain=v2"],
		["git", "status", "-c", "x"],
	]) {
		assert.equal(matchesRule(status, words), false, words.join(" "));
	}
});

test("a harmless program with an option that turns it into another is not covered (S-28)", () => {
	const found = [
		matchesRule({ prefix: ["rg"] }, ["rg", "--pre=./x", "a"]),
		matchesRule({ prefix: ["rg"] }, ["rg", "--pre", "./x", "a"]),
		matchesRule({ prefix: ["git", "show"] }, ["git", "show", "--output=.bashrc"]),
		matchesRule({ prefix: ["git", "log"] }, ["git", "log", "-p", "--ext-diff"]),
		matchesRule({ prefix: ["make", "test"] }, ["make", "test", "SHELL=./x"]),
		matchesRule({ prefix: ["sort"] }, ["sort", "-o", ".git/config", "f"]),
	];
	assert.deepEqual(
		found,
		found.map(() => false),
	);
	assert.ok(matchesRule({ prefix: ["rg"] }, ["rg", "needle", "src"]));
});

test("shells, interpreters, runners and wildcards never become rules, by any path or version", () => {
	const refused = [
		"bash",
		"/bin/sh",
		"zsh",
		"python",
		"python3",
		"/usr/bin/python3.12",
		"node",
		"perl",
		"ruby",
		"env",
		"sudo",
		"xargs",
		"find",
		"sed",
		"awk",
		"ssh",
		"npx",
		"docker",
		"rm",
		"curl",
		"BASH.EXE",
	];
	for (const program of refused) assert.notEqual(refuseRule([program, "x"]), undefined, program);
	for (const prefix of [
		["git"],
		["npm"],
		["npm", "run"],
		["npm", "exec"],
		["cargo", "run"],
		["ls", "*"],
		["A=b", "ls"],
		[""],
		["l s"],
	]) {
		assert.notEqual(refuseRule(prefix), undefined, prefix.join(" "));
	}
	for (const prefix of [
		["git", "status"],
		["npm", "run", "build"],
		["npm", "test"],
		["cargo", "test"],
		["ls"],
		["make", "test"],
		["pytest"],
	]) {
		assert.equal(refuseRule(prefix), undefined, prefix.join(" "));
	}
});

test("a refused rule that stands in the settings covers nothing", () => {
	assert.equal(matchesRule({ prefix: ["bash"] }, ["bash"]), false);
	assert.equal(matchesRule({ prefix: ["python3"] }, ["python3", "x.py"]), false);
});

test("the rule offered for a command keeps the program and its subcommand", () => {
	assert.deepEqual(offerRule(["npm", "run", "build"]), { prefix: ["npm", "run", "build"] });
	assert.deepEqual(offerRule(["git", "status", "--short"]), { prefix: ["git", "status"] });
	assert.deepEqual(offerRule(["pytest", "tests/a.py"]), { prefix: ["pytest"] });
	assert.equal(offerRule(["bash", "-c", "x"]), undefined);
});
