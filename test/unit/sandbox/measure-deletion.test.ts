import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { UNKNOWN_PATH } from "../../../agent-host/permissions/command-lines/deletion-words.ts";
import { measureDeletion } from "../../../agent-host/sandbox/command/measure-deletion.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-deletion-")));
after(() => rmSync(top, { recursive: true }));
const at = (path: string) => join(top, path);
mkdirSync(at("tree/deep"), { recursive: true });
for (const name of ["tree/a", "tree/deep/b", "tree/deep/c", "alone"]) writeFileSync(at(name), "");
symlinkSync(at("tree"), at("link"));
symlinkSync(at("tree"), at("tree/deep/circle"));

test("a deletion is counted at the real location, and a link counts only as the link", async () => {
	const whole = { isWhole: true };
	assert.deepEqual(await measureDeletion(["tree"], top), { targets: [at("tree")], files: 4, ...whole });
	assert.deepEqual(await measureDeletion(["link"], top), { targets: [at("link")], files: 1, ...whole });
	assert.deepEqual(await measureDeletion(["link/deep"], top), { targets: [at("tree/deep")], files: 3, ...whole });
	assert.deepEqual(await measureDeletion(["alone", "alone", "gone"], top), {
		...{ targets: [at("alone")], files: 1 },
		...whole,
	});
});

test("a path that only the shell knows makes the count a minimum", async () => {
	assert.deepEqual(await measureDeletion([UNKNOWN_PATH], top), { targets: [], files: 0, isWhole: false });
	assert.deepEqual(await measureDeletion(["alone", UNKNOWN_PATH], top), {
		targets: [at("alone")],
		files: 1,
		isWhole: false,
	});
});
