import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import { reviewReject, threadRestore, threadRestoreRedo } from "../../agent-host/protocol/thread/review.ts";
import { threadClose, threadStart } from "../../agent-host/protocol/thread/thread.ts";
import {
	worktreeAdd,
	worktreeDrop,
	worktreeInspect,
	worktreeList,
	worktreeMerge,
	worktreePlan,
} from "../../agent-host/protocol/thread/worktree.ts";
import { inFairTime } from "../support/fair-time.ts";
import { calls, holds, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, runTurn, startHeldTurn } from "../support/host-process.ts";
import { aPatch } from "../support/patch-files.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const withShared = shareHost({});

function git(folder: string, ...args: readonly string[]): string {
	return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
}

/** A repository with one commit, whose hooks leave a trace if they ever run. */
function makeRepository(folder: string): void {
	if (existsSync(join(folder, ".git"))) return;
	git(folder, "init", "-q", "-b", "main");
	git(folder, "config", "user.name", "A");
	git(folder, "config", "user.email", "a@example.org");
	writeFileSync(join(folder, "story.txt"), "once\n");
	git(folder, "add", "story.txt");
	git(folder, "commit", "-q", "-m", "first");
	for (const name of ["post-checkout", "pre-commit", "post-commit", "pre-merge-commit", "post-merge"]) {
		const hook = join(folder, ".git/hooks", name);
		mkdirSync(dirname(hook), { recursive: true });
		writeFileSync(hook, `#!/bin/sh\ntouch "${folder}/hook-ran" "$PWD/hook-ran"\nexit 1\n`);
		chmodSync(hook, 0o755);
	}
}

function commitFile(folder: string, name: string, text: string): void {
	writeFileSync(join(folder, name), text);
	git(folder, "add", name);
	git(folder, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "ignored");
}

async function makeWorktree(host: HostProcess, folder: string, branch?: string) {
	const plan = await host.request(worktreePlan, { folder, ...(branch === undefined ? {} : { branch }) });
	const { path } = await host.request(worktreeAdd, { folder, branch: plan.branch, digest: plan.digest });
	return { ...plan, path };
}

test("a worktree is made exactly as shown, beside the closed home and without hooks; its thread works only there", (t) =>
	withShared(
		t,
		[
			calls("run_command", { command: "pwd && git status --short && git log --format=%s && echo new > made.txt" }),
			calls("run_command", { command: "echo no > $(git rev-parse --git-common-dir)/../intruder.txt" }),
			says("done"),
		],
		async ({ host, world, model }) => {
			const folder = world.workspace;
			makeRepository(folder);
			const before = git(folder, "status", "--porcelain");
			const plan = await host.request(worktreePlan, { folder });
			assert.deepEqual(
				{ ...plan, path: "", digest: "", command: "" },
				{
					...{ folder, path: "", repository: join(folder, ".git"), branch: "vitrine/work-1", from: "main" },
					...{ commit: git(folder, "rev-parse", "HEAD"), command: "", digest: "" },
				},
			);
			assert.equal(plan.command, `git worktree add --no-track -b vitrine/work-1 -- ${plan.path} ${plan.commit}`);
			assert.ok(plan.path.startsWith(`${world.home}-worktrees/`) && plan.path.endsWith("/work"), plan.path);
			assert.ok(!existsSync(plan.path), "planning makes nothing");
			const { path } = await host.request(worktreeAdd, plan);
			assert.equal(path, plan.path);
			assert.equal(git(path, "branch", "--show-current"), "vitrine/work-1");
			const threadId = await aThread(host, { cwd: path });
			await runTurn(host, threadId, "Work.");
			const said = bodyOf(model.requests.at(-1) ?? assert.fail()).input.map(({ output }) =>
				JSON.stringify(output ?? ""),
			);
			assert.ok(
				said.some((line) => line.includes(`${path}\\nfirst`)),
				`Git works there: ${said.join("\n")}`,
			);
			assert.ok(!existsSync(join(folder, "intruder.txt")));
			assert.equal(readFileSync(join(path, "made.txt"), "utf8"), "new\n");
			assert.ok(JSON.stringify(model.requests[0]?.body).includes(path), "the model is told its folder");
			assert.deepEqual(
				[
					existsSync(join(folder, "hook-ran")),
					existsSync(join(path, "hook-ran")),
					git(folder, "status", "--porcelain"),
				],
				[false, false, before],
			);
			const { worktrees } = await host.request(worktreeList, {});
			assert.deepEqual(
				worktrees.map(({ branch, state }) => ({ branch, state })),
				[{ branch: "vitrine/work-1", state: "ready" }],
			);
		},
	));

