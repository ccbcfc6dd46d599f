import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parsePatch } from "../../../agent-host/patch/grammar.ts";
import { applyPatchToFiles } from "../../../agent-host/workspace/apply/apply-files.ts";
import { openHeldFolder } from "../../../agent-host/workspace/apply/held-folder.ts";
import { createJournal } from "../../../agent-host/workspace/apply/journal.ts";
import { createFaultyFolders } from "../../support/faulty-folder.ts";
import { aPatch } from "../../support/patch-files.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-patch-work-")));
after(() => rmSync(top, { recursive: true, force: true }));

/** What a patch of one file does with its folder and with the journal's, and how often it waits for another thread. */
async function workOf(text: string) {
	const work = mkdtempSync(join(top, "work-"));
	const journal = mkdtempSync(join(top, "journal-"));
	mkdirSync(join(work, "deep", "below"), { recursive: true });
	writeFileSync(join(work, "deep", "below", "a.txt"), text);
	const calls: Record<string, number> = {};
	const { open } = createFaultyFolders(openHeldFolder, (call) => {
		calls[call] = (calls[call] ?? 0) + 1;
		return "none";
	});
	const parsed = parsePatch(aPatch("*** Update File: deep/below/a.txt", "@@", "-one", "+two"));
	assert.ok(parsed.ok);
	const held = await open(journal);
	let waits = 0;
	const hook = createHook({
		init: (_, type) => {
			if (type === "FSREQCALLBACK" || type === "FSREQPROMISE") waits += 1;
		},
	}).enable();
	const outcome = await applyPatchToFiles(parsed.patch, {
		cwd: work,
		writable: { roots: [work], mayWrite: () => undefined },
		openFolder: open,
		journal: createJournal(held),
		id: "one",
	});
	hook.disable();
	await held.close();
	assert.ok(outcome.ok);
	assert.equal(readFileSync(join(work, "deep", "below", "a.txt"), "utf8"), text.replace("one", "two"));
	return { calls, waits };
}

test("a patch reads, compares and writes its file once, and syncs a folder only where the order matters", async () => {
	const { calls } = await workOf("one\n");
	const { read, holds, create, link, rename, remove, sync } = calls;
	assert.deepEqual(
		{ read, holds, create, link, rename, remove, sync },
		// Written: the plan, the new file and the mark; removed: the old file, the plan and both marks.
		{ read: 1, holds: 1, create: 3, link: 1, rename: 1, remove: 4, sync: 5 },
	);
});

test("a patch of a usual file leaves to another thread only what changes the disk", async () => {
	// Three files are opened, two of which are synced; one link, one rename, four removals and five syncs of folders.
	assert.equal((await workOf("one\n")).waits, 16);
	assert.equal((await workOf(`one\n${"x\n".repeat(20_000)}`)).waits, 16);
});
