import assert from "node:assert/strict";
import { test } from "node:test";
import { includedFiles, listConfigPlaces, readGitConfig } from "../../../agent-host/sandbox/protect/git-config.ts";
import { growthOf, MOST_GROWTH } from "../../support/linear.ts";

const TEXT = `[core] ; a comment
	bare = false # not this
	hooksPath = "my hooks" # with a space
	fsmonitor = .tools/watch --fast \\
		"and more"
	worktree = ../elsewhere
[include]
	path = ../shared.config
[includeIf "gitdir:~/x/"]
	path = ~/work.config
[filter "lfs"] clean = git-lfs clean -- %f
[alias]
	go = !sh ./scripts/go.sh && tools/then
	st = status
[remote "origin"]
	url = ../not-a-program
`;

test("a configuration is read as Git reads it", () => {
	assert.deepEqual(readGitConfig(TEXT), [
		{ name: "core.bare", value: "false" },
		{ name: "core.hookspath", value: "my hooks" },
		{ name: "core.fsmonitor", value: ".tools/watch --fast \t\tand more" },
		{ name: "core.worktree", value: "../elsewhere" },
		{ name: "include.path", value: "../shared.config" },
		{ name: "includeif.gitdir:~/x/.path", value: "~/work.config" },
		{ name: "filter.lfs.clean", value: "git-lfs clean -- %f" },
		{ name: "alias.go", value: "!sh ./scripts/go.sh && tools/then" },
		{ name: "alias.st", value: "status" },
		{ name: "remote.origin.url", value: "../not-a-program" },
	]);
});

test("the files found are includes, hook folders and programs with a path, not names and addresses", () => {
	const settings = readGitConfig(TEXT);
	assert.deepEqual(
		[...listConfigPlaces(settings, ["/repo"], "/home/me")],
		[
			"/repo/my hooks",
			"/repo/.tools/watch",
			"/shared.config",
			"/home/me/work.config",
			"/repo/scripts/go.sh",
			"/repo/tools/then",
		],
	);
	assert.deepEqual(includedFiles(settings, "/repo/.git", "/home/me"), ["/repo/shared.config", "/home/me/work.config"]);
});

test("scripts that interpreters are given are found, and programs named from a folder that only a shell knows", () => {
	const placesOf = (value: string) => [...listConfigPlaces([{ name: "core.fsmonitor", value }], ["/repo"], "/home/me")];
	assert.deepEqual(placesOf("python3 -u watch.py --fast"), ["/repo/watch.py"]);
	assert.deepEqual(placesOf("!bash hook"), ["/repo/hook"]);
	assert.deepEqual(placesOf("sh -c 'git status'"), []);
	assert.deepEqual(placesOf("git-lfs clean -- f"), []);
	assert.deepEqual(placesOf("exec $HOME/tools/x"), ["/repo/tools/x", "/home/me/tools/x"]);
	assert.deepEqual(placesOf("$(git rev-parse --show-toplevel)/tools/x"), [
		"/tools/x",
		"/repo/tools/x",
		"/home/me/tools/x",
	]);
});

test("a configuration made to take long is read in time that grows with its length", () => {
	const texts: readonly ((length: number) => string)[] = [
		(length) => `[a "${"\\".repeat(length)}`,
		(length) => "[".repeat(length),
		(length) => "[a]".repeat(length / 3),
		(length) => `a=${'"'.repeat(length)}`,
		(length) => `a${" ".repeat(length)}`,
		(length) => "\\\n".repeat(length / 2),
		(length) => `${"\\".repeat(length)}x`,
	];
	for (const make of texts) {
		const growth = growthOf(make, readGitConfig);
		assert.ok(growth < MOST_GROWTH, `${make(4)}: ${growth.toFixed(1)} times as long`);
	}
});
