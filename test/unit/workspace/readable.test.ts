import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { isInside } from "../../../agent-host/permissions/reach/reach.ts";
import { openTextInside } from "../../../agent-host/workspace/files/open-text.ts";
import { resolveInside } from "../../../agent-host/workspace/files/read-files.ts";
import { withRealPaths } from "../../../agent-host/workspace/files/readable.ts";
import { aPolicy } from "../../support/a-policy.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-readable-")));
after(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "real/deep"), { recursive: true });
writeFileSync(join(root, "real/deep/file"), "");
for (const [name, target] of [
	["away", "real"],
	["real/up", ".."],
	["real/deep/self", "file"],
	["nowhere", "missing/place"],
	["loop", "loop"],
] as const)
	symlinkSync(target, join(root, name));

const NAMES = ["real", "deep", "file", "away", "up", "self", "nowhere", "loop", "missing"] as const;

function aListOfPlaces(...names: readonly string[]) {
	const way = fc.array(fc.constantFrom(...names), { maxLength: 6 });
	return fc.array(way, { minLength: 1, maxLength: 5 }).map((ways) => ways.map((parts) => [root, ...parts].join("/")));
}

test("a closed place of a policy is closed at its real location too, and as itself and where it would lead if that is nowhere", () => {
	fc.assert(
		fc.property(aListOfPlaces(...NAMES, ".", ".."), (secrets) => {
			const both = [...new Set(secrets.flatMap((path) => [path, whereTheSystemLeads(path)]))];
			const policy = aPolicy();
			const filesystem = secrets.map((path) => ({ path, access: "none" as const }));
			const real = withRealPaths({ ...policy, secrets, filesystem, protect: { ...policy.protect, paths: secrets } });
			const entries = [...new Set(real.filesystem.map(({ path }) => path))];
			for (const list of [real.secrets, real.protect.paths, entries]) {
				const more = list.filter((path) => !both.includes(path));
				assert.deepEqual(
					[both.filter((path) => !list.includes(path)), more.filter((path) => existsSync(path))],
					[[], []],
				);
			}
			assert.ok(real.filesystem.every(({ access }) => access === "none"));
		}),
	);
});

test("a closed place that leads to nothing is closed where it would lead", () => {
	const closed = (path: string) => withRealPaths({ ...aPolicy(), secrets: [join(root, path)] }).secrets;
	const at = (...paths: readonly string[]) => paths.map((path) => join(root, path));
	assert.deepEqual(closed("nowhere"), at("nowhere", "missing/place"));
	assert.deepEqual(closed("nowhere/below"), at("nowhere/below", "missing/place/below"));
	assert.deepEqual(closed("away/not/there"), at("away/not/there", "real/not/there"));
	assert.deepEqual(closed("not/there"), at("not/there"));
});

test("a granted place is granted at its real location too, but commands are granted only what is not a link", () => {
	fc.assert(
		fc.property(aListOfPlaces(...NAMES), (places) => {
			const policy = aPolicy();
			const closed = { places: [], except: places };
			const protect = { ...policy.protect, free: places };
			const elsewhere = withRealPaths({ ...policy, closed, protect });
			const both = [...new Set(places.flatMap((path) => [path, whereTheSystemLeads(path)]))];
			assert.deepEqual([elsewhere.closed.except, elsewhere.protect.free], [both, both]);
			const filesystem = [root, ...places].map((path) => ({ path, access: "write" as const }));
			const inReach = withRealPaths({ ...policy, closed, protect, filesystem, folders: places });
			assert.deepEqual(inReach.filesystem, filesystem);
			const once = [...new Set(places)];
			const kept = [inReach.closed.except, inReach.protect.free, inReach.folders].map((list) => [...new Set(list)]);
			assert.deepEqual(kept, [once, once, once]);
		}),
	);
});

test("editor text is given for readable files, saved or not, and for no others", async () => {
	const [inside, outside] = [join(root, "real"), join(root, "elsewhere")];
	mkdirSync(outside);
	writeFileSync(join(outside, "there"), "");
	const [open, closed] = [
		["deep/file", "new"].map((name) => join(inside, name)),
		[join(outside, "there"), join(outside, "new"), join(root, "nowhere/new")],
	];
	const paths = [...open, ...closed];
	const documents = new Map(paths.map((path) => [path, path]));
	const given = await Promise.all(
		paths.map((path) => openTextInside(path, (real) => isInside(real, inside), documents)),
	);
	assert.deepEqual(given, [...open, undefined, undefined, undefined]);
	const told = await Promise.all(
		closed.slice(0, 2).map((path) => resolveInside(path, (real) => isInside(real, inside))),
	);
	assert.deepEqual(
		told.map((one) => one.ok || one.missing),
		[false, false],
		"whether a closed file is there is not told",
	);
});

function whereTheSystemLeads(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
}
