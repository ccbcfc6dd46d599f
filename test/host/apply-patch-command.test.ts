import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { plantCanaries, removeCanaries } from "../support/canaries.ts";
import { HOST_BUNDLE } from "../support/host-process.ts";
import { patchScenarios, readTree, showTree, writeTree } from "../support/patch-scenarios.ts";

interface Run {
	readonly status: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

interface CommandWorld {
	readonly folder: string;
	/** Beside the folder; nothing may change there. */
	readonly outside: string;
	readonly run: (args: readonly string[], input: string | Buffer, argv0?: string) => Run;
}

function aFolder(t: TestContext): CommandWorld {
	const world = plantCanaries();
	t.after(() => removeCanaries(world));
	const folder = join(world.root, "project");
	mkdirSync(folder);
	const env = { ...world.env, VITRINE_HOME: world.home };
	const run: CommandWorld["run"] = (args, input, argv0 = "node") => {
		const options = { cwd: folder, input, env, argv0, encoding: "utf8" as const };
		const { status, stdout, stderr } = spawnSync(process.execPath, [HOST_BUNDLE, ...args], options);
		return { status, stdout, stderr };
	};
	return { folder, outside: join(world.root, "outside"), run };
}

test("all 25 scenarios give the expected tree, with exit status 0, or 1 and the reason", async (t) => {
	const { folder, run } = aFolder(t);
	for (const { name, patch, input, expected } of patchScenarios()) {
		const cwd = join(folder, name);
		writeTree(cwd, input);
		const { status, stdout, stderr } = run(["apply-patch", "--cwd", cwd], patch);
		assert.deepEqual(showTree(readTree(cwd)), showTree(expected), `${name}: ${stderr}`);
		const isRefused = name.includes("rejects") || /^(?:009|012|015)_/.test(name);
		assert.deepEqual([status, stdout === "", stderr === ""], isRefused ? [1, true, false] : [0, false, true], name);
	}
});

const UPDATE = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** End Patch\n";

test("the command responds to each of its names and the hidden first argument, and accepts the patch as an argument", (t) => {
	const { folder, run } = aFolder(t);
	const file = join(folder, "a.txt");
	const ways: readonly (() => Run)[] = [
		() => run([], UPDATE, "apply_patch"),
		() => run([], UPDATE, "/usr/bin/applypatch"),
		() => run(["--vitrine-run-as-apply-patch"], UPDATE),
		() => run(["apply-patch", UPDATE], ""),
		() => run([UPDATE], "", "apply_patch"),
	];
	for (const [index, way] of ways.entries()) {
		writeFileSync(file, "a\n");
		assert.deepEqual(way(), { status: 0, stdout: "Changed:\nM a.txt\n", stderr: "" }, String(index));
		assert.equal(readFileSync(file, "utf8"), "b\n");
	}
});

test("a link to the host with the command's name acts as the command", (t) => {
	const { folder } = aFolder(t);
	writeFileSync(join(folder, "a.txt"), "a\n");
	symlinkSync(HOST_BUNDLE, join(folder, "apply_patch"));
	const { status } = spawnSync(process.execPath, [join(folder, "apply_patch")], {
		cwd: folder,
		input: UPDATE,
		env: { VITRINE_HOME: join(folder, "home") },
	});
	assert.deepEqual([status, readFileSync(join(folder, "a.txt"), "utf8")], [0, "b\n"]);
});

test("a dry run says what would change and touches nothing", (t) => {
	const { folder, run } = aFolder(t);
	const file = join(folder, "a.txt");
	writeFileSync(file, "a\n");
	const before = statSync(file, { bigint: true });
	assert.deepEqual(run(["apply-patch", "--dry-run"], UPDATE), {
		status: 0,
		stdout: "Would change:\nM a.txt\n",
		stderr: "",
	});
	const after = statSync(file, { bigint: true });
	assert.deepEqual([after.ino, after.mtimeNs, after.ctimeNs], [before.ino, before.mtimeNs, before.ctimeNs]);
	assert.equal(run(["apply-patch", "--dry-run"], UPDATE.replace("-a", "-z")).status, 1);
});

test("input that is no patch or no text, and bad arguments, are refused with the reason", (t) => {
	const { run } = aFolder(t);
	const cases: readonly (readonly [readonly string[], string | Buffer, RegExp])[] = [
		[[], "", /first line of a patch/],
		[[], Buffer.from([0x2a, 0xff]), /not UTF-8/],
		[["--nonsense"], UPDATE, /^Unknown option '--nonsense'.*\nUsage:/],
		[["one", "two"], "", /^Unexpected argument 'two'\.\nUsage:/],
		[[], "*** Begin Patch\n*** Delete File: \u001b[31ma\n*** End Patch\n", /^\\u\{1b\}\[31ma is not a valid path: /],
		[["--cwd", "/does/not/exist"], UPDATE, /^\/does\/not\/exist is not a folder\.$/m],
	];
	for (const [args, input, reason] of cases) {
		const { status, stderr } = run(["apply-patch", ...args], input);
		assert.equal(status, 1);
		assert.match(stderr, reason);
	}
});

test("file modes are kept, and of a file with two names only the one in the patch changes", (t) => {
	const { folder, run } = aFolder(t);
	const [file, other] = [join(folder, "a.txt"), join(folder, "other.txt")];
	for (const mode of [0o755, 0o600, 0o640]) {
		writeFileSync(file, "a\n");
		chmodSync(file, mode);
		linkSync(file, other);
		assert.equal(run(["apply-patch"], UPDATE).status, 0);
		assert.deepEqual([readFileSync(file, "utf8"), readFileSync(other, "utf8")], ["b\n", "a\n"]);
		assert.deepEqual([statSync(file).mode & 0o777, statSync(other).mode & 0o777], [mode, mode]);
		spawnSync("rm", [other]);
	}
});

test("a path that leads outside, by spelling or through a link, is refused and nothing out there changes", (t) => {
	const { folder, outside, run } = aFolder(t);
	symlinkSync(outside, join(folder, "linked"));
	const before = showTree(readTree(outside));
	for (const path of ["../outside/new.txt", join(outside, "new.txt"), "linked/new.txt"]) {
		const { status, stderr } = run(["apply-patch"], `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`);
		assert.equal(status, 1);
		assert.match(stderr, /outside the writable folders/);
	}
	assert.deepEqual(showTree(readTree(outside)), before);
});
