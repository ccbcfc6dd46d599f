import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { parsePatch } from "../../agent-host/patch/grammar.ts";
import { describePatch } from "../../agent-host/workspace/apply/apply-files.ts";
import { openFolderOn, openHeldFolder } from "../../agent-host/workspace/apply/held-folder.ts";
import type { OpenDocuments } from "../../agent-host/workspace/apply/open-documents.ts";
import { settlesInFairTime } from "../support/fair-time.ts";
import { aFakeEditor } from "../support/fake-documents.ts";
import { aPatch, patchFiles } from "../support/patch-files.ts";
import { readTree, showTree } from "../support/patch-scenarios.ts";

/** Changes a folder for a link that leads out, and back, as fast as it can, until it is ended. */
function swapForever(work: string): never {
	const [folder, link, aside] = ["folder", "link", "aside"].map((name) => join(work, name)) as [string, string, string];
	for (let round = 0; ; round += 1) {
		try {
			// A patch made the folder again while it was away; it may do so again at any time.
			if (existsSync(aside) && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
				renameSync(folder, join(work, `made-${round}`));
			}
			if (existsSync(aside)) renameSync(aside, folder);
			renameSync(folder, aside);
			renameSync(link, folder);
			renameSync(folder, link);
			renameSync(aside, folder);
		} catch {
			// The next round puts things back first.
		}
	}
}

if (!isMainThread) swapForever(String(workerData));

const PATCHES = process.env.VITRINE_FULL === "1" ? 10_000 : 500;
const SCRATCH = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const top = realpathSync(mkdtempSync(join(SCRATCH, "vitrine-patch-")));
const [work, outside] = [join(top, "work"), join(top, "outside")];
after(() => rmSync(top, { recursive: true, force: true }));

beforeEach(() => {
	rmSync(top, { recursive: true, force: true });
	for (const folder of [join(work, "folder"), outside, `${work}-secrets`]) mkdirSync(folder, { recursive: true });
	writeFileSync(join(work, "folder/plan.txt"), "a\n");
	writeFileSync(join(work, "mine.txt"), "a\n");
	writeFileSync(join(outside, "plan.txt"), "a\n");
});

/** Everything an operation can do to a path. */
function operationsOn(path: string): readonly (readonly string[])[] {
	return [
		[`*** Add File: ${path}`, "+x"],
		[`*** Delete File: ${path}`],
		[`*** Update File: ${path}`, "@@", "-a", "+x"],
		[`*** Update File: ${path}`, "*** Move to: moved.txt", "@@", "-a", "+x"],
		["*** Update File: mine.txt", `*** Move to: ${path}`, "@@", "-a", "+x"],
	];
}

/** Contents, modes, links and times of a folder and everything below: a file that came and went shows in its times. */
function photograph(folder: string): readonly string[] {
	return [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].sort().map((name) => {
		const { mode, nlink, mtimeMs, ino } = lstatSync(join(folder, name));
		return [name, mode, nlink, mtimeMs, ino].join(" ");
	});
}

test("an open document without unsaved changes is not saved through a folder that has become a link", async () => {
	const editor = aFakeEditor();
	const path = join(work, "folder/plan.txt");
	editor.open(path);
	let isSwapped = false;
	const swap = () => {
		if (isSwapped) return;
		isSwapped = true;
		renameSync(join(work, "folder"), join(work, "aside"));
		symlinkSync(outside, join(work, "folder"));
	};
	// At the last moment before each kind of write.
	const documents: OpenDocuments = {
		...editor,
		edit: (...asked) => {
			swap();
			return editor.edit(...asked);
		},
		isUnsaved: async (asked) => {
			const answer = await editor.isUnsaved(asked);
			swap();
			return answer;
		},
	};
	await patchFiles(work, aPatch("*** Update File: folder/plan.txt", "@@", "-a", "+x"), { documents });
	assert.ok(isSwapped);
	assert.equal(readFileSync(join(outside, "plan.txt"), "utf8"), "a\n");
});

