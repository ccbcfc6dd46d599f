import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { withRealPaths } from "../../../agent-host/sandbox/files/readable.ts";
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
			assert.deepEqual(withRealPaths({ ...aPolicy(), secrets }).secrets, [...new Set(expected)]);
		}),
	);
});

function whereTheSystemLeads(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return path;
	}
}