test("a worktree with uncommitted changes is not dropped; a merge moves them and its thread to the folder", (t) =>
	withShared(
		t,
		() => says("ok"),
		async ({ host, world, model }) => {
			const folder = world.workspace;
			makeRepository(folder);
			const { path, branch } = await makeWorktree(host, folder, "feature/one");
			const threadId = await aThread(host, { cwd: path });
			await runTurn(host, threadId, "first");
			writeFileSync(join(path, "new.txt"), "from the worktree\n");
			await assert.rejects(
				host.request(worktreeDrop, { path, keepBranch: true }),
				/has uncommitted changes, which would be lost: new\.txt\. Merge the worktree, or commit or discard them first\./,
			);
			const { uncommitted, unmerged, into } = await host.request(worktreeInspect, { path });
			assert.deepEqual([uncommitted, unmerged, into], [["new.txt"], 0, "main"]);
			assert.deepEqual(await host.request(worktreeMerge, { path, message: "Add it" }), { into: "main", commits: 1 });
			assert.equal(readFileSync(join(folder, "new.txt"), "utf8"), "from the worktree\n");
			assert.equal(git(folder, "log", "-1", "--format=%s"), "Add it");
			assert.deepEqual(await host.request(worktreeDrop, { path }), { isBranchKept: false });
			assert.deepEqual([existsSync(dirname(path)), git(folder, "branch", "--list", branch)], [false, ""]);
			assert.ok(!existsSync(join(folder, "hook-ran")));
			await runTurn(host, threadId, "second");
			const [folderTold] = inputLines(model.requests.at(-1) ?? assert.fail())
				.filter((line) => line.includes("environment"))
				.slice(-1);
			assert.ok(folderTold?.includes(folder) && !folderTold.includes(path), folderTold);
		},
	));

test("the agent's changes in a worktree are rejected, restored and redone there, also right after a restart", (t) =>
	withShared(
		t,
		[
			calls("apply_patch", { patch: aPatch("*** Update File: story.txt", "@@", "-once", "+twice") }),
			calls("apply_patch", { patch: aPatch("*** Add File: more.txt", "+more") }),
			says("done"),
		],
		async ({ host, world, another }) => {
			makeRepository(world.workspace);
			const { path } = await makeWorktree(host, world.workspace, "feature/back");
			const threadId = await aThread(host, { cwd: path });
			const { turnId } = await runTurn(host, threadId, "Change it.");
			const read = () => [readFileSync(join(path, "story.txt"), "utf8"), existsSync(join(path, "more.txt"))];
			assert.deepEqual(read(), ["twice\n", true]);
			await host.killHard();
			const next = await another();
			const rejected = await next.request(reviewReject, { threadId, path: join(path, "story.txt") });
			assert.deepEqual(rejected, { done: 1, left: [] });
			assert.deepEqual(read(), ["once\n", true]);
			await next.request(threadRestore, { threadId, turnId, what: "files" });
			assert.deepEqual(read(), ["once\n", false]);
			await next.request(threadRestoreRedo, { threadId });
			assert.deepEqual(read(), ["once\n", true]);
		},
	));

test("a worktree in which another window's thread works is neither merged nor dropped", (t) => {
	const step = holds("I am", " here.");
	return withShared(t, [step], async ({ host, beside, world }) => {
		makeRepository(world.workspace);
		const { path } = await makeWorktree(host, world.workspace, "feature/elsewhere");
		const other = await beside();
		const threadId = await aThread(other, { cwd: path });
		const { turnId } = await startHeldTurn(other, step, { threadId });
		const refused = /A thread that works in .* is open in another window\. Close that window first\./;
		await assert.rejects(host.request(worktreeMerge, { path, message: "Add it" }), refused);
		await assert.rejects(host.request(worktreeDrop, { path, keepBranch: true }), refused);
		step.release();
		await endOfTurn(other, threadId, turnId);
		await other.request(threadClose, { threadId });
		await host.request(worktreeDrop, { path });
		assert.ok(!existsSync(path));
	});
});

