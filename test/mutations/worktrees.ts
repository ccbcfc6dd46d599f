import type { Mutation } from "./mutation.ts";

const JUDGE = "agent-host/worktrees/judge-worktree.ts";

export const WORKTREES: readonly Mutation[] = [
	{
		protection: "worktrees: Git runs no hook",
		file: "agent-host/worktrees/git-calls.ts",
		find: '...["-c", "core.hooksPath=/dev/null"],',
		replace: "",
		tests: ["test/unit/worktrees/git-calls.test.ts", "test/host/worktrees.test.ts"],
	},
	{
		protection: "worktrees: a merge uses no merge driver",
		file: "agent-host/worktrees/git-calls.ts",
		find: 'drivers.flatMap((name) => ["-c", `merge.${name}.driver=${BUILT_IN_MERGE}`])',
		replace: "[]",
		tests: ["test/unit/worktrees/git-calls.test.ts", "test/host/worktrees.test.ts"],
	},
	{
		protection: "worktrees: a worktree's attributes bring in no filter",
		file: "agent-host/session/worktrees/find-programs.ts",
		find: "if (file !== undefined) strange.push({ filter, file });",
		replace: "",
		tests: ["test/host/worktrees.test.ts"],
	},
	{
		protection: "worktrees: a Git call cannot write what decides what Git runs",
		file: "agent-host/worktrees/git-policy.ts",
		find: '...kept.map((path) => entryAt(path, "read")),',
		replace: "",
		tests: ["test/unit/worktrees/git-calls.test.ts"],
	},
	{
		protection: "worktrees: a Git call makes no folder that decides what Git runs",
		file: "agent-host/worktrees/git-policy.ts",
		find: "paths: absent",
		replace: "paths: []",
		tests: ["test/unit/worktrees/git-calls.test.ts", "test/host/worktrees.test.ts"],
	},
	{
		protection: "worktrees: a Git call has no network",
		file: "agent-host/worktrees/git-policy.ts",
		find: 'network: { kind: "off" },',
		replace: "",
		tests: ["test/unit/worktrees/git-calls.test.ts"],
	},
	{
		protection: "worktrees: no branch is named like an option",
		file: "agent-host/worktrees/name-branch.ts",
		find: 'name.startsWith("-") || ',
		replace: "",
		tests: ["test/unit/worktrees/name-branch.test.ts"],
	},
	{
		protection: "worktrees: what is not committed is not dropped",
		file: JUDGE,
		find: "if (uncommitted.length > 0) {",
		replace: "if (uncommitted.length > 1_000_000) {",
		tests: ["test/unit/worktrees/judge-worktree.test.ts"],
	},
	{
		protection: "worktrees: a branch that is not merged is dropped only with a word",
		file: JUDGE,
		find: "unmerged > 0 && !keepBranch",
		replace: "unmerged < 0",
		tests: ["test/unit/worktrees/judge-worktree.test.ts"],
	},
	{
		protection: "worktrees: only what was shown is made",
		file: "agent-host/session/worktrees/worktrees.ts",
		find: "shown !== digest",
		replace: "shown === undefined",
		tests: ["test/host/worktrees.test.ts"],
	},
	{
		protection: "worktrees: a record that this host did not seal counts for nothing",
		file: "agent-host/store/home/worktree-files.ts",
		find: "isSame(key.consent(sealedName(parsed.path), worktree), seal) ? [parsed] : []",
		replace: "seal === undefined ? [] : [parsed]",
		tests: ["test/unit/store/worktree-files.test.ts"],
	},
	{
		protection: "chats: a page is told only of its own thread",
		file: "extension/panel/thread-feed.ts",
		find: "if (threadId !== shown) return;",
		replace: "if (shown === undefined) return;",
		tests: ["test/unit/extension/panel/chats.test.ts"],
	},
	{
		protection: "worktrees: files are restored only in those of an open folder",
		file: "agent-host/session/thread/thread-contract.ts",
		find: 'state === "ready" && folders.some((open) => isInside(folder, open)),',
		replace: 'state === "ready" && folder !== "",',
		tests: ["test/unit/session/work-folders.test.ts"],
	},
	{
		protection: "worktrees: one that another window works in is left alone",
		file: "agent-host/session/worktrees/find-use.ts",
		find: 'if (await isHeld(home, threadPath(home, threadId))) return "elsewhere";',
		replace: "await isHeld(home, threadPath(home, threadId));",
		tests: ["test/unit/session/find-use.test.ts", "test/host/worktrees.test.ts"],
	},
];
