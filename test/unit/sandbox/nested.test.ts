import assert from "node:assert/strict";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	renameSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createNested, MAX_FOLDERS, TICK_MS } from "../../../agent-host/sandbox/protect/nested.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-nested-"));
after(() => rmSync(parent, { recursive: true, force: true }));

const aRoot = (): string => mkdtempSync(join(parent, "root-"));

test("repositories and workspace files are found at any depth and in any spelling, those of the root left to its mounts", async () => {
	const root = aRoot();
	for (const folder of [".git", "a/.git/b/.git", "a/b/c", "node_modules/x/.GIT", "a/.gitx"])
		mkdirSync(join(root, folder), { recursive: true });
	for (const file of ["x.code-workspace", "a/b/c/y.Code-Workspace", "a/b/.git", "a/b/code-workspace"])
		writeFileSync(join(root, file), "");
	const found = ["a/.git", "a/b/.git", "a/b/c/y.Code-Workspace", "node_modules/x/.GIT"];
	assert.deepEqual([...(await createNested().find([root]))].sort(), found.map((path) => join(root, path)).sort());
});

test("what is remembered never hides what was made, moved or removed since, whatever times a command sets", async () => {
	const root = aRoot();
	for (const folder of ["a/b", "c/d/e", "made/one"]) mkdirSync(join(root, folder), { recursive: true });
	const at = (path: string) => join(root, path);
	const nested = createNested();
	const changes: readonly (readonly [change: () => void, found: readonly string[]])[] = [
		[() => mkdirSync(at("a/b/.git")), ["a/b/.git"]],
		[() => renameSync(at("made/one"), at("c/d/e/.git")), ["a/b/.git", "c/d/e/.git"]],
		[() => rmSync(at("a/b/.git"), { recursive: true }), ["c/d/e/.git"]],
		[() => renameSync(at("c"), at("a/c")), ["a/c/d/e/.git"]],
	];
	for (const [change, found] of changes) {
		await untilOld(root);
		await nested.find([root]);
		change();
		for (const folder of ["a", "a/b", "c/d/e"]) if (existsSync(at(folder))) utimesSync(at(folder), 0, 0);
		assert.deepEqual([...(await nested.find([root]))].sort(), found.map(at));
	}
});

/** Until everything in a folder is old enough to be remembered. */
async function untilOld(root: string): Promise<void> {
	const folders = readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => join(root, path));
	const newest = Math.max(...[root, ...folders].map((path) => lstatSync(path).ctimeMs));
	while (Date.now() - newest <= 2 * TICK_MS) await new Promise(setImmediate);
}

test("in a tree without end so many folders are looked at and no more, the shallow ones first (R-48)", async () => {
	const root = aRoot();
	for (let index = 0; index < MAX_FOLDERS + 100; index += 1) mkdirSync(join(root, `wide-${index}`));
	mkdirSync(join(root, "wide-1/node_modules/.git"), { recursive: true });
	mkdirSync(join(root, "wide-1/.git"));
	const found = await createNested().find([root]);
	assert.deepEqual([found.size <= 1, found.has(join(root, "wide-1/node_modules/.git"))], [true, false]);
});
