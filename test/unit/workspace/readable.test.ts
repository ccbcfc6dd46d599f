import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

test("each place of a policy holds also for where the system says it leads, and for itself where it leads nowhere", () => {
	const part = fc.constantFrom("real", "deep", "file", "away", "up", "self", "nowhere", "loop", "missing", ".", "..");
	fc.assert(
		fc.property(fc.array(fc.array(part, { maxLength: 6 }), { minLength: 1, maxLength: 5 }), (ways) => {
			const secrets = ways.map((way) => [root, ...way].join("/"));
			const expected = secrets.flatMap((path) => [path, whereTheSystemLeads(path)]);
			const both = [...new Set(expected)];
			const policy = aPolicy();
			const filesystem = secrets.map((path) => ({ path, access: "none" as const }));
			const protect = { ...policy.protect, paths: secrets, free: secrets };
			const real = withRealPaths({ ...policy, secrets, filesystem, protect, folders: secrets });
			assert.deepEqual([real.secrets, real.protect.paths, real.protect.free], [both, both, both]);
			assert.deepEqual([...new Set(real.filesystem.map(({ path }) => path))], both);
			assert.ok(real.filesystem.every(({ access }) => access === "none"));
			assert.deepEqual(real.folders, secrets.map(whereTheSystemLeads));
		}),
	);
});

test("text that the editor has is given for files that may be read, saved or not, and for no others", async () => {
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