test(`${PATCHES} patches write nothing outside while a folder on the way keeps becoming a link and back`, async (t) => {
	symlinkSync(outside, join(work, "link"));
	const before = photograph(outside);
	const swapper = new Worker(import.meta.filename, { workerData: work });
	const seen = { applied: 0, refused: 0 };
	// Some of each, however seldom the other thread gets a processor.
	const hasBoth = () => seen.applied > 0 && seen.refused > 0;
	try {
		for (let patch = 0; patch < PATCHES || (!hasBoth() && patch < 20 * PATCHES); patch += 1) {
			const operations = [
				[`*** Add File: folder/new-${patch}.txt`, "+x"],
				["*** Update File: folder/plan.txt", "@@", "-a", "+a"],
				[`*** Add File: folder/deep-${patch}/new.txt`, "+x"],
				[`*** Delete File: folder/new-${patch - 3}.txt`],
			];
			const applied = await patchFiles(work, aPatch(...(operations[patch % 4] ?? [])));
			seen[applied.ok ? "applied" : "refused"] += 1;
		}
	} finally {
		await swapper.terminate();
	}
	t.diagnostic(`0 writes outside: ${JSON.stringify(seen)}`);
	assert.deepEqual(photograph(outside), before);
	assert.ok(hasBoth(), JSON.stringify(seen));
	const leftBehind = readdirSync(work, { recursive: true, encoding: "utf8" }).filter((name) =>
		name.includes(".vitrine-"),
	);
	assert.deepEqual(leftBehind, []);
});

test("whatever a path or link says, nothing outside changes and the reason is given", async () => {
	symlinkSync(outside, join(work, "linked"));
	symlinkSync("linked", join(work, "twice"));
	symlinkSync(join(outside, "plan.txt"), join(work, "leaf.txt"));
	symlinkSync(join(outside, "not-there.txt"), join(work, "dangling.txt"));
	symlinkSync("loop.txt", join(work, "loop.txt"));
	const before = [photograph(outside), photograph(`${work}-secrets`), photograph(work)];
	const paths = [
		"../outside/plan.txt",
		join(outside, "plan.txt"),
		"linked/plan.txt",
		"linked/new/deep.txt",
		"twice/plan.txt",
		"leaf.txt",
		"dangling.txt",
		"loop.txt",
		"../work-secrets/x",
		"folder/../../work-secrets/x",
		"/etc/passwd",
		"~/x",
		"folder",
		"folder/plan.txt/below",
	];
	for (const path of paths) {
		for (const lines of operationsOn(path)) {
			const applied = await patchFiles(work, aPatch(...lines));
			assert.ok(!applied.ok, lines.join(" | "));
			assert.match(
				applied.reason,
				/outside the writable folders|link that is broken|not a valid path|folder|does not exist/,
			);
			if (path.startsWith("..") || path.startsWith("linked"))
				assert.match(applied.reason, /outside the writable folders/);
		}
	}
	assert.deepEqual([photograph(outside), photograph(`${work}-secrets`), photograph(work)], before);
});

test("a link that stays inside is followed for an update, judged and shown by its target, and stays a link", async () => {
	symlinkSync("folder/plan.txt", join(work, "link.txt"));
	const patch = aPatch("*** Update File: link.txt", "@@", "-a", "+b");
	const judged: string[] = [];
	const writable = {
		roots: [work],
		mayWrite: (resolved: string) => {
			judged.push(resolved);
			return undefined;
		},
		protectedBy: (resolved: string) => (resolved.endsWith("plan.txt") ? "a plan" : undefined),
	};
	const parsed = parsePatch(patch);
	assert.ok(parsed.ok);
	const described = await describePatch(parsed.patch, { cwd: work, writable });
	assert.ok(described.ok);
	const resolved = join(work, "folder/plan.txt");
	assert.deepEqual(
		described.files.map(({ path, resolved, operation, protected: reason }) => [path, resolved, operation, reason]),
		[["link.txt", resolved, "update", "a plan"]],
	);
	assert.ok((await patchFiles(work, patch, { writable })).ok);
	assert.deepEqual(new Set(judged), new Set([resolved, join(work, "link.txt")]), "by every name that leads there");
	assert.deepEqual([lstatSync(join(work, "link.txt")).isSymbolicLink(), readFileSync(resolved, "utf8")], [true, "b\n"]);
});

