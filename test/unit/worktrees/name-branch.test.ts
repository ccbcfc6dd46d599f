import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { chooseBranch, isBranchName, nameFolder } from "../../../agent-host/worktrees/name-branch.ts";

test("a chosen name is free, even where case is ignored or a branch has the prefix as its name", () => {
	assert.equal(chooseBranch([]), "vitrine/work-1");
	assert.equal(chooseBranch(["main", "Vitrine/Work-1", "vitrine/work-2"]), "vitrine/work-3");
	assert.equal(chooseBranch(["vitrine"]), "vitrine-work-1");
	for (const taken of [[], ["vitrine"], ["vitrine/work-1"]]) assert.ok(isBranchName(chooseBranch(taken)));
});

test("every name that is accepted is one word that Git accepts and takes for no option", () => {
	const part = fc.constantFrom(
		"-",
		".",
		"/",
		"..",
		"@",
		"@{",
		"a",
		"B9",
		"_",
		" ",
		"~",
		"é",
		".lock",
		"HEAD",
		"\u202e",
		"\n",
		"#",
	);
	fc.assert(
		fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
			const name = parts.join("");
			if (!isBranchName(name)) return;
			assert.ok(!name.startsWith("-") && !/\s/.test(name), name);
			execFileSync("git", ["check-ref-format", "--branch", name], { stdio: "ignore" });
		}),
		{ numRuns: 60 },
	);
	for (const name of ["main", "feature/one", "fix-#12", "v1.2", "日本"]) assert.ok(isBranchName(name), name);
	for (const name of [
		"",
		"-d",
		"a b",
		"a..b",
		"a/",
		"/a",
		".a",
		"a.lock",
		"A/b.LOCK/c",
		"x@{1}",
		"a~1",
		"HEAD",
		"@",
		"a".repeat(101),
	])
		assert.ok(!isBranchName(name), name);
});

test("a folder's name is plain, never hidden or an option, and made unique by its suffix", () => {
	assert.equal(nameFolder("vitrine/work-1", "0a1b"), "vitrine-work-1-0a1b");
	assert.equal(nameFolder("日本", "0a1b"), "worktree-0a1b");
	fc.assert(fc.property(fc.string(), (branch) => /^[A-Za-z0-9_][A-Za-z0-9._-]*-0a$/.test(nameFolder(branch, "0a"))));
});
