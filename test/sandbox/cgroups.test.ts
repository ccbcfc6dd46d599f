import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { groupFolders } from "../../agent-host/sandbox/linux/cgroups/cgroup-folders.ts";
import {
	type CommandGroup,
	findCgroups,
	findGroupFolder,
	openCgroups,
} from "../../agent-host/sandbox/linux/cgroups/cgroups.ts";
import { launchWords } from "../../agent-host/sandbox/linux/launch-script.ts";
import { eventually } from "../host/rig/files.ts";
import { statOf } from "../host/rig/processes.ts";

/** Where processes are counted on this machine. An ordinary user mostly has no such place, and a limit of its own instead: see the fork bomb. */
const FOLDER = findGroupFolder();
/** Where the kernel shows groups to everyone. */
const SHOWN = groupFolders(readFileSync("/proc/self/cgroup", "utf8"), readFileSync("/proc/self/mountinfo", "utf8"));
/** Begins when it is told to: whoever starts it is in its group for as long as that takes. */
const BOMB =
	"<STDIN>; for (1..40) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } push @p, $p } print scalar @p; kill 9, @p; wait for @p";

/** A user who cannot make groups gets none, and leaves no trace of trying. */
function assertNone(context: TestContext): void {
	context.diagnostic("no groups for this user, so none are made");
	assert.equal(findCgroups(), undefined);
	for (const { path } of SHOWN.filter(({ path }) => existsSync(path))) {
		assert.equal(openCgroups(path).make(8), undefined, path);
		assert.deepEqual(mine(path), []);
	}
}

/** The kernel may still be busy with groups of other files' tests, which the same process has run. */
const EARLIER: ReadonlySet<string> = new Set(SHOWN.flatMap(({ path }) => (existsSync(path) ? readdirSync(path) : [])));

function mine(folder: string): readonly string[] {
	return readdirSync(folder).filter((name) => name.startsWith(`vitrine-${process.pid}-`) && !EARLIER.has(name));
}

/** Starts a program that a shell in the group becomes. */
function startIn({ join }: CommandGroup, words: readonly string[]) {
	const [program = "", ...args] = [...launchWords({ join, fileBlocks: 0 }), ...words];
	return spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
}

test("a process counts from its first moment, and this one does not count", async (context) => {
	if (FOLDER === undefined) return assertNone(context);
	const group = openCgroups(FOLDER).make(8) ?? assert.fail();
	const before = readFileSync("/proc/thread-self/cgroup", "utf8");
	const child = startIn(group, ["/usr/bin/perl", "-e", BOMB]);
	child.stdin.end("\n");
	assert.equal(readFileSync("/proc/thread-self/cgroup", "utf8"), before);
	let output = "";
	child.stdout.on("data", (chunk) => {
		output += chunk;
	});
	await new Promise((resolve) => child.once("close", resolve));
	assert.deepEqual([output, group.remove(), mine(FOLDER)], ["7", true, []]);
});

test("a group with fewer processes than its limit says so, and one still in use is removed with the next", async (context) => {
	if (FOLDER === undefined) return assertNone(context);
	const groups = findCgroups() ?? assert.fail();
	const first = groups.make(8) ?? assert.fail();
	const child = startIn(first, ["/bin/sh", "-c", "echo in; exec sleep 20"]);
	// The shell takes a moment to be there.
	await once(child.stdout, "data");
	assert.deepEqual([first.remove(), mine(FOLDER).length], [false, 1]);
	child.kill("SIGKILL");
	await once(child, "exit");
	assert.equal(groups.make(8)?.remove(), false);
	// The kernel may let go of the group only after it has told of its last process's end.
	const isEmpty = () => groups.make(8)?.remove() === false && mine(FOLDER).length === 0;
	await eventually(isEmpty, 2_000, "the group stays", () => mine(FOLDER));
});

test("groups of a dead host are swept with the processes in them; those of a live host stay", async (context) => {
	if (FOLDER === undefined) return assertNone(context);
	const began = statOf(process.pid)?.[19];
	const [gone, lives] = [join(FOLDER, "vitrine-999999999-1-0"), join(FOLDER, `vitrine-${process.pid}-${began}-999999`)];
	for (const path of [gone, lives]) mkdirSync(path, { recursive: true });
	const orphan = spawn("/bin/sleep", ["60"]);
	const ended = new Promise((resolve) => orphan.once("exit", (_, signal) => resolve(signal)));
	writeFileSync(join(gone, "cgroup.procs"), String(orphan.pid));
	openCgroups(FOLDER);
	assert.equal(await ended, "SIGKILL");
	// Its group may have had to wait for its end.
	const isGone = () => openCgroups(FOLDER) !== undefined && !existsSync(gone);
	await eventually(isGone, 2_000, "the group of a host that is gone stays");
	assert.ok(existsSync(lives));
	rmdirSync(lives);
});