test("a worktree whose branch has commits of its own is dropped only if the branch is kept", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		const { path, branch } = await makeWorktree(host, folder, "kept");
		git(path, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "own");
		await assert.rejects(host.request(worktreeDrop, { path }), /kept is not .* \(commits missing: 1\)\./);
		assert.ok(existsSync(path));
		assert.deepEqual(await host.request(worktreeDrop, { path, keepBranch: true }), { isBranchKept: true });
		assert.equal(git(folder, "log", "-1", "--format=%s", branch), "own");
	}));

test("a merge with conflicts changes nothing in the folder and names the files", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		const { path } = await makeWorktree(host, folder, "other");
		writeFileSync(join(path, "story.txt"), "theirs\n");
		writeFileSync(join(folder, "story.txt"), "ours\n");
		git(folder, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "ours");
		const head = git(folder, "rev-parse", "HEAD");
		await assert.rejects(
			host.request(worktreeMerge, { path, message: "theirs" }),
			/other conflicts with main in story\.txt, so nothing was merged\. Merge it in a terminal\./,
		);
		assert.equal(readFileSync(join(folder, "story.txt"), "utf8"), "ours\n");
		assert.deepEqual([git(folder, "rev-parse", "HEAD"), existsSync(join(folder, ".git/MERGE_HEAD"))], [head, false]);
		assert.equal(git(path, "status", "--porcelain"), "", "the work is committed on its branch");
	}));

test("a merge that the user has begun is neither taken back nor committed, in the folder or in the worktree", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		const { path } = await makeWorktree(host, folder, "waiting");
		writeFileSync(join(path, "new.txt"), "new\n");
		const unhooked = ["-c", "core.hooksPath=/dev/null"];
		const merge = () => host.request(worktreeMerge, { path, message: "m" });
		const beginMerge = (where: string, name: string) => {
			git(where, ...unhooked, "checkout", "-q", "-b", `${name}-side`);
			commitFile(where, "story.txt", `the side of ${name}\n`);
			git(where, ...unhooked, "checkout", "-q", name);
			commitFile(where, "story.txt", `${name} itself\n`);
			assert.throws(() => git(where, "merge", `${name}-side`), /Command failed/);
		};
		beginMerge(folder, "main");
		writeFileSync(join(folder, "story.txt"), "resolved by hand\n");
		git(folder, "add", "story.txt");
		await assert.rejects(merge(), /work has an unfinished merge\. Commit or abort it first\./);
		assert.equal(readFileSync(join(folder, "story.txt"), "utf8"), "resolved by hand\n");
		git(folder, ...unhooked, "commit", "-q", "-m", "resolved");
		beginMerge(path, "waiting");
		await assert.rejects(merge(), /has an unfinished merge/);
		assert.equal(git(path, "diff", "--name-only", "--diff-filter=U"), "story.txt", "its conflict is not committed");
	}));

test("into a folder without a branch, as in the middle of a rebase, nothing is merged", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		const { path } = await makeWorktree(host, folder, "patient");
		commitFile(path, "new.txt", "new\n");
		const unhooked = ["-c", "core.hooksPath=/dev/null"];
		const refused = async (): Promise<void> => {
			const head = git(folder, "rev-parse", "HEAD");
			await assert.rejects(
				host.request(worktreeMerge, { path, message: "m" }),
				/work has no branch checked out, .*so nothing was merged\. Check out a branch first\./,
			);
			assert.equal(git(folder, "rev-parse", "HEAD"), head);
		};
		git(folder, ...unhooked, "checkout", "-q", "--detach");
		await refused();
		git(folder, ...unhooked, "checkout", "-q", "-b", "upstream", "main");
		commitFile(folder, "story.txt", "upstream\n");
		git(folder, ...unhooked, "checkout", "-q", "main");
		commitFile(folder, "story.txt", "mine\n");
		assert.throws(() => git(folder, ...unhooked, "rebase", "-q", "upstream"), /Command failed/);
		await refused();
		git(folder, "rebase", "--abort");
		assert.equal((await host.request(worktreeMerge, { path, message: "m" })).into, "main");
	}));

