import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { launchScript, launchWords } from "../../../agent-host/sandbox/linux/launch-script.ts";
import { fileBlocks, withProcessLimit } from "../../../agent-host/sandbox/linux/rlimits.ts";
import { aPolicy } from "../../support/a-policy.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-rlimits-"));
after(() => rmSync(folder, { recursive: true }));

const UNLIMITED = "Max file size             unlimited            unlimited            bytes\n";
const LOW = `Max file size             1000                 4096                 bytes
Max processes             100                  300                  processes
`;
const base = aPolicy();
const policy = { ...base, limits: { ...base.limits, processes: 512, fileBytes: 8_192 } };

test("prlimit limits the number of processes if the kernel counts no group, never above the host's own limit", () => {
	const limited = (limits: string) => withProcessLimit(["true"], policy, "rlimit", limits);
	assert.deepEqual(limited(UNLIMITED), ["/usr/bin/prlimit", "--nproc=512:512", "--", "true"]);
	assert.deepEqual(limited(LOW), ["/usr/bin/prlimit", "--nproc=300:300", "--", "true"]);
	for (const bound of ["cgroup", "pidNamespace"] as const)
		assert.deepEqual(withProcessLimit(["true"], policy, bound, LOW), ["true"]);
});

test("the file size limit never exceeds the requested one or the host's own, and 0 means none", () => {
	const blocks = (fileBytes: number, limits: string) => fileBlocks({ limits: { ...policy.limits, fileBytes } }, limits);
	assert.deepEqual(
		[blocks(8_192, UNLIMITED), blocks(8_191, UNLIMITED), blocks(8_192, LOW), blocks(0, LOW)],
		[16, 15, 8, 0],
	);
});

/** Every byte but NUL, as text that a command line can carry, and what a shell would make something of. */
const ODD = [
	Array.from({ length: 0x7f }, (_, index) => String.fromCharCode(index + 1)).join(""),
	Array.from({ length: 0x700 }, (_, index) => String.fromCharCode(index + 0x80)).join(""),
	"日本語 🙂",
	"it's '' \\' $(touch planted) `touch planted` \n newline",
	"",
	"-n",
];
/** Root may raise its limits. */
const UNPRIVILEGED = process.getuid?.() === 0 ? ["/usr/bin/setpriv", "--bounding-set=-all"] : [];
const PRINT = ["/usr/bin/printf", "%s\\0"];

for (const [how, commandLine] of Object.entries({
	"that it starts with": (words: readonly string[], blocks: number) => [
		...launchWords({ fileBlocks: blocks }),
		...words,
	],
	"that it reads": (words: readonly string[], blocks: number) => [
		"/bin/sh",
		"-c",
		launchScript(words, { fileBlocks: blocks }),
	],
})) {
	test(`a shell starts the command that was given, to the byte, from words ${how}`, () => {
		const [program = "", ...args] = commandLine([...PRINT, ...ODD], 16);
		const ended = spawnSync(program, args, { cwd: folder });
		assert.equal(ended.stdout.toString("utf8"), ODD.map((word) => `${word}\0`).join(""), String(ended.stderr));
	});

	test(`a shell limits the size of a file first, and starts nothing if it cannot, from words ${how}`, () => {
		const file = join(folder, `large-${how.length}`);
		const write = ["/bin/sh", "-c", 'head -c 100000 /dev/zero > "$0"; ulimit -Hf', file];
		const [program = "", ...args] = commandLine(write, 16);
		const ended = spawnSync(program, args, { encoding: "utf8" });
		assert.equal(ended.stdout, "16\n", ended.stderr);
		assert.equal(statSync(file).size, 8_192);
		const lowered = ["-c", 'ulimit -f 8; exec "$@"', "sh", ...commandLine(["/bin/echo", "started"], 16)];
		const [shell = "", ...options] = [...UNPRIVILEGED, "/bin/sh", ...lowered];
		const refused = spawnSync(shell, options, { encoding: "utf8" });
		assert.deepEqual([refused.stdout, refused.status === 0], ["", false], refused.stderr);
	});
}

test("a group is joined before anything else, and a command that cannot join is not started", () => {
	const file = join(folder, "tasks");
	const say = ["/bin/cat", file];
	const run = (join: string) => {
		const [program = "", ...args] = [...launchWords({ join, fileBlocks: 0 }), ...say];
		return spawnSync(program, args, { encoding: "utf8" });
	};
	assert.equal(run(file).stdout, "0\n");
	const refused = run(join(folder, "missing", "tasks"));
	assert.deepEqual([refused.stdout, refused.status === 0], ["", false]);
});