test("a place that may not be written is refused with the policy's reason, for both ends of a move", async () => {
	const mayWrite = (resolved: string) => (resolved.includes("plan") ? "is not yours." : undefined);
	const before = photograph(work);
	for (const lines of operationsOn("folder/plan.txt")) {
		const applied = await patchFiles(work, aPatch(...lines), { writable: { roots: [work], mayWrite } });
		assert.ok(!applied.ok);
		assert.match(applied.reason, /plan\.txt is not yours/);
	}
	assert.deepEqual(photograph(work), before);
});

test("a folder that becomes a link to a closed place after the verdict is judged again by its target", async () => {
	mkdirSync(join(work, "closed"));
	writeFileSync(join(work, "closed/plan.txt"), "a\n");
	let hasJudged = false;
	const mayWrite = (resolved: string) => {
		if (!hasJudged) {
			renameSync(join(work, "folder"), join(work, "aside"));
			symlinkSync("closed", join(work, "folder"));
		}
		hasJudged = true;
		return resolved.startsWith(join(work, "closed/")) ? "is not yours." : undefined;
	};
	const before = photograph(join(work, "closed"));
	const patch = aPatch("*** Update File: folder/plan.txt", "@@", "-a", "+x");
	const applied = await patchFiles(work, patch, { writable: { roots: [work], mayWrite } });
	assert.equal(applied.ok || applied.reason, "folder/plan.txt is not yours.");
	assert.deepEqual(photograph(join(work, "closed")), before);
});

test("describing or refusing a patch leaves bytes, times and names as they were", async () => {
	const before = photograph(work);
	const parsed = parsePatch(aPatch("*** Update File: mine.txt", "@@", "-a", "+b", "*** Add File: x/y.txt", "+z"));
	assert.ok(parsed.ok);
	const writable = { roots: [work], mayWrite: () => undefined };
	assert.ok((await describePatch(parsed.patch, { cwd: work, writable })).ok);
	assert.deepEqual(photograph(work), before);
});

test("a described patch is not applied to files that have changed since", async () => {
	const patch = aPatch("*** Update File: mine.txt", "@@", "-a", "+b");
	const parsed = parsePatch(patch);
	assert.ok(parsed.ok);
	const writable = { roots: [work], mayWrite: () => undefined };
	const described = await describePatch(parsed.patch, { cwd: work, writable });
	assert.ok(described.ok);
	writeFileSync(join(work, "mine.txt"), "a\nmore\n");
	const applied = await patchFiles(work, patch, { judged: described });
	assert.ok(!applied.ok);
	assert.match(applied.reason, /changed after the patch was approved/);
	writeFileSync(join(work, "mine.txt"), "a\n");
	assert.ok((await patchFiles(work, patch, { judged: described })).ok);
});

test("pipes, sockets, devices, folders and giant files are refused soon", async (t) => {
	execFileSync("mkfifo", [join(work, "pipe")]);
	const server = createServer().listen(join(work, "socket"));
	t.after(() => server.close());
	writeFileSync(join(work, "giant"), "a\n");
	truncateSync(join(work, "giant"), 5 * 2 ** 30);
	const refuseAll = async () => {
		for (const path of ["pipe", "socket", "folder", "giant"]) {
			for (const lines of operationsOn(path)) {
				const applied = await patchFiles(work, aPatch(...lines));
				assert.ok(!applied.ok, `${path}: ${lines[0]}`);
			}
		}
		const device = await patchFiles("/dev", aPatch("*** Update File: zero", "@@", "-a", "+b"));
		assert.ok(!device.ok);
		const made = await patchFiles("/proc/self", aPatch("*** Update File: status", "@@", "-a", "+b"));
		assert.ok(!made.ok);
	};
	await settlesInFairTime(refuseAll(), 1_000, () => "it waits for one of them");
});