test("a merge replaces no file of the folder that its repository does not have, ignored or not, and names it", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		commitFile(folder, ".gitignore", "*.local\n");
		const { path } = await makeWorktree(host, folder, "replacing");
		const names = ["settings.local", "notes.txt"];
		for (const name of names) {
			writeFileSync(join(path, name), "from the branch\n");
			writeFileSync(join(folder, name), "the user's\n");
		}
		writeFileSync(join(path, ".gitignore"), "# nothing\n");
		const merge = () => host.request(worktreeMerge, { path, message: "m" });
		await assert.rejects(
			merge(),
			/replacing would replace files in .*work that are not in its repository: notes\.txt, settings\.local\. Move/,
		);
		const read = () => names.map((name) => readFileSync(join(folder, name), "utf8"));
		assert.deepEqual(read(), ["the user's\n", "the user's\n"]);
		for (const name of names) rmSync(join(folder, name));
		assert.equal((await merge()).commits, 1);
		assert.deepEqual(read(), ["from the branch\n", "from the branch\n"]);
	}));

test("a merge uses no merge driver, so a branch's attributes cannot choose one", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		const ran = join(folder, ".git/driver-ran");
		git(folder, "config", "merge.own.driver", `touch ${ran} && cp %B %A`);
		git(folder, "config", "merge.default", "own");
		commitFile(folder, "list.txt", "1\n2\n3\n4\n5\n");
		const { path } = await makeWorktree(host, folder, "drivers");
		writeFileSync(join(path, ".gitattributes"), "list.txt merge=own\n");
		writeFileSync(join(path, "list.txt"), "one\n2\n3\n4\n5\n");
		commitFile(folder, "list.txt", "1\n2\n3\n4\nfive\n");
		await host.request(worktreeMerge, { path, message: "Count" });
		assert.equal(readFileSync(join(folder, "list.txt"), "utf8"), "one\n2\n3\n4\nfive\n");
		assert.equal(existsSync(ran), false);
	}));

test("a filter runs on the files that the user's own attributes give it; a worktree's attributes bring in no other", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		mkdirSync(join(folder, "docs"));
		commitFile(folder, "docs/.gitignore", ".gitattributes\n");
		commitFile(folder, "docs/page.txt", "page\n");
		const ran = (name: string) => join(folder, ".git", `${name}-ran`);
		for (const [name, program] of [
			["mine", "tr a-z A-Z"],
			["lfs", "tr a-z A-Z"],
			["theirs", "cat"],
		] as const)
			git(folder, "config", `filter.${name}.clean`, `touch ${ran(name)}; ${program}`);
		writeFileSync(join(folder, ".git/info/attributes"), "*.mine filter=mine\n");
		const { path, branch } = await makeWorktree(host, folder, "filters");
		const choose = (text: string) => writeFileSync(join(path, "docs/.gitattributes"), text);
		writeFileSync(join(path, "docs/new.mine"), "mine\n");
		writeFileSync(join(path, "docs/new.bin"), "large\n");
		choose("*.bin filter=lfs\npage.txt filter=theirs\n");
		await assert.rejects(
			host.request(worktreeMerge, { path, message: "m" }),
			/filters makes Git run the filter theirs on docs\/page\.txt, .* nothing was merged\. Merge it in a terminal/,
		);
		assert.deepEqual([existsSync(ran("mine")), git(path, "log", "-1", "--format=%s")], [false, "ignored"]);
		choose("*.bin filter=lfs\n");
		await host.request(worktreeMerge, { path, message: "m" });
		assert.deepEqual(
			[git(folder, "show", "HEAD:docs/new.mine"), git(folder, "show", "HEAD:docs/new.bin")],
			["MINE", "LARGE"],
		);
		// Git reads a file again whose time has changed.
		choose("*.bin filter=lfs\npage.txt filter=theirs\n");
		utimesSync(join(path, "docs/page.txt"), 1, 1);
		await host.request(worktreeDrop, { path });
		assert.deepEqual([existsSync(path), git(folder, "branch", "--list", branch)], [false, ""]);
		assert.deepEqual([existsSync(ran("mine")), existsSync(ran("theirs"))], [true, false]);
	}));

