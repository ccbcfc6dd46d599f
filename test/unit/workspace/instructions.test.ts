import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isInside } from "../../../agent-host/permissions/reach/reach.ts";
import { loadInstructions } from "../../../agent-host/workspace/load-instructions.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-instructions-")));
after(() => rmSync(top, { recursive: true }));
const [home, root, outside] = [join(top, "home"), join(top, "work"), join(top, "outside")];
const cwd = join(root, "packages", "a");
for (const folder of [home, cwd, outside]) mkdirSync(folder, { recursive: true });
writeFileSync(join(home, "AGENTS.md"), "Mine.");
writeFileSync(join(root, "AGENTS.md"), "The project's.");
writeFileSync(join(cwd, "AGENTS.md"), "The package's.");
writeFileSync(join(outside, "AGENTS.md"), "Somebody's.");

async function textsOf(change: Partial<Parameters<typeof loadInstructions>[0]>) {
	const { files, problems } = await loadInstructions({
		...{ home, cwd, roots: [root], trusted: true },
		readable: (path) => isInside(path, root),
		...change,
	});
	return { texts: files.map(({ text }) => text), problems };
}

test("the user's own file comes first, then the chain from the workspace folder down to the working folder", async () => {
	assert.deepEqual(await textsOf({}), { texts: ["Mine.", "The project's.", "The package's."], problems: [] });
});

test("of a workspace that is not trusted nothing is read", async () => {
	assert.deepEqual(await textsOf({ trusted: false }), { texts: ["Mine."], problems: [] });
});

test("a folder outside the workspace gives nothing, also through a link, and the user is told", async () => {
	assert.deepEqual(await textsOf({ cwd: outside }), { texts: ["Mine."], problems: [] });
	const linked = join(root, "linked");
	mkdirSync(linked);
	symlinkSync(join(outside, "AGENTS.md"), join(linked, "AGENTS.md"));
	const { texts, problems } = await textsOf({ cwd: linked });
	assert.deepEqual(texts, ["Mine.", "The project's."]);
	assert.deepEqual(problems, [
		`${join(linked, "AGENTS.md")} is a link, so its instructions are not used. Replace it with a file to use them.`,
	]);
});
