import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { type FoundBwrap, findBwrap } from "../../../agent-host/sandbox/linux/locate-bwrap.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-locate-")));
after(() => rmSync(place, { recursive: true, force: true }));

function aProgram(...parts: readonly string[]): string {
	const file = join(place, ...parts);
	mkdirSync(join(file, ".."), { recursive: true });
	writeFileSync(file, `#!/bin/sh\n# ${parts.join(" ")}\n`);
	chmodSync(file, 0o755);
	return file;
}

const system = aProgram("system", "bwrap");
const planted = aProgram("workspace", "bin", "bwrap");
const workspace = join(place, "workspace");
mkdirSync(join(place, "links"));
symlinkSync(planted, join(place, "links", "bwrap"));
mkdirSync(join(place, "empty"));
const packed = aProgram("package", "bwrap");
const text = `#!/bin/sh\n# package bwrap\n`;
const slot = { file: packed, sha256: createHash("sha256").update(text).digest("hex") };

function find(
	folders: readonly string[],
	writable: readonly string[],
	given: typeof slot | undefined,
): Promise<FoundBwrap> {
	return findBwrap(folders.map((folder) => join(place, folder)).join(delimiter), writable, given);
}

// Elsewhere than on Linux there is nothing to find.
const found = (file: string): FoundBwrap =>
	platform() === "linux" ? { state: "found", file, isBundled: file === packed } : { state: "missing" };

test("bubblewrap is the first on the PATH that lies outside every writable folder, links resolved", async () => {
	assert.deepEqual(await find(["workspace/bin", "links", "empty", "system"], [workspace], slot), found(system));
	assert.deepEqual(await findBwrap(`.${delimiter}${delimiter}workspace/bin`, [workspace], undefined), {
		state: "missing",
	});
});

test("with / as a root, a program's location does not exclude it", async () => {
	assert.deepEqual(await find(["workspace/bin", "system"], ["/"], slot), found(planted));
});

test("with none on the PATH the package's own is used, unless it differs from the packed one", async () => {
	assert.deepEqual(await find(["empty"], [workspace], slot), found(packed));
	assert.deepEqual(await find(["workspace/bin"], [workspace], slot), found(packed));
	assert.deepEqual(await find(["empty"], [workspace], undefined), { state: "missing" });
	assert.deepEqual(await find(["empty"], [], { ...slot, file: join(place, "gone") }), { state: "missing" });
	const other = { ...slot, sha256: "0".repeat(64) };
	const refused: FoundBwrap = platform() === "linux" ? { state: "changed", file: packed } : { state: "missing" };
	assert.deepEqual(await find(["empty"], [], other), refused);
	assert.deepEqual(await find(["system"], [], other), found(system));
});
