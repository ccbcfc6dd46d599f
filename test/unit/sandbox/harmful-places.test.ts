import assert from "node:assert/strict";
import {
	chmodSync,
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
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { protectedInEdit } from "../../../agent-host/permissions/reach/reach.ts";
import { createHarmfulPlaces, TICK_MS } from "../../../agent-host/sandbox/protect/harmful-places.ts";
import { protectFromEdits } from "../../../agent-host/sandbox/protect/version-control.ts";
import { aPolicy } from "../../support/a-policy.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-places-"));
after(() => rmSync(parent, { recursive: true, force: true }));

const aRoot = (): string => mkdtempSync(join(parent, "root-"));

test("repositories and workspace files are found at any depth and in any spelling, except the root's own", async () => {
	const root = aRoot();
	for (const folder of [".git", "a/.git/b/.git", "a/b/c", "node_modules/x/.GIT", "a/.gitx", "a/b/.hg"])
		mkdirSync(join(root, folder), { recursive: true });
	for (const file of ["x.code-workspace", "a/b/c/y.Code-Workspace", "a/b/.git", "a/b/code-workspace", "a/AGENTS.md"])
		writeFileSync(join(root, file), "");
	assert.deepEqual(await placesIn(root), {
		"a/.git": "repository",
		"a/AGENTS.md": "other",
		"a/b/.git": "repository",
		"a/b/.hg": "repository",
		"a/b/c/y.Code-Workspace": "other",
		"node_modules/x/.GIT": "repository",
	});
});

test("only package folders below a root are skipped, not one above it or one that was opened itself", async () => {
	const root = join(aRoot(), "vendor", "project");
	const opened = join(root, "node_modules", "opened");
	for (const folder of ["sub", "node_modules/p", "node_modules/opened/in", "node_modules/opened/vendor/q"])
		mkdirSync(join(root, folder), { recursive: true });
	for (const folder of ["sub", "node_modules/p", "node_modules/opened/in", "node_modules/opened/vendor/q"])
		writeFileSync(join(root, folder, "AGENTS.md"), "");
	assert.deepEqual(await placesIn(root), { "sub/AGENTS.md": "other" });
	const { places } = await createHarmfulPlaces().find([root, opened]);
	assert.deepEqual([...places.keys()].map((path) => relative(root, path)).sort(), [
		"node_modules/opened/in/AGENTS.md",
		"sub/AGENTS.md",
	]);
});

test("a Git directory is recognized by its full content, even in the root", async () => {
	const root = aRoot();
	for (const folder of [
		"docs/objects",
		"docs/refs",
		"part/objects",
		"objects",
		"refs",
		"no-head/objects",
		"no-head/refs",
	])
		mkdirSync(join(root, folder), { recursive: true });
	mkdirSync(join(root, "shared"));
	for (const file of ["docs/HEAD", "part/HEAD", "HEAD", "shared/HEAD", "shared/commondir"])
		writeFileSync(join(root, file), "");
	assert.deepEqual(await placesIn(root), { HEAD: "bare", "docs/HEAD": "bare", "shared/HEAD": "bare" });
});

test("a folder that even its owner cannot read is named, and root can read any", async () => {
	const root = aRoot();
	mkdirSync(join(root, "shut/.git"), { recursive: true });
	chmodSync(join(root, "shut"), 0);
	const found = await placesIn(root);
	chmodSync(join(root, "shut"), 0o700);
	assert.deepEqual(found, process.getuid?.() === 0 ? { "shut/.git": "repository" } : { shut: "closed" });
});

async function placesIn(root: string): Promise<Readonly<Record<string, string>>> {
	const { places } = await createHarmfulPlaces().find([root]);
	const sorted = [...places].map(([path, kind]) => [relative(root, path), kind] as const).sort();
	return Object.fromEntries(sorted);
}

test("remembered results never hide what was made, moved or removed since, whatever times a command sets", async () => {
	const root = aRoot();
	for (const folder of ["a/b", "c/d/e", "made/one"]) mkdirSync(join(root, folder), { recursive: true });
	const at = (path: string) => join(root, path);
	const places = createHarmfulPlaces();
	const changes: readonly (readonly [change: () => void, found: readonly string[]])[] = [
		[() => mkdirSync(at("a/b/.git")), ["a/b/.git"]],
		[() => renameSync(at("made/one"), at("c/d/e/.git")), ["a/b/.git", "c/d/e/.git"]],
		[() => rmSync(at("a/b/.git"), { recursive: true }), ["c/d/e/.git"]],
		[() => renameSync(at("c"), at("a/c")), ["a/c/d/e/.git"]],
	];
	for (const [change, found] of changes) {
		await untilOld(root);
		await places.find([root]);
		change();
		for (const folder of ["a", "a/b", "c/d/e"]) if (existsSync(at(folder))) utimesSync(at(folder), 0, 0);
		assert.deepEqual([...(await places.find([root])).places.keys()].sort(), found.map(at));
	}
});

/** Until everything in a folder is old enough to be remembered. */
async function untilOld(root: string): Promise<void> {
	const folders = readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) => join(root, path));
	const newest = Math.max(...[root, ...folders].map((path) => lstatSync(path).ctimeMs));
	while (Date.now() - newest <= 2 * TICK_MS) await new Promise(setImmediate);
}

test("a search covers all folders however many there are, or reports that it did not (R-48)", async () => {
	const root = aRoot();
	for (let index = 0; index < 2_000; index += 1) mkdirSync(join(root, `wide-${index}`));
	mkdirSync(join(root, "wide-1999/node_modules/.git"), { recursive: true });
	const whole = await createHarmfulPlaces().find([root]);
	assert.deepEqual([[...whole.places.keys()], whole.isWhole], [[join(root, "wide-1999/node_modules/.git")], true]);
	assert.equal((await createHarmfulPlaces(undefined, 1_000).find([root])).isWhole, false);
});

test("where it is not known what Git runs, every edit needs approval", async () => {
	const root = aRoot();
	mkdirSync(join(root, "inner"));
	const policy = aPolicy({ places: { roots: [root], temp: [] } });
	const judge = async (maxFolders: number) => {
		const guarded = await protectFromEdits(policy, createHarmfulPlaces(undefined, maxFolders));
		return protectedInEdit(guarded, join(root, "inner/a.txt")) !== undefined;
	};
	assert.deepEqual([await judge(100), await judge(1)], [false, true]);
	mkdirSync(join(root, ".git"));
	writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
	writeFileSync(join(root, ".git/config"), "# longer\n".repeat(200_000));
	assert.equal(await judge(100), true, "nor where a configuration of Git is too long");
});
