import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { withRlimits } from "../../../agent-host/sandbox/linux/rlimits.ts";
import { aPolicy } from "../../support/a-policy.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-rlimits-"));
after(() => rmSync(folder, { recursive: true }));

const UNLIMITED = "Max file size             unlimited            unlimited            bytes\n";
const LOW = `Max file size             1000                 4096                 bytes
Max processes             100                  300                  processes
`;
const base = aPolicy();
const policy = { ...base, limits: { ...base.limits, processes: 512, fileBytes: 8_192 } };
/** As on a system without util-linux: then it is not among what a command may read. */
const without = {
	...policy,
	filesystem: [...policy.filesystem, { path: "/usr/bin/prlimit", access: "none" as const }],
};

test("limits are set by prlimit, and never above those that the host itself has", () => {
	assert.deepEqual(withRlimits(["true"], policy, "rlimit", UNLIMITED), [
		"/usr/bin/prlimit",
		"--nproc=512:512",
		"--fsize=8192:8192",
		"--",
		"true",
	]);
	assert.deepEqual(withRlimits(["true"], policy, "rlimit", LOW).slice(1, 3), ["--nproc=300:300", "--fsize=4096:4096"]);
});

test("without prlimit a shell limits the size of a file, and a command is still the command that was given", () => {
	const file = join(folder, "large");
	const [program = "", ...args] = withRlimits(
		["sh", "-c", `head -c 100000 /dev/zero > '${file}'; echo "$0"`, "a b"],
		without,
		"pidNamespace",
		UNLIMITED,
	);
	const ended = spawnSync(program, args, { encoding: "utf8" });
	assert.equal(ended.stdout, "a b\n", ended.stderr);
	assert.equal(statSync(file).size, 8_192);
});
