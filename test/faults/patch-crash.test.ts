import assert from "node:assert/strict";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { PatchOutcome } from "../../agent-host/patch/change-set.ts";
import { parsePatch } from "../../agent-host/patch/grammar.ts";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { applyPatchToFiles, writeFiles } from "../../agent-host/workspace/apply/apply-files.ts";
import type { OpenFolder } from "../../agent-host/workspace/apply/folder-port.ts";
import { hashContent } from "../../agent-host/workspace/apply/hash-bytes.ts";
import { openHeldFolder } from "../../agent-host/workspace/apply/held-folder.ts";
import { createJournal } from "../../agent-host/workspace/apply/journal.ts";
import { type Recovered, recoverPatches } from "../../agent-host/workspace/apply/recover.ts";
import type { Content } from "../../agent-host/workspace/files/content.ts";
import { applyPatch } from "../support/apply-patch.ts";
import { createRandom } from "../support/crash.ts";
import { createFaultyFolders, type FolderCall, type FolderFault, type PlanFault } from "../support/faulty-folder.ts";
import { startHost } from "../support/host-process.ts";
import { failure } from "../support/memory-disk.ts";
import { readTree, showTree, writeTree } from "../support/patch-scenarios.ts";

const FULL = process.env.VITRINE_FULL === "1";
const SECOND_FAULTS = FULL ? 5_000 : 24;
/** Of the calls after which the user comes, one in so many. */
const STEP = FULL ? 1 : 5;

const FILES = new Map(
	Object.entries({
		"update.txt": "one\r\ntwo\r\nthree",
		"run.sh": "#!/bin/sh\nexit 1\n",
		"gone.txt": "obsolete\n",
		"from/name.txt": "from\n",
		"to/name.txt": "replaced\n",
		"again.txt": "old\n",
		"bystander.txt": "not in the patch\n",
	}).map(([path, text]) => [path, new Uint8Array(Buffer.from(text))]),
);

const PATCH = `*** Begin Patch
*** Update File: update.txt
@@
-two
+2
*** Update File: run.sh
@@
-exit 1
+exit 0
*** Add File: new/deep/file.txt
+new
*** Add File: new/other.txt
+new too
*** Delete File: gone.txt
*** Update File: from/name.txt
*** Move to: to/name.txt
@@
-from
+to
*** Add File: again.txt
+new
*** End Patch`;

// In memory where that exists: the matrix is about the order of calls, not about the disk's speed.
const SCRATCH = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
let root: string;
let expected: { readonly before: object; readonly after: object };
let runs = 0;

before(() => {
	root = realpathSync(mkdtempSync(join(SCRATCH, "vitrine-crash-")));
	const outcome = applyPatch(FILES, PATCH);
	assert.ok(outcome.ok);
	expected = { before: showTree(FILES), after: showTree(outcome.after) };
});
after(() => rmSync(root, { recursive: true, force: true }));

test("without a fault the disk matches the pure function's result, keeps file modes and holds no leftovers", async () => {
	const world = aWorld();
	const { applied } = await attempt(world, () => "none");
	assert.ok(applied?.ok, applied === undefined ? "died" : JSON.stringify(applied));
	assert.deepEqual(look(world), { tree: expected.after, folders: ["from", "new", "new/deep", "to"], mode: 0o755 });
	assert.deepEqual(readdirSync(world.journal), []);
});

/** What can happen, and the calls at which it makes a difference, if not at all of them. */
interface Fault {
	readonly fault: FolderFault;
	readonly at?: readonly FolderCall[];
}

const CHANGES: readonly FolderCall[] = ["create", "link", "rename", "remove", "makeFolder", "removeFolder"];
const TAKE_ROOM: readonly FolderCall[] = ["create", "link", "rename", "makeFolder", "sync"];

const FAULTS: Readonly<Record<string, Fault>> = {
	// Where a call only looks, the dead leave what they leave at the next that changes something.
	"the host dies before it": { fault: "die", ...(!FULL && { at: CHANGES }) },
	// Any other call is done or not: to die in the middle of it is to die before it.
	"the host dies in the middle of it": { fault: "dieHalfway", at: ["create"] },
	"the disk fails": { fault: failure("EIO") },
	"the disk is full": { fault: failure("ENOSPC"), ...(!FULL && { at: TAKE_ROOM }) },
};

for (const [what, { fault, at }] of Object.entries(FAULTS)) {
	test(`when ${what} at any file-system call that matters, all files are old or all are new, also after the next start`, async (t) => {
		const ends = { before: 0, after: 0 };
		const names = await callsWithoutFault();
		let call = 0;
		for (; ; call += 1) {
			const name = names[call];
			if (at !== undefined && name !== undefined && !at.includes(name)) continue;
			const world = aWorld();
			const { applied, calls } = await attempt(world, (_, index) => (index === call ? fault : "none"));
			if (calls <= call) break;
			ends[await settled(world, applied)] += 1;
		}
		t.diagnostic(`${call} calls: ${ends.before} times before, ${ends.after} times after, never between`);
		assert.ok(call > 80);
	});
}

