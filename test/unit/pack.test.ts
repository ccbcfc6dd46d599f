import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { PROJECT } from "../support/editor-paths.ts";

test("without apt, packing says in a sentence what to do instead, and builds nothing", () => {
	const { VITRINE_BWRAP: _, ...environment } = process.env;
	const packing = spawnSync(process.execPath, [join(PROJECT, "pack.ts")], {
		env: { ...environment, PATH: join(PROJECT, "test") },
		encoding: "utf8",
	});
	assert.deepEqual(
		{ status: packing.status, lines: packing.stderr.trim().split("\n").length, said: packing.stdout },
		{ status: 1, lines: 1, said: "" },
		packing.stderr,
	);
	assert.match(packing.stderr, /VITRINE_BWRAP=/);
});
