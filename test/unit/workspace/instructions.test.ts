import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isInside } from "../../../agent-host/permissions/reach/reach.ts";
import { listImports } from "../../../agent-host/workspace/instructions/follow-imports.ts";
import { loadInstructions } from "../../../agent-host/workspace/instructions/load-instructions.ts";

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
		...{ home, cwd, roots: [root], trusted: true, fallbacks: ["CLAUDE.md"] },
		readable: (path) => isInside(path, root),
		...change,
	});
	return { texts: files.map(({ text }) => text), problems };
}

test("the user's own file comes first, then the chain from the workspace folder down to the working folder", async () => {
	assert.deepEqual(await textsOf({}), { texts: ["Mine.", "The project's.", "The package's."], problems: [] });
});

test("nothing is read from an untrusted workspace", async () => {
	assert.deepEqual(await textsOf({ trusted: false }), { texts: ["Mine."], problems: [] });
});

test("a folder outside the workspace gives no instructions, even through a link, and the user is told", async () => {
	assert.deepEqual(await textsOf({ cwd: outside }), { texts: ["Mine."], problems: [] });
	const linked = join(root, "linked");
	mkdirSync(linked);
	symlinkSync(join(outside, "AGENTS.md"), join(linked, "AGENTS.md"));
	const { texts, problems } = await textsOf({ cwd: linked });
	assert.deepEqual(texts, ["Mine.", "The project's."]);
	assert.deepEqual(problems, [
		`${join(linked, "AGENTS.md")} is a link, so its instructions are not used. Replace it with a file to use them.`,
	]);
	const leading = join(root, "leading-out");
	symlinkSync(outside, leading);
	assert.deepEqual(await textsOf({ cwd: leading }), {
		texts: ["Mine.", "The project's."],
		problems: [`${leading}/AGENTS.md can't be read with these permissions, so its instructions are not used.`],
	});
});

test("a folder without an AGENTS.md is read by the fallback names in the settings, others are not", async () => {
	const claude = join(root, "claude");
	mkdirSync(claude);
	writeFileSync(join(claude, "CLAUDE.md"), "For another agent.");
	const texts = async (fallbacks: readonly string[]) => (await textsOf({ cwd: claude, fallbacks })).texts;
	assert.deepEqual(await texts(["nothing.md", "CLAUDE.md"]), ["Mine.", "The project's.", "For another agent."]);
	assert.deepEqual(await texts([]), ["Mine.", "The project's."]);
	writeFileSync(join(claude, "AGENTS.md"), "For all agents.");
	assert.deepEqual(await texts(["CLAUDE.md"]), ["Mine.", "The project's.", "For all agents."]);
});

test("imports are words that begin with @ outside code, without surrounding punctuation", () => {
	const text = [
		"See @docs/style.md, (@docs/tests.md) and **@docs/words.md**.",
		"Ask me@example.org; `@not/code.md` and",
		"```sh",
		"npm i @types/node",
		"```",
		"@docs/style.md again.",
	].join("\n");
	assert.deepEqual(listImports(text), ["docs/style.md", "docs/tests.md", "docs/words.md"]);
	assert.deepEqual(listImports("~~~\n@open/fence.md"), []);
});

test("imported files follow their importer, once, in order and whole; a name without a file stays a word", async () => {
	const folder = join(root, "importing");
	mkdirSync(join(folder, "docs"), { recursive: true });
	writeFileSync(join(folder, "AGENTS.md"), "Read @docs/a.md, @docs/b.md, @../AGENTS.md and ask @somebody.");
	writeFileSync(join(folder, "docs/a.md"), "A, with @b.md and @../AGENTS.md.");
	writeFileSync(join(folder, "docs/b.md"), "B.");
	const { texts, problems } = await textsOf({ cwd: folder });
	assert.deepEqual([texts.slice(2).map((text) => text.split(/[ ,.]/)[0]), problems], [["Read", "A", "B"], []]);
});

test("no import leads outside the workspace, through a link, or on forever, and the user is told", async () => {
	const folder = join(root, "hostile");
	mkdirSync(folder);
	symlinkSync(join(outside, "AGENTS.md"), join(folder, "linked.md"));
	writeFileSync(
		join(folder, "AGENTS.md"),
		`@linked.md @../../outside/AGENTS.md @${outside}/AGENTS.md @1.md @/etc/nothing-here`,
	);
	for (let hop = 1; hop < 9; hop += 1) writeFileSync(join(folder, `${hop}.md`), `Hop ${hop} @${hop + 1}.md`);
	const { texts, problems } = await textsOf({ cwd: folder });
	assert.deepEqual(
		texts.slice(3).map((text) => text.slice(0, 5)),
		["Hop 1", "Hop 2", "Hop 3", "Hop 4"],
	);
	const said = problems.map((problem) => problem.replace(folder, "").replaceAll(top, ""));
	assert.deepEqual(said, [
		"/linked.md is a link, so its instructions are not used. Replace it with a file to use them.",
		"/AGENTS.md imports ../../outside/AGENTS.md, which is not used: it is outside /work.",
		"/AGENTS.md imports /outside/AGENTS.md, which is not used: it is outside /work.",
		"/4.md imports 5.md, which is not used: imports are followed 4 times.",
	]);
});