for (const [what, fault] of [
	["the host dies", "die"],
	["the disk fails", failure("EIO")],
] as const) {
	test(`when ${what} at any call of a restore of links, all are old or all are new, also after the next start`, async () => {
		const ends = { old: 0, new: 0 };
		for (let call = 0; ; call += 1) {
			const world = aWorld();
			const was = ["from/link -> name.txt", "gone -> /nowhere", "link -> gone.txt"];
			for (const [path, target] of was.map((line) => line.split(" -> ")))
				symlinkSync(target ?? "", join(world.work, path ?? ""));
			const folders = createFaultyFolders(openHeldFolder, (_, index) => (index === call ? fault : "none"));
			const done = await swapLinks(world, folders.open).catch(() => undefined);
			if (folders.calls() <= call) break;
			await recover(world, openHeldFolder);
			const found = listLinks(world);
			const isNew = !found.includes("gone -> /nowhere");
			assert.deepEqual(found, isNew ? ["from/link -> other.txt", "new.txt -> made"] : was, `call ${call}`);
			assert.equal(existsSync(join(world.work, "link")) && statSync(join(world.work, "link")).isFile(), true);
			assert.equal(lstatSync(join(world.work, "link")).isFile(), isNew);
			if (done !== undefined && !folders.isDead() && !done.reason?.includes("next start")) assert.equal(done.ok, isNew);
			ends[isNew ? "new" : "old"] += 1;
		}
		assert.ok(ends.old > 20 && ends.new > 0, JSON.stringify(ends));
	});
}

/** One link leads elsewhere, one becomes a file, one goes and one comes. */
async function swapLinks({ work, journal }: CrashWorld, open: OpenFolder) {
	const held = await open(journal);
	try {
		const link = (target: string) => ({ target: Buffer.from(target) });
		const swap = (name: string, before: string | undefined, after: Content | undefined) => ({
			path: join(work, name),
			expected: before === undefined ? undefined : hashContent(link(before)),
			after,
		});
		const wanted = [
			swap("from/link", "name.txt", link("other.txt")),
			swap("link", "gone.txt", Buffer.from("a file\n")),
			swap("gone", "/nowhere", undefined),
			swap("new.txt", undefined, link("made")),
		];
		const writable = { roots: [work], mayWrite: () => undefined };
		const outcome = await writeFiles(wanted, {
			...{ cwd: work, writable, journal: createJournal(held), id: "p1", openFolder: open },
		});
		return { ok: outcome.ok, reason: outcome.ok ? undefined : outcome.reason };
	} finally {
		await held.close();
	}
}

function listLinks({ work }: CrashWorld): readonly string[] {
	return readdirSync(work, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isSymbolicLink())
		.map((entry) => join(entry.parentPath, entry.name))
		.map((path) => `${path.slice(work.length + 1)} -> ${readlinkSync(path)}`)
		.sort();
}

test("a fault, then the host's death, then death during recovery still leave all files old or all new", async (t) => {
	const random = createRandom(7);
	const ends = { before: 0, after: 0 };
	for (let run = 0; run < SECOND_FAULTS; run += 1) {
		const [first, second] = [Math.floor(random() * 130), Math.floor(random() * 60)];
		const isFailure = random() < 0.5;
		const world = aWorld();
		const plan: PlanFault = (_, index) => {
			if (index === first && isFailure) return failure("EIO");
			return index === first + (isFailure ? second : 0) ? "die" : "none";
		};
		const { applied } = await attempt(world, plan);
		const dying = createFaultyFolders(openHeldFolder, (_, index) => (index === second ? "dieHalfway" : "none"));
		await recover(world, dying.open).catch(() => undefined);
		ends[await settled(world, applied?.ok ? applied : undefined)] += 1;
	}
	t.diagnostic(`${SECOND_FAULTS} pairs: ${ends.before} times before, ${ends.after} times after, never between`);
	assert.ok(ends.before > 0 && ends.after > 0);
});

test("changes that the user made after a crash are left alone, and the contents that the patch replaced are kept", async () => {
	for (let call = 0; ; call += STEP) {
		const world = aWorld();
		const { calls } = await attempt(world, (_, index) => (index === call ? "die" : "none"));
		if (calls <= call) break;
		writeTree(world.work, new Map([["update.txt", new Uint8Array(Buffer.from("mine\n"))]]));
		await recover(world, openHeldFolder);
		assert.equal(showTree(readTree(world.work))["update.txt"], "mine\n");
	}
});

