import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import { createProcesses } from "../../agent-host/sandbox/command/processes.ts";
import { protectRepositories } from "../../agent-host/sandbox/protect/version-control.ts";
import { findRepository } from "../../agent-host/sandbox/repository/plan-repository.ts";
import { openRunFolder } from "../../agent-host/sandbox/run-folder.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-repository-"));
after(() => rmSync(parent, { recursive: true, force: true }));

const held = { sandbox: { text: "as the test says" }, containment: "sandboxed" } as const;
const never = new AbortController().signal;
const IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.org"];

/** A workspace that is a repository with one commit, and commands that may write to it. */
function aRepository() {
	const fixture = makeFixture(parent, process.getuid?.() ?? 0);
	const { workspace, own } = fixture;
	rmSync(join(workspace, ".git"), { recursive: true });
	const environment = { PATH: process.env.PATH, HOME: fixture.home, GIT_CONFIG_NOSYSTEM: "1" };
	const git = (...args: readonly string[]) =>
		execFileSync("git", [...IDENTITY, ...args], { cwd: workspace, env: environment, encoding: "utf8", stdio: "pipe" });
	git("init", "-q", "-b", "main");
	writeFileSync(join(fixture.home, ".gitconfig"), "[user]\n\tname = A\n\temail = a@example.org\n");
	git("add", "f.txt");
	git("commit", "-qm", "first");
	const policy = policyFor(fixture, {});
	const processes = createProcesses(createSandbox({ home: own, path: process.env.PATH, folders: [workspace] }));
	after(() => processes.close());
	const directory = join(workspace, ".git");
	const run = async (script: string, allowed: "allowed" | "closed" = "allowed") => {
		const repository = allowed === "allowed" ? directory : undefined;
		const request = { argv: ["/bin/bash", "-c", script], cwd: workspace, policy, digest: digestPolicy(policy) };
		const options = { held, timeoutMs: undefined, yieldMs: undefined };
		const report = await processes.run("thread", { ...request, environment, repository }, options, never);
		assert.equal(report.state, "ended", JSON.stringify(report));
		return report as Extract<typeof report, { readonly state: "ended" }>;
	};
	return { fixture, workspace, directory, policy, git, run };
}

test("a plain Git call may write the index, branches, history and logs, and all of it is there outside", async () => {
	const { workspace, git, run } = aRepository();
	writeFileSync(join(workspace, "new.txt"), "new\n");
	const script =
		"git add new.txt && git commit -qm second && git switch -qc topic && git tag v1 && git rm -q f.txt && git stash -q";
	assert.deepEqual([(await run(script)).output, git("log", "--format=%s")], ["", "second\nfirst\n"]);
	assert.equal(git("symbolic-ref", "HEAD"), "refs/heads/topic\n");
	assert.deepEqual([git("tag"), git("stash", "list").split(":")[0]], ["v1\n", "stash@{0}"]);
	assert.match(git("reflog"), /commit: second/);
	git("fsck", "--strict");
});

test("without permission a Git call writes nothing to the repository", async () => {
	const { git, run } = aRepository();
	const { exitCode, output } = await run("git tag v1; git commit --allow-empty -qm second", "closed");
	assert.notEqual(exitCode, 0);
	assert.match(output, /Read-only file system/);
	assert.deepEqual([git("tag"), git("log", "--format=%s")], ["", "first\n"]);
});