test("a program that Git runs here cannot make a hook, also where the repository has no folder for them", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		rmSync(join(folder, ".git/hooks"), { recursive: true });
		const plant = "mkdir -p .git/hooks; touch .git/hooks/post-checkout .git/planted; cat";
		git(folder, "config", "filter.plant.smudge", plant);
		writeFileSync(join(folder, ".git/info/attributes"), "*.planted filter=plant\n");
		const { path } = await makeWorktree(host, folder, "planting");
		writeFileSync(join(path, "new.planted"), "new\n");
		await host.request(worktreeMerge, { path, message: "m" });
		assert.equal(readFileSync(join(folder, "new.planted"), "utf8"), "new\n");
		assert.deepEqual(
			["planted", "hooks"].map((name) => existsSync(join(folder, ".git", name))),
			[true, false],
		);
	}));

test("only the worktree shown is made, in a trusted folder's repository, under a name no program reads as an option", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const folder = world.workspace;
		makeRepository(folder);
		const plan = (branch: string) => host.request(worktreePlan, { folder, branch });
		for (const branch of ["-f", "a b", "../up", "x.lock", "HEAD"])
			await assert.rejects(plan(branch), /can't be used as a branch name/, branch);
		await assert.rejects(plan("main"), /The branch main already exists/);
		const { branch, digest } = await plan("changed");
		git(folder, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "more");
		await assert.rejects(host.request(worktreeAdd, { folder, branch, digest }), /has changed since you were asked/);
		await assert.rejects(host.request(threadStart, { cwd: `${world.home}-worktrees` }), /is not inside an open/);
		host.notify(didChangeTrust, { trusted: false });
		await assert.rejects(plan("later"), /Trust the workspace to use worktrees/);
		host.notify(didChangeTrust, { trusted: true });
		assert.equal(git(folder, "branch", "--list", "changed", "later"), "");
	}));

test("a host killed while making a worktree leaves one that the next host reports and dropping cleans up", (t) =>
	withHost(t, { script: [] }, async ({ host, world, another }) => {
		const folder = world.workspace;
		makeRepository(folder);
		// The checkout waits for its filter, so that the host can be killed meanwhile.
		const started = join(folder, ".git/started");
		git(folder, "config", "filter.slow.smudge", `touch ${started}; sleep 60; cat`);
		writeFileSync(join(folder, ".gitattributes"), "story.txt filter=slow\n");
		git(folder, "add", ".gitattributes");
		git(folder, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "slow");
		const plan = await host.request(worktreePlan, { folder });
		const making = host.request(worktreeAdd, plan).catch(() => undefined);
		await inFairTime(
			() => existsSync(started),
			20_000,
			() => "the checkout has not begun",
		);
		await host.killHard();
		await making;
		git(folder, "config", "--unset", "filter.slow.smudge");
		const next = await another();
		const warned = () => next.received.warnings.find(({ code }) => code === "worktree");
		await inFairTime(
			() => warned() !== undefined,
			10_000,
			() => "the next host reports nothing",
		);
		assert.deepEqual(
			[warned()?.message, warned()?.fix],
			[`The worktree ${plan.path} was not completely created or removed.`, "Run Vitrine: Drop Worktree… to clean up."],
		);
		const { worktrees } = await next.request(worktreeList, {});
		assert.deepEqual(
			worktrees.map(({ path, state }) => ({ path, state })),
			[{ path: plan.path, state: "unfinished" }],
		);
		await assert.rejects(next.request(worktreeMerge, { path: plan.path, message: "m" }), /Drop it to clean up/);
		await next.request(worktreeDrop, { path: plan.path });
		assert.deepEqual(
			[
				existsSync(plan.path),
				git(folder, "branch", "--list", plan.branch),
				git(folder, "worktree", "list").split("\n").length,
			],
			[false, "", 1],
		);
	}));