test("a plan that was damaged after files changed is kept and named at every start, and blocks no later patch", async () => {
	let damaged = 0;
	for (let call = 0; ; call += STEP) {
		const world = aWorld();
		const { calls } = await attempt(world, (_, index) => (index === call ? "die" : "none"));
		if (calls <= call) break;
		if (!readdirSync(world.journal).some((name) => /\.(?:committed|undone)$/.test(name))) continue;
		const plan = join(world.journal, "p1.plan");
		if (!existsSync(plan)) continue;
		damaged += 1;
		// Flipped, cut, larger than any plan, and not even a file.
		const spoil = [
			() => writeFileSync(plan, readFileSync(plan).fill(0x20, 70, 71)),
			() => truncateSync(plan, 10),
			() => writeFileSync(plan, Buffer.alloc(4_000_001)),
			() => {
				rmSync(plan);
				mkdirSync(plan);
			},
		];
		spoil[damaged % spoil.length]?.();
		for (const start of ["first", "second"]) {
			const recovered = await recover(world, openHeldFolder);
			assert.deepEqual(
				recovered.map(({ became, files }) => ({ became, files })),
				[{ became: "unsettled", files: [plan] }],
				start,
			);
		}
		assert.ok(existsSync(plan));
	}
	assert.ok(damaged > 4, `${damaged} plans`);
});

test("the next host settles a patch that was cut short, and tells the user", async (t) => {
	const world = aWorld();
	const { calls } = await attempt(world, () => "none");
	const cut = aWorld();
	await attempt(cut, (_, index) => (index === calls - 5 ? "die" : "none"));
	const home = join(cut.work, "../home");
	mkdirSync(home);
	renameSync(cut.journal, join(home, "patches"));
	const host = await startHost({ home, folders: [cut.work] });
	t.after(() => host.close());
	while (host.received.warnings.length === 0) await host.request(hostStatus, {});
	const [message = ""] = host.received.warnings.map((warning) => warning.message);
	assert.match(message, /^An interrupted patch was (?:completed|undone): .*again\.txt/);
	const isNew = showTree(readTree(cut.work))["again.txt"] === "new\n";
	assert.equal(isNew, message.includes("completed"));
	assertIs(cut, isNew ? "after" : "before");
});

interface CrashWorld {
	readonly work: string;
	readonly journal: string;
}

function aWorld(): CrashWorld {
	runs += 1;
	const [work, journal] = [join(root, `${runs}`, "work"), join(root, `${runs}`, "journal")];
	rmSync(join(root, `${runs - 1}`), { recursive: true, force: true });
	writeTree(work, FILES);
	chmodSync(join(work, "run.sh"), 0o755);
	mkdirSync(journal);
	return { work, journal };
}

/** The calls of a patch that nothing happens to, in their order. */
async function callsWithoutFault(): Promise<readonly FolderCall[]> {
	const names: FolderCall[] = [];
	await attempt(aWorld(), (call) => {
		names.push(call);
		return "none";
	});
	return names;
}

async function attempt(
	world: CrashWorld,
	plan: PlanFault,
): Promise<{ readonly applied: PatchOutcome | undefined; readonly calls: number }> {
	const folders = createFaultyFolders(openHeldFolder, plan);
	const parsed = parsePatch(PATCH);
	assert.ok(parsed.ok);
	const held = await folders.open(world.journal).catch(() => undefined);
	if (held === undefined) return { applied: undefined, calls: folders.calls() };
	try {
		const journal = createJournal(held);
		const writable = { roots: [world.work], mayWrite: () => undefined };
		const options = { cwd: world.work, writable, journal, id: "p1", openFolder: folders.open };
		const applied = await applyPatchToFiles(parsed.patch, options);
		// The dead say nothing.
		return { applied: folders.isDead() ? undefined : applied, calls: folders.calls() };
	} catch {
		return { applied: undefined, calls: folders.calls() };
	} finally {
		await held.close();
	}
}

async function recover(world: CrashWorld, open: OpenFolder): Promise<readonly Recovered[]> {
	const folder = await open(world.journal);
	try {
		return await recoverPatches(createJournal(folder), open);
	} finally {
		await folder.close();
	}
}

/** What the files are after the next start; fails when that is neither, or not what was said. */
async function settled(world: CrashWorld, applied: PatchOutcome | undefined): Promise<"before" | "after"> {
	const said =
		applied === undefined || (!applied.ok && applied.reason.includes("next start of the agent host"))
			? undefined
			: applied.ok;
	if (said !== undefined) assertIs(world, said ? "after" : "before");
	await recover(world, openHeldFolder);
	assert.deepEqual(
		readdirSync(world.journal).filter((name) => name.endsWith(".plan") || name.endsWith(".kept")),
		[],
	);
	const isNew = showTree(readTree(world.work))["again.txt"] === "new\n";
	assertIs(world, isNew ? "after" : "before");
	if (said !== undefined) assert.equal(isNew, said);
	return isNew ? "after" : "before";
}

function assertIs(world: CrashWorld, which: "before" | "after"): void {
	const folders = which === "after" ? ["from", "new", "new/deep", "to"] : ["from", "to"];
	assert.deepEqual(look(world), { tree: expected[which], folders, mode: 0o755 });
}

function look({ work }: CrashWorld): object {
	const entries = readdirSync(work, { recursive: true, withFileTypes: true });
	const folders = entries
		.filter((entry) => entry.isDirectory())
		.map((entry) => join(entry.parentPath, entry.name).slice(work.length + 1));
	return {
		tree: showTree(readTree(work)),
		folders: folders.sort(),
		mode: statSync(join(work, "run.sh")).mode & 0o777,
	};
}