test("patching a file with two names leaves the other name's bytes alone, and a patch that uses both names is refused", async () => {
	linkSync(join(work, "mine.txt"), join(work, "second.txt"));
	const both = ["*** Update File: mine.txt", "@@", "-a", "+b", "*** Update File: second.txt", "@@", "-a", "+c"];
	const refused = await patchFiles(work, aPatch(...both));
	assert.ok(!refused.ok);
	assert.match(refused.reason, /mine\.txt and second\.txt are the same file/);
	assert.ok((await patchFiles(work, aPatch(...both.slice(0, 4)))).ok);
	assert.deepEqual(
		[readFileSync(join(work, "mine.txt"), "utf8"), readFileSync(join(work, "second.txt"), "utf8")],
		["b\n", "a\n"],
	);
});

test("a read-only file is refused", async () => {
	writeFileSync(join(work, "fixed.txt"), "a\n", { mode: 0o444 });
	const applied = await patchFiles(work, aPatch("*** Update File: fixed.txt", "@@", "-a", "+b"));
	assert.ok(!applied.ok);
	assert.match(applied.reason, /fixed\.txt is read-only/);
});

test("a writer that comes between comparison and replacement wins, and the patch is refused", async () => {
	const file = join(work, "mine.txt");
	const writers: Readonly<Record<string, () => void>> = {
		"in place": () => writeFileSync(file, "theirs\n"),
		"by renaming": () => {
			writeFileSync(`${file}.tmp`, "theirs\n");
			renameSync(`${file}.tmp`, file);
		},
	};
	for (const [how, write] of Object.entries(writers)) {
		for (const moment of ["create", "link", "look", "prove", "rename"] as const) {
			writeFileSync(file, "a\n");
			let left = 1;
			const applied = await patchFiles(
				work,
				aPatch("*** Update File: mine.txt", "@@", "-a", "+b", "*** Add File: n.txt", "+x"),
				{
					openFolder: async (path) => {
						const folder = await openHeldFolder(path);
						const act = folder[moment] as (...args: readonly unknown[]) => Promise<never>;
						const meddled = async (...args: readonly unknown[]) => {
							const isBackup = String(args[1]).endsWith(".old") || String(args[0]).includes(".vitrine-");
							// The very rename that replaces the file can be followed, not preceded: before it the file was looked at.
							if (moment !== "rename" && (isBackup || moment === "prove") && left-- > 0) write();
							const result = await act(...args);
							if (moment === "rename" && how === "in place" && left-- > 0) writeThroughOldHandle();
							return result;
						};
						return { ...folder, [moment]: meddled };
					},
				},
			);
			const now = readFileSync(file, "utf8");
			if (applied.ok) assert.equal(now, "b\n", `${how}, ${moment}`);
			else
				assert.deepEqual(
					[now, existsSync(join(work, "n.txt"))],
					["theirs\n", false],
					`${how}, ${moment}: ${applied.reason}`,
				);
			if (moment !== "rename") assert.equal(applied.ok, false, `${how}, ${moment}`);
			rmSync(join(work, "n.txt"), { force: true });
		}
	}

	function writeThroughOldHandle(): void {
		const old = readdirSync(work).find((name) => name.endsWith(".old"));
		if (old !== undefined) writeFileSync(join(work, old), "theirs\n");
	}
});

test("where the system has no names for open folders, folders are compared by identity, with the same outcome", async () => {
	const patch = aPatch("*** Update File: folder/plan.txt", "@@", "-a", "+b", "*** Add File: new/x.txt", "+x");
	const applied = await patchFiles(work, patch, { openFolder: openFolderOn("darwin") });
	assert.ok(applied.ok, applied.ok ? "" : applied.reason);
	assert.deepEqual(showTree(readTree(work)), { "folder/plan.txt": "b\n", "mine.txt": "a\n", "new/x.txt": "x\n" });
	const folder = await openFolderOn("darwin")(join(work, "folder"));
	renameSync(join(work, "folder"), join(work, "aside"));
	symlinkSync(outside, join(work, "folder"));
	await assert.rejects(folder.create("x", new Uint8Array(), "usual"), /moved or replaced/);
	await folder.close();
	assert.deepEqual(readdirSync(outside), ["plan.txt"]);
	assert.equal(statSync(join(work, "aside")).isDirectory(), true);
});
