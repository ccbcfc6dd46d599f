import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type CommandLimits, digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import type { Sandbox } from "../../agent-host/sandbox/backend.ts";
import { findCgroups } from "../../agent-host/sandbox/linux/cgroups/cgroups.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const MEGABYTE = 1_048_576;
const parent = mkdtempSync(join(tmpdir(), "vitrine-limits-"));
const fixture = makeFixture(parent, process.getuid?.() ?? 0);
const sandbox = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [fixture.workspace] });
after(() => rmSync(parent, { recursive: true, force: true }));

/** No command has run in it yet. */
const counting = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [fixture.workspace] });

function run(script: string, limits: Partial<CommandLimits>) {
	return runIn(sandbox, script, limits);
}

async function runIn({ run }: Sandbox, script: string, limits: Partial<CommandLimits>) {
	const policy = policyFor(fixture, {});
	const changed = { ...policy, limits: { ...policy.limits, ...limits } };
	const ended = await run(
		{
			argv: ["/bin/bash", "-c", script],
			cwd: fixture.workspace,
			policy: changed,
			digest: digestPolicy(changed),
			environment: process.env,
		},
		{ limits: { outputBytes: 65_536, timeoutMs: 120_000 }, streams: "kept", input: "closed" },
		new AbortController().signal,
	);
	assert.notEqual(ended.state, "refused", JSON.stringify(ended));
	return ended as Exclude<typeof ended, { state: "refused" }>;
}

const HOLD = "my $x = q(a) x (150 * 1024 * 1024); sleep 300";

test("a command over its memory limit is ended, and the limit and its setting are named", async () => {
	const ended = await run(`perl -e '${HOLD}'`, { memoryBytes: 100 * MEGABYTE });
	assert.deepEqual([ended.state, ended.state === "stopped" && ended.by], ["stopped", "limit"]);
	assert.deepEqual(ended.notes, [
		"Stopped: it used more than 100 MB of memory (setting vitrine.permissions.limits.memory).",
	]);
});

test("memory is counted over all processes of a command, also those that lost their parent", async () => {
	const one = "(setsid perl -e 'my $x = q(a) x (60 * 1024 * 1024); sleep 300' &)";
	const ended = await run(`${one}; ${one}; ${one}; sleep 300`, { memoryBytes: 150 * MEGABYTE });
	assert.deepEqual([ended.state, ended.state === "stopped" && ended.by], ["stopped", "limit"]);
});

const MEMFD = process.arch === "arm64" ? 279 : 319;
const IN_MEMORY: Readonly<Record<string, string>> = {
	"files in /dev/shm": "for i in 1 2 3 4 5 6; do head -c 60000000 /dev/zero > /dev/shm/$i; done; sleep 300",
	"files in /dev": "for i in 1 2 3 4 5 6; do head -c 60000000 /dev/zero > /dev/$i; done; sleep 300",
	"files without a name": `perl -e 'for (1..6) { my $n = "a"; my $fd = syscall(${MEMFD}, $n, 0); open(my $h, "+<&=", $fd); push @h, $h; my $s = "a" x 1_000_000; syswrite($h, $s) for 1..60 } sleep 300'`,
	"shared memory that no process uses": `perl -e 'my $s = "a" x 1_000_000; for (1..6) { my $id = shmget(0, 60_000_000, 0600 | 512) // die; shmwrite($id, $s, $_ * 1_000_000, 1_000_000) for 0..59 } sleep 300'`,
};

for (const [what, script] of Object.entries(IN_MEMORY)) {
	test(`memory that a command holds as ${what} counts`, async () => {
		const ended = await run(script, { memoryBytes: 150 * MEGABYTE });
		assert.deepEqual([ended.state, ended.state === "stopped" && ended.by], ["stopped", "limit"]);
		assert.match(ended.notes.join(), /150 MB of memory/);
	});
}

test("a command below its memory limit ends normally, and 0 means no limit", async () => {
	const script = `perl -e "my \\$x = 'a' x (50 * 1024 * 1024); select undef, undef, undef, 0.5; print 42"`;
	// Files in memory count wherever they are, and browsers of other tests have some hundred megabytes of them.
	for (const memoryBytes of [1_000 * MEGABYTE, 0]) {
		const ended = await run(script, { memoryBytes });
		assert.deepEqual([ended.state, ended.output.text, ended.notes], ["ended", "42", []]);
	}
});

test("no file grows beyond its limit, and the limit and its setting are named", async () => {
	const ended = await run("head -c 3000000 /dev/zero > big", { fileBytes: MEGABYTE });
	assert.deepEqual([ended.state, ended.state === "ended" && ended.exitCode !== 0], ["ended", true]);
	assert.deepEqual(ended.notes, [
		"It tried to write a file larger than 1 MB, which was blocked (setting vitrine.permissions.limits.fileSize).",
	]);
	assert.equal(statSync(join(fixture.workspace, "big")).size, MEGABYTE);
});

test("a command cannot lift its limit on file size", async () => {
	const ended = await run("ulimit -f unlimited 2>/dev/null; head -c 3000000 /dev/zero > big2; ls", {
		fileBytes: MEGABYTE,
	});
	assert.equal(ended.state, "ended");
	assert.equal(statSync(join(fixture.workspace, "big2")).size, MEGABYTE);
});

/** Says how many processes it could start before it was refused one, up to 60; each stays until the last was tried. */
const BOMB =
	"for (1..60) { my $p = fork; last unless defined $p; if (!$p) { sleep 60; exit } push @p, $p } print scalar @p; kill 9, @p";

for (const which of ["first", "second", "third"]) {
	test(`the ${which} command of a host starts no more processes than allowed, and cannot lift the limit`, async (context) => {
		const script = `ulimit -u unlimited 2>/dev/null; exec perl -e '${BOMB}'`;
		const ended = await runIn(counting, script, { processes: 20 });
		context.diagnostic(`${ended.bound}: ${ended.output.text}`);
		const hasGroups = findCgroups() !== undefined;
		assert.equal(ended.bound, process.getuid?.() !== 0 ? "rlimit" : hasGroups ? "cgroup" : "pidNamespace");
		// Root without groups is bound by nothing but the end of its sandbox.
		assert.equal(Number(ended.output.text) < 20, ended.bound !== "pidNamespace", ended.output.text);
		assert.ok(Number(ended.output.text) > 5, ended.output.text);
	});
}

test("a command that fills the disk is ended, however many files it writes, and the limit and its setting are named", async () => {
	const fill = "i=0; while true; do i=$((i+1)); head -c 8000000 /dev/urandom > fill$i; sync fill$i; done";
	const ended = await run(fill, { diskBytes: 100 * MEGABYTE });
	assert.deepEqual([ended.state, ended.state === "stopped" && ended.by], ["stopped", "limit"]);
	assert.deepEqual(ended.notes, [
		"Stopped: 100 MB of disk space were used while it ran (setting vitrine.permissions.limits.diskGrowth).",
	]);
});