test("whatever runs while the repository is writable, nothing that Git obeys changes", async () => {
	const { directory, workspace, git, run } = aRepository();
	const ran = join(workspace, "ran");
	writeFileSync(join(workspace, "trap.sh"), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
	const [head, config] = ["HEAD", "config"].map((name) => readFileSync(join(directory, name), "utf8"));
	const names = readdirSync(directory).sort();
	const trap = `[core]\\n\\tfsmonitor = ${join(workspace, "trap.sh")}\\n`;
	const { notes } = await run(
		[
			"cd .git",
			...["config", "config.worktree"].map((name) => `printf '${trap}' >> ${name}`),
			`mkdir -p ../evil; printf '${trap}' > ../evil/config; echo ../evil > commondir; echo x > gitdir`,
			"for f in hooks/pre-commit hooks/post-index-change info/attributes info/exclude modules/x objects/info/alternates; do mkdir -p $(dirname $f); echo evil > $f; done",
			"rm -rf hooks config info; mv config config.old; ln -sf ../evil/config config",
			"echo 'ref: ../../evil' > HEAD.lock && mv HEAD.lock HEAD",
			"rm -f index; ln -s /etc/passwd index; ln -s ../../../victim logs/x; ln -s /tmp refs/heads/x; ln -s /tmp objects/zz",
			"mkdir rebase-merge; echo 'exec evil' > rebase-merge/git-rebase-todo; echo new > SOMETHING",
			"true",
		].join("; "),
	);
	assert.deepEqual(readdirSync(directory).sort(), [...new Set([...names, "logs"])].sort());
	assert.equal(readFileSync(join(directory, "HEAD"), "utf8"), head);
	assert.equal(readFileSync(join(directory, "config"), "utf8"), config);
	assert.ok(lstatSync(join(directory, "index")).isFile());
	for (const path of ["logs/x", "refs/heads/x", "objects/zz", "objects/info/alternates", "hooks/pre-commit"])
		assert.equal(lstatSync(join(directory, path), { throwIfNoEntry: false }), undefined, path);
	assert.match(notes.join("\n"), /HEAD was replaced with something that Git does not write/);
	assert.match(notes.join("\n"), /index was replaced with something that Git does not write/);
	assert.equal(notes.filter((note) => note.includes("was replaced with a link")).length, 3);
	git("status");
	assert.equal(existsSync(ran), false);
});

for (const [where, from, to] of [
	["the repository's hooks", "agit/hooks/post-checkout", ".git/hooks/post-checkout"],
	["a hook of a repository below", "sub/agit/hooks/post-checkout", "sub/.GIT/hooks/post-checkout"],
	["the folder around the repository", "aa/victim", "../victim"],
] as const)
	for (const version of [2, 4])
		test(`an index (version ${version}) that would restore a file to ${where} is not taken over`, async () => {
			const { directory, workspace, git, run } = aRepository();
			const { notes } = await run(
				[
					`mkdir -p $(dirname ${from}); echo evil > ${from}; git add ${from}`,
					`git update-index --index-version ${version}; LC_ALL=C sed -i 's,${from},${to},' .git/index`,
					`rm -r ${from.split("/")[0]}`,
				].join("; "),
			);
			git("checkout", "--", ".");
			assert.equal(existsSync(join(workspace, to)), false, notes.join("\n"));
			assert.doesNotMatch(readFileSync(join(directory, "index"), "latin1"), /post-checkout|victim/);
			assert.match(notes.join("\n"), /index was replaced with something that Git does not write/);
		});

const INDEXES: Readonly<Record<string, string>> = {
	"of version 4": "git add . && git update-index --index-version 4",
	"with entries that are only intended": "git add --intent-to-add .",
	"with conflicts":
		"git add . && git commit -qm a && git switch -qc b HEAD~1 && echo x > one && git add one && git commit -qm b && ! git merge -q main",
	"that can be read in parts":
		"git add . && git -c index.threads=4 -c feature.manyFiles=true update-index --force-write-index",
	"that the user keeps in two files": "git add .",
	"without entries": "git rm -q --cached -r .",
	"of a sparse checkout": "git add . && git commit -qm a && git sparse-checkout set --cone --sparse-index deep",
};

for (const [what, script] of Object.entries(INDEXES))
	test(`an index ${what} is taken over`, async () => {
		const { directory, workspace, git, run } = aRepository();
		const names = [
			"one",
			".gitignore",
			".github/x",
			"deep/.../…",
			"deep/git~x",
			"deep/ü/.gitx",
			`long/${"n".repeat(200)}`,
		];
		for (const name of names) {
			mkdirSync(join(workspace, name, ".."), { recursive: true });
			writeFileSync(join(workspace, name), name);
		}
		if (what.includes("in two files")) git("config", "core.splitIndex", "true");
		const before = readFileSync(join(directory, "index"));
		const { notes, output } = await run(script);
		assert.deepEqual(notes, [], output);
		assert.notDeepEqual(readFileSync(join(directory, "index")), before, output);
		git("status");
	});

test("another program's concurrent change to the index is kept, and the report says so", async () => {
	const { directory, git, workspace, run } = aRepository();
	writeFileSync(join(workspace, "new.txt"), "new\n");
	// The command waits until Git outside has staged something else.
	const running = run("git add new.txt; touch staged; until [ -e go ]; do sleep 0.05; done");
	for (const _ of waitFor(() => existsSync(join(workspace, "staged")))) await soon();
	writeFileSync(join(workspace, "other.txt"), "other\n");
	git("add", "other.txt");
	writeFileSync(join(workspace, "go"), "");
	const { notes } = await running;
	assert.deepEqual(git("diff", "--cached", "--name-only"), "other.txt\n");
	assert.match(notes.join("\n"), /index was changed by another program in the meantime/);
	assert.equal(existsSync(join(directory, "index.lock")), false);
});

test("a Git directory that is a link, a pointer or already open is not offered; one in a subfolder is", () => {
	const { workspace, directory, fixture, policy } = aRepository();
	assert.equal(findRepository(join(workspace, "dir"), policy), directory);
	assert.equal(findRepository(fixture.outside, policy), undefined);
	assert.equal(findRepository(workspace, policyFor(fixture, { mode: "readOnly" })), undefined);
	const opened = policyFor(fixture, { filesystem: [{ path: directory, access: "write" }] });
	assert.equal(findRepository(workspace, opened), undefined);
	const nested = join(workspace, "dir", ".git");
	execFileSync("git", ["init", "-q", join(workspace, "dir")]);
	assert.equal(findRepository(join(workspace, "dir"), policy), nested);
	rmSync(nested, { recursive: true });
	writeFileSync(nested, "gitdir: ../.git\n");
	assert.equal(findRepository(join(workspace, "dir"), policy), undefined);
});

test("a command that fails to start leaves no copy, and nothing to undo later", async () => {
	const { fixture, workspace, directory, policy } = aRepository();
	const processes = createProcesses(createSandbox({ home: fixture.own, path: process.env.PATH, folders: [workspace] }));
	after(() => processes.close());
	const run = (argv: readonly string[]) =>
		processes.run(
			"thread",
			{
				argv: [...argv],
				cwd: workspace,
				policy,
				digest: digestPolicy(policy),
				environment: { PATH: process.env.PATH },
				repository: directory,
			},
			{ held, timeoutMs: undefined, yieldMs: undefined },
			never,
		);
	assert.equal((await run(["/bin/true"])).state, "ended");
	const before = filesBelow(fixture.own);
	for (const argv of [
		["/bin/echo", "a".repeat(200_000)],
		["/bin/bash", "-c", ":", ...Array.from({ length: 40_000 }, () => "a".repeat(100))],
	]) {
		assert.equal((await run(argv)).state, "refused");
		assert.deepEqual(filesBelow(fixture.own), before);
	}
	// Reading it would never end.
	execFileSync("mkfifo", [join(directory, "ORIG_HEAD")]);
	assert.notEqual((await run(["/bin/true"])).state, "ended");
	assert.deepEqual(filesBelow(fixture.own), before);
});

/** All but what is prepared for the next command. */
function filesBelow(folder: string): readonly string[] {
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
	return names.filter((name) => /before-|repository|copy|\.git|HEAD|index/.test(name)).sort();
}

test("the next host removes what a dead host left of a copy", () => {
	const { fixture } = aRepository();
	const path = join(openRunFolder(fixture.own).path, ".999999999-1");
	mkdirSync(join(path, "hooks"), { recursive: true });
	openRunFolder(fixture.own);
	assert.equal(existsSync(path), false);
});

function* waitFor(isDone: () => boolean): Iterable<undefined> {
	while (!isDone()) yield undefined;
}

function soon(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

test("programs that a repository's configuration runs are protected, however many includes lead to their names", async () => {
	const { workspace, directory, policy } = aRepository();
	const files = Array.from({ length: 300 }, (_, index) => join(directory, `part-${index}`));
	for (const [index, file] of files.entries()) {
		const next = files[index + 1];
		writeFileSync(file, next === undefined ? "[core]\n\thooksPath = late-hooks\n" : `[include]\n\tpath = ${next}\n`);
	}
	writeFileSync(join(directory, "config"), `[include]\n\tpath = ${files[0]}\n`);
	mkdirSync(join(workspace, "late-hooks"));
	const guarding = await protectRepositories(policy, { places: new Map(), isWhole: true, isUnchanged: false });
	assert.ok(guarding.policy.protect.paths.includes(join(workspace, "late-hooks")));
});
