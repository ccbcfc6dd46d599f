import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { isInside } from "../../agent-host/permissions/reach/reach.ts";
import { findRipgrep } from "../../agent-host/sandbox/find-ripgrep.ts";
import { readInside } from "../../agent-host/workspace/files/read-files.ts";
import { searchInside } from "../../agent-host/workspace/files/search.ts";
import { findEditorRipgrep } from "../../extension/facts/ripgrep.ts";
import { CODE_SERVER } from "../support/editor-paths.ts";

/** Changes a folder for a link that leads out, and back, as fast as it can, until it is ended. */
function swapForever(work: string): never {
	const [folder, link, aside] = ["folder", "link", "aside"].map((name) => join(work, name)) as [string, string, string];
	for (;;) {
		renameSync(folder, aside);
		renameSync(link, folder);
		renameSync(folder, link);
		renameSync(aside, folder);
	}
}

if (!isMainThread) swapForever(String(workerData));

const [READS, SEARCHES] = process.env.VITRINE_FULL === "1" ? [20_000, 1_000] : [4_000, 200];

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(realpathSync(tmpdir()), "vitrine-files-"));
	for (const folder of ["work/folder", "outside"]) mkdirSync(join(root, folder), { recursive: true });
	writeFileSync(join(root, "work/folder/plan.txt"), "inside");
	writeFileSync(join(root, "outside/plan.txt"), "outside");
	// Relative, so that it also leads there for a program that sees everything below another folder.
	symlinkSync("../outside", join(root, "work/link"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a folder that becomes a link between check and search never exposes a line outside", async () => {
	const work = join(root, "work");
	const ripgrep = await findRipgrep(findEditorRipgrep(join(CODE_SERVER, "lib", "vscode")), process.env.PATH, []);
	assert.notEqual(ripgrep, undefined, "run the editor set-up, and install bubblewrap");
	const request = { folder: join(work, "folder"), pattern: "side", regex: false, limit: 10 };
	const access = { readable: (path: string) => isInside(path, work), closesBelow: () => false };
	const swapper = new Worker(import.meta.filename, { workerData: work });
	const seen = { inside: 0, refused: 0 };
	const hasBoth = () => seen.inside > 0 && seen.refused > 0;
	try {
		for (let count = 0; count < SEARCHES || (!hasBoth() && count < 100 * SEARCHES); count++) {
			const outcome = await searchInside(ripgrep, request, access, new Map(), new AbortController().signal);
			for (const { text } of outcome.ok ? outcome.matches : []) assert.equal(text, "inside");
			seen[outcome.ok && outcome.matches.length > 0 ? "inside" : "refused"]++;
		}
	} finally {
		await swapper.terminate();
	}
	assert.ok(hasBoth(), JSON.stringify(seen));
});

test("a folder that becomes a link between check and open never exposes a file outside", async () => {
	const work = join(root, "work");
	const swapper = new Worker(import.meta.filename, { workerData: work });
	const seen = { inside: 0, refused: 0 };
	// Some of each, however seldom the other thread gets a processor.
	const hasBoth = () => seen.inside > 0 && seen.refused > 0;
	try {
		for (let read = 0; read < READS || (!hasBoth() && read < 100 * READS); read++) {
			const outcome = await readInside(join(work, "folder/plan.txt"), (path) => isInside(path, work));
			if (outcome.ok) assert.equal(outcome.text, "inside");
			seen[outcome.ok ? "inside" : "refused"]++;
		}
	} finally {
		await swapper.terminate();
	}
	assert.ok(hasBoth(), JSON.stringify(seen));
});
