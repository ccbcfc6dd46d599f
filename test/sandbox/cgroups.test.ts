import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findCgroups, openCgroups } from "../../agent-host/sandbox/linux/start/cgroups.ts";

/** Where processes are counted in a hierarchy of their own; other machines cannot show what is claimed here. */
const COUNTED = "/sys/fs/cgroup/pids";
/** Begins when it is told to: whoever starts it is in its group for as long as that takes. */
const BOMB =
	"<STDIN>; for (1..40) { my $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } push @p, $p } print scalar @p; kill 9, @p; wait for @p";

function isHere(context: TestContext): boolean {
	const isSo = findCgroups() !== undefined && existsSync(COUNTED);
	if (!isSo) context.diagnostic("no such groups here, or not for this user");
	return isSo;
}

function mine(): readonly string[] {
	return readdirSync(COUNTED).filter((name) => name.startsWith(`vitrine-${process.pid}-`));
}

for (const goes of ["thread", "shell"] as const) {
	test(`a process started by a ${goes} is counted from its first moment, and this one is not`, async (context) => {
		if (!isHere(context)) return;
		const group = openCgroups(COUNTED, goes).make(8) ?? assert.fail();
		const before = readFileSync("/proc/thread-self/cgroup", "utf8");
		const child = group.start((through) => {
			const [program = "", ...args] = [...through, "/usr/bin/perl", "-e", BOMB];
			return spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
		});
		child.stdin.end("\n");
		assert.equal(readFileSync("/proc/thread-self/cgroup", "utf8"), before);
		let output = "";
		child.stdout.on("data", (chunk) => {
			output += chunk;
		});
		await new Promise((resolve) => child.once("close", resolve));
		assert.deepEqual([output, group.remove(), mine()], ["7", true, []]);
	});
}

test("a group whose processes were fewer than its limit says so, and one that is still in use goes with the next", (context) => {
	if (!isHere(context)) return;
	const groups = openCgroups(COUNTED, "thread");
	const first = groups.make(8) ?? assert.fail();
	const child = first.start(() => spawn("/bin/sleep", ["20"]));
	assert.deepEqual([first.remove(), mine().length], [false, 1]);
	child.kill("SIGKILL");
	return new Promise<void>((resolve) => {
		child.once("exit", () => {
			assert.equal(groups.make(8)?.remove(), false);
			assert.deepEqual(mine(), []);
			resolve();
		});
	});
});

test("groups of a host that is gone are swept with what still ran in them; one of a host that lives stays", async (context) => {
	if (!isHere(context)) return;
	const began = readFileSync("/proc/1/stat", "utf8").replace(/^.*\)/s, "").split(" ")[20];
	const [gone, lives] = [join(COUNTED, "vitrine-999999-1-0"), join(COUNTED, `vitrine-1-${began}-0`)];
	for (const path of [gone, lives]) mkdirSync(path, { recursive: true });
	const orphan = spawn("/bin/sleep", ["60"]);
	const ended = new Promise((resolve) => orphan.once("exit", (_, signal) => resolve(signal)));
	writeFileSync(join(gone, "cgroup.procs"), String(orphan.pid));
	openCgroups(COUNTED, "thread");
	assert.equal(await ended, "SIGKILL");
	// Its group may have had to wait for its end.
	openCgroups(COUNTED, "thread");
	assert.deepEqual([existsSync(gone), existsSync(lives)], [false, true]);
	rmdirSync(lives);
});
