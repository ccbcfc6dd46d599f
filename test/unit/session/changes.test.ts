import assert from "node:assert/strict";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import type { DurableEvent } from "../../../agent-host/protocol/thread/events.ts";
import { keepContent } from "../../../agent-host/session/changes/kept-content.ts";
import { createRestore } from "../../../agent-host/session/changes/restore-files.ts";
import { createReview } from "../../../agent-host/session/changes/review-changes.ts";
import type { ReviewPorts } from "../../../agent-host/session/changes/review-ports.ts";
import { createSnapshotter } from "../../../agent-host/session/changes/snapshot-before-change.ts";
import type { Draft, LiveThread } from "../../../agent-host/session/thread/live-thread.ts";
import { REAL_DISK } from "../../../agent-host/store/home/disk.ts";
import { lockThread } from "../../../agent-host/store/home/lock.ts";
import { openSnapshots } from "../../../agent-host/store/log/snapshots.ts";
import { applyRecord } from "../../../agent-host/store/records/replay.ts";
import { emptyState, type ThreadState } from "../../../agent-host/store/records/thread-state.ts";
import type { CommandPorts } from "../../../agent-host/tools/command-call.ts";
import { hashBytes } from "../../../agent-host/workspace/apply/hash-bytes.ts";
import { createPatcher } from "../../../agent-host/workspace/apply/patcher.ts";
import { createFileWatch, type FileWatch } from "../../../agent-host/workspace/files/watch-files.ts";
import { aFakeEditor, type FakeEditor } from "../../support/fake-documents.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-changes-")));
after(() => rmSync(top, { recursive: true, force: true }));

const threadId = ThreadId.parse("thread");
const turnId = TurnId.parse("turn");
let folder = "";
let nextId = 0;
let time = 0;
const nextTime = () => ++time;
let editor: FakeEditor;
let world: ReviewPorts & {
	readonly events: DurableEvent[];
	readonly touch: (path: string, after: string) => Promise<void>;
	readonly remove: (path: string) => Promise<void>;
};
beforeEach(() => {
	nextId += 1;
	folder = join(top, `${nextId}`);
	mkdirSync(join(folder, "home"), { recursive: true });
	mkdirSync(join(folder, "work"));
	editor = aFakeEditor();
	world = aWorld();
});

/** A thread in memory over real files, as if the agent had just changed them. */
function aWorld(): typeof world {
	const snapshots = openSnapshots(REAL_DISK, join(folder, "home", "thread.jsonl"));
	let state: ThreadState = { ...emptyState(threadId, { settings: {}, baseInstructions: "" }, 0), written: true };
	const events: DurableEvent[] = [];
	const commit = async (drafts: readonly Draft[]): Promise<void> => {
		for (const draft of drafts) {
			if (draft.kind === "event") events.push(draft.event);
			const body = draft.kind === "event" ? { ...draft, seq: events.length } : draft;
			state = applyRecord(state, { v: 1, n: state.records + 1, at: 0, body });
		}
	};
	// The parts of a live thread that review and restore use.
	const thread = { state: () => state, commit, running: undefined, refusal: undefined } as unknown as LiveThread;
	const patcher = createPatcher({
		folder: join(folder, "home", "patches"),
		lock: lockThread,
		newId: () => `id-${nextId}-${events.length}-${Math.floor(performance.now() * 1_000)}`,
		onRecovered: () => assert.fail("nothing was cut short"),
	});
	state.touchStarts.push({ turnId, at: 0 });
	return {
		events,
		open: async () => thread,
		snapshots: () => snapshots,
		documents: editor,
		now: Date.now,
		runsWithBuild: (path) => path.endsWith("package.json"),
		write: (wanted) => {
			const writable = { roots: [join(folder, "work")], mayWrite: () => undefined };
			return patcher.write(wanted, { writable, documents: editor });
		},
		touch: async (path, text) => {
			const bytes = editor.textOf(path)?.text ?? (existsSync(path) ? readFileSync(path) : undefined);
			const before = bytes === undefined ? undefined : (await snapshots.put(Buffer.from(bytes))).sha256;
			const { sha256: after } = await snapshots.put(Buffer.from(text));
			await commit([{ kind: "touch", turnId, files: [{ path, ...(before && { before }), after }] }]);
			if (editor.textOf(path) === undefined) writeFileSync(path, text);
			else editor.type(path, text);
		},
		remove: async (path) => {
			const { sha256: before } = await snapshots.put(readFileSync(path));
			await commit([{ kind: "touch", turnId, files: [{ path, before }] }]);
			rmSync(path);
		},
	};
}

test("in a dirty CRLF document the middle hunk goes through the editor, and the disk stays as it is", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "\uFEFFone\r\ntwo\r\nthree\r\nfour\r\nfive\r\n");
	editor.open(path);
	editor.type(path, "unsaved\r\none\r\ntwo\r\nthree\r\nfour\r\nfive\r\n");
	const disk = readFileSync(path, "utf8");
	await world.touch(path, "unsaved\r\nONE\r\ntwo\r\nTHREE\r\nfour\r\nFIVE\r\n");
	editor.type(path, "unsaved\r\nONE\r\ntwo, mine\r\nTHREE\r\nfour\r\nFIVE\r\n");
	const review = createReview(world);
	const [file] = await review.list(threadId);
	assert.deepEqual(
		file?.hunks.map(({ line, removed, added }) => [line, removed, added]),
		[
			[2, ["one"], ["ONE"]],
			[4, ["three"], ["THREE"]],
			[6, ["five"], ["FIVE"]],
		],
	);
	const middle = file?.hunks[1]?.id ?? assert.fail();
	assert.deepEqual(await review.reject({ threadId, hunks: [middle] }), { done: 1, left: [] });
	assert.equal(editor.textOf(path)?.text, "unsaved\r\nONE\r\ntwo, mine\r\nthree\r\nfour\r\nFIVE\r\n");
	assert.equal(readFileSync(path, "utf8"), disk);
	assert.deepEqual(editor.log, ["edit a.txt"]);
	editor.refusing.edit = path;
	const refused = await review.reject({ threadId });
	assert.deepEqual([refused.done, refused.left.length], [0, 1], "what the editor refuses is left, and said");
});

test("rejecting deletes a new file and restores a deleted one; a binary file can be undone only with its turn", async () => {
	const [added, binary] = [join(folder, "work", "new.txt"), join(folder, "work", "b.bin")];
	writeFileSync(binary, Buffer.from([0xff, 0x00]));
	await world.touch(added, "new\n");
	await world.touch(binary, "text by now");
	const review = createReview(world);
	const listed = await review.list(threadId);
	assert.deepEqual(
		listed.map(({ path, operation, stale }) => [path, operation, stale !== undefined]),
		[
			[added, "add", false],
			[binary, "update", true],
		],
	);
	const { done, left } = await review.reject({ threadId });
	assert.deepEqual([done, existsSync(added)], [1, false]);
	assert.match(left[0] ?? "", /b\.bin is not text/);
	await createRestore(world).restore({ threadId, turnId, what: "files", preview: false, overwrite: [] });
	assert.deepEqual(readFileSync(binary), Buffer.from([0xff, 0x00]));
	assert.deepEqual(await review.list(threadId), [], "then there is nothing left to review");
});

test("changes that are kept and rejected at the same time are all done, each once", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "one\n2\nthree\n4\nfive\n6\nseven\n");
	await world.touch(path, "ONE\n2\nTHREE\n4\nFIVE\n6\nSEVEN\n");
	const review = createReview(world);
	const [one, three, five, seven] = (await review.list(threadId)).flatMap(({ hunks }) => hunks.map(({ id }) => id));
	assert.ok(one && three && five && seven);
	const judged = await Promise.all([
		review.keep({ threadId, hunks: [one] }),
		review.reject({ threadId, hunks: [three] }),
		review.keep({ threadId, hunks: [five] }),
		review.reject({ threadId, hunks: [seven] }),
	]);
	assert.deepEqual(judged, Array(4).fill({ done: 1, left: [] }));
	assert.deepEqual(await review.list(threadId), []);
	assert.equal(readFileSync(path, "utf8"), "ONE\n2\nthree\n4\nFIVE\n6\nseven\n");
});

test("rejecting all changes leaves what the user wrote in the agent's file, also after its next turn", async () => {
	const path = join(folder, "work", "new.txt");
	await world.touch(path, "one\ntwo\nthree\n");
	writeFileSync(path, "one\nmine\nthree\n");
	const review = createReview(world);
	const thread = await world.open(threadId);
	await thread.commit((await review.due(thread)).drafts, "synced");
	for (const text of ["one\nmine\nTHREE\n", "one\nmine\nTHREE\nfour\n"]) {
		await world.touch(path, text);
		assert.deepEqual(await review.reject({ threadId }), { done: 0, left: [] });
		assert.equal(readFileSync(path, "utf8"), text);
	}
	const [hunk] = (await review.list(threadId)).flatMap(({ hunks }) => hunks);
	await review.reject({ threadId, hunks: [hunk?.id ?? ""] });
	assert.ok(!existsSync(path), "the user may name it");
});

test("what the agent changes in a file while its changes are being kept stays pending", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "one\n2\nthree\n");
	await world.touch(path, "ONE\n2\nthree\n");
	let isFirst = true;
	const kept = world.snapshots(threadId);
	const snapshots: ReviewPorts["snapshots"] = () => ({
		...kept,
		put: async (...content) => {
			if (isFirst) await world.touch(path, "ONE\n2\nTHREE\n");
			isFirst = false;
			return kept.put(...content);
		},
	});
	await createReview({ ...world, snapshots }).keep({ threadId });
	assert.deepEqual(
		(await createReview(world).list(threadId)).flatMap(({ hunks }) =>
			hunks.map(({ removed, added }) => [removed, added]),
		),
		[[["three"], ["THREE"]]],
	);
});

test("rejecting all changes restores a byte-order mark that the agent has removed, with the file or without", async () => {
	const [removed, rewritten] = ["removed.txt", "rewritten.txt"].map((name) => join(folder, "work", name));
	assert.ok(removed && rewritten);
	for (const path of [removed, rewritten]) writeFileSync(path, "\uFEFFone\r\ntwo\r\n");
	await world.remove(removed);
	await world.touch(rewritten, "ONE\r\ntwo\r\n");
	await createReview(world).reject({ threadId });
	assert.deepEqual(
		[removed, rewritten].map((path) => readFileSync(path, "utf8")),
		["\uFEFFone\r\ntwo\r\n", "\uFEFFone\r\ntwo\r\n"],
	);
	assert.deepEqual(await createReview(world).list(threadId), []);
	// The user has saved it without a mark since.
	await world.touch(rewritten, "\uFEFFONE\r\ntwo\r\n");
	writeFileSync(rewritten, "ONE\r\ntwo\r\n");
	await createReview(world).reject({ threadId });
	assert.equal(readFileSync(rewritten, "utf8"), "one\r\ntwo\r\n");
});

test("a folder that was replaced by a file is restored in one go, or nothing is", async () => {
	const [pkg, inside] = [join(folder, "work", "pkg"), join(folder, "work", "pkg", "a.txt")];
	mkdirSync(pkg);
	writeFileSync(inside, "one\n");
	await world.remove(inside);
	rmdirSync(pkg);
	await world.touch(pkg, "a file\n");
	const restore = (preview = false) =>
		createRestore(world).restore({ threadId, turnId, what: "files", preview, overwrite: [] });
	const expected = [
		{ path: inside, state: "restored", becomes: "created" },
		{ path: pkg, state: "restored", becomes: "deleted" },
	];
	assert.deepEqual((await restore(true)).files, expected);
	const { write } = world;
	const failing = {
		...world,
		write: async (wanted: Parameters<typeof write>[0]) => {
			const isLast = wanted.some(
				({ after }) => after instanceof Uint8Array && Buffer.from(after).equals(Buffer.from("one\n")),
			);
			return isLast ? ({ ok: false, reason: "The disk is full." } as const) : write(wanted);
		},
	};
	await assert.rejects(
		createRestore(failing).restore({ threadId, turnId, what: "files", preview: false, overwrite: [] }),
		/The disk is full/,
	);
	assert.equal(readFileSync(pkg, "utf8"), "a file\n");
	assert.deepEqual((await restore()).files, expected);
	assert.equal(readFileSync(inside, "utf8"), "one\n");
});

test("a file that was replaced by a folder is left while something else is in it, and comes back when there is not", async () => {
	const [pkg, inside, mine] = ["pkg", "pkg/deep/a.txt", "pkg/mine.txt"].map((name) => join(folder, "work", name));
	assert.ok(pkg && inside && mine);
	writeFileSync(pkg, "a file\n");
	await world.remove(pkg);
	mkdirSync(join(pkg, "deep"), { recursive: true });
	await world.touch(inside, "new\n");
	writeFileSync(mine, "mine\n");
	const restore = (of = world) =>
		createRestore(of).restore({ threadId, turnId, what: "files", preview: false, overwrite: [] });
	const reason = "A folder is in its place, with files in it that stay, such as mine.txt.";
	const left = { path: pkg, state: "left", becomes: "created", reason };
	assert.deepEqual((await restore()).files, [left, { path: inside, state: "restored", becomes: "deleted" }]);
	assert.deepEqual([readFileSync(mine, "utf8"), existsSync(inside)], ["mine\n", false]);
	await createRestore(world).redo({ threadId, preview: false, overwrite: [] });
	assert.equal(readFileSync(inside, "utf8"), "new\n");
	rmSync(mine);
	const { write } = world;
	const isLast = (wanted: Parameters<typeof write>[0]) => wanted.some(({ path }) => path === pkg);
	const failing: typeof world = {
		...world,
		write: async (wanted) => (isLast(wanted) ? { ok: false, reason: "The disk is full." } : write(wanted)),
	};
	await assert.rejects(restore(failing), /The disk is full/);
	assert.equal(readFileSync(inside, "utf8"), "new\n");
	await restore();
	assert.equal(readFileSync(pkg, "utf8"), "a file\n");
});

test("rejecting all changes brings back a file that a folder had replaced", async () => {
	const [pkg, inside] = [join(folder, "work", "pkg"), join(folder, "work", "pkg", "a.txt")];
	writeFileSync(pkg, "a file\n");
	await world.remove(pkg);
	mkdirSync(pkg);
	await world.touch(inside, "new\n");
	assert.deepEqual(await createReview(world).reject({ threadId }), { done: 2, left: [] });
	assert.equal(readFileSync(pkg, "utf8"), "a file\n");
});

test("a file is not restored through a link that has taken the place of its folder", async () => {
	const [lib, other] = [join(folder, "work", "lib"), join(folder, "work", "other")];
	for (const place of [lib, other]) mkdirSync(place);
	writeFileSync(join(lib, "a.txt"), "one\n");
	await world.remove(join(lib, "a.txt"));
	rmdirSync(lib);
	symlinkSync("other", lib);
	const restore = createRestore(world).restore({ threadId, turnId, what: "files", preview: false, overwrite: [] });
	await assert.rejects(restore, /No files were restored: .*a\.txt has a parent that is not a folder/);
	assert.deepEqual(readdirSync(other), []);
});

test("the changes of a link can be kept, or undone with their turn, and single ones are not offered", async () => {
	const link = join(folder, "work", "link");
	writeFileSync(join(folder, "work", "a.txt"), "a\n");
	symlinkSync("a.txt", link);
	const watch = createFileWatch({ folders: [join(folder, "work")], mayChange: () => true });
	await watch.remember();
	rmSync(link);
	writeFileSync(link, "a.txt");
	const { changed } = await watch.compare();
	const [was, is] = [changed[0]?.before ?? assert.fail(), changed[0]?.after ?? assert.fail()];
	const snapshots = world.snapshots(threadId);
	const [before, after] = [(await keepContent(snapshots, was)).hash, (await keepContent(snapshots, is)).hash];
	assert.notEqual(before, after, "a file that contains where a link leads is another content");
	const thread = await world.open(threadId);
	await thread.commit([{ kind: "touch", turnId, files: [{ path: link, before, after }] }], "synced");
	const review = createReview(world);
	const stale = `${link} is or was a link: its changes can only be kept, or undone with their turn.`;
	assert.deepEqual(
		(await review.list(threadId)).map((file) => [file.path, file.hunks, file.stale]),
		[[link, [], stale]],
	);
	assert.deepEqual(await review.reject({ threadId }), { done: 0, left: [stale] });
	assert.equal(readFileSync(link, "utf8"), "a.txt");
	await createRestore(world).restore({ threadId, turnId, what: "files", preview: false, overwrite: [] });
	assert.equal(readlinkSync(link), "a.txt");
	assert.deepEqual(await review.list(threadId), [], "then there is nothing left to review");
});

test("a link that the user has changed since is left, unless it is named, and comes back with the undo", async () => {
	const link = join(folder, "work", "link");
	const thread = await world.open(threadId);
	const keep = async (target: string) =>
		(await keepContent(world.snapshots(threadId), { target: Buffer.from(target) })).hash;
	const files = [{ path: link, before: await keep("before"), after: await keep("after") }];
	await thread.commit([{ kind: "touch", turnId, files }], "synced");
	symlinkSync("mine", link);
	const { restore, redo } = createRestore(world);
	const ask = { threadId, turnId, what: "files", preview: false } as const;
	const { files: left } = await restore({ ...ask, overwrite: [] });
	assert.deepEqual(left, [{ path: link, state: "conflict", becomes: "changed" }]);
	assert.equal(readlinkSync(link), "mine");
	await restore({ ...ask, overwrite: [link] });
	assert.equal(readlinkSync(link), "before");
	await redo({ threadId, preview: false, overwrite: [] });
	assert.equal(readlinkSync(link), "mine");
});

test("a file outside the open folders is neither restored nor rejected, whatever a record says", async () => {
	const outside = join(folder, "outside.txt");
	writeFileSync(outside, "old\n");
	await world.touch(outside, "new\n");
	const link = join(folder, "work", "link.txt");
	symlinkSync(outside, link);
	const restore = createRestore(world).restore({ threadId, turnId, what: "files", preview: false, overwrite: [] });
	await assert.rejects(restore, /No files were restored: .*outside the writable folders/);
	const { done } = await createReview(world).reject({ threadId });
	assert.deepEqual([done, readFileSync(outside, "utf8")], [0, "new\n"]);
});

test("files are restored whatever their names are", async () => {
	const names = ["ends in a space ", "back\\slash", "two\nlines", "~", "https:"].map((name) =>
		join(folder, "work", name),
	);
	for (const path of names) {
		writeFileSync(path, "before\n");
		await world.touch(path, "after\n");
	}
	const { files } = await createRestore(world).restore({
		...{ threadId, turnId, what: "files", preview: false, overwrite: [] },
	});
	assert.deepEqual(
		files.map(({ path, state }) => [path, state]),
		names.map((path) => [path, "restored"]),
	);
	for (const path of names) assert.equal(readFileSync(path, "utf8"), "before\n");
});

test("a patch without effect is no change, and is not reported as rejected", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "a\n");
	const before = hashBytes(readFileSync(path));
	await world.touch(path, "A\n");
	writeFileSync(path, "a\n");
	const review = createReview(world);
	const thread = await world.open(threadId);
	assert.equal((await review.due(thread)).fragments.length, 1, "taken back by hand");
	const files = [{ path, before, after: hashBytes(Buffer.from("A\n")) }];
	await thread.commit([{ kind: "touch", turnId, files, undone: true }], "unsynced");
	assert.deepEqual(await review.list(threadId), []);
	assert.deepEqual((await review.due(thread)).fragments, []);
});

test("if one file cannot be written, none is restored", async () => {
	const [a, b] = [join(folder, "work", "a.txt"), join(folder, "work", "b.txt")];
	writeFileSync(a, "a\n");
	writeFileSync(b, "b\n");
	await world.touch(a, "A\n");
	// The agent's change of the second is only in the editor, where the user has not saved it.
	editor.open(b);
	await world.touch(b, "B\n");
	editor.refusing.edit = b;
	const ask = { threadId, turnId, what: "files" as const, preview: false, overwrite: [] };
	await assert.rejects(createRestore(world).restore(ask), /No files were restored/);
	assert.deepEqual(
		[a, b].map((path) => readFileSync(path, "utf8")),
		["A\n", "b\n"],
	);
	assert.deepEqual(world.events, []);
});

test("a command's changes are found by comparing before and after, within limits, and never in generated folders", async () => {
	const work = join(folder, "work");
	const at = (name: string) => join(work, name);
	for (const name of ["edit", "same", "gone"]) writeFileSync(at(name), name);
	mkdirSync(at("node_modules"));
	const watch = createFileWatch({ folders: [work], mayChange: () => true });
	await watch.remember();
	writeFileSync(at("edit"), "edited");
	writeFileSync(at("same"), "same");
	rmSync(at("gone"));
	writeFileSync(at("made"), "made");
	writeFileSync(at("node_modules/x"), "x");
	const { changed, unkept } = await watch.compare();
	assert.deepEqual(changed.map(({ path, before, after }) => [path, before?.toString(), after?.toString()]).sort(), [
		[at("edit"), "edit", "edited"],
		[at("gone"), "gone", undefined],
		[at("made"), undefined, "made"],
	]);
	assert.deepEqual(unkept, []);
	assert.deepEqual((await watch.compare()).changed, [], "the next look starts from here");

	const small = createFileWatch({ folders: [work], mayChange: () => true, limits: { files: 100, bytes: 5 } });
	await small.remember();
	writeFileSync(at("edit"), "again");
	writeFileSync(at("same"), "other");
	const seen = await small.compare();
	assert.equal(seen.changed.length + seen.unkept.length, 2);
	assert.ok(seen.unkept.length > 0, "what there was no room for is said, not guessed");
	// Whichever file the limit let it meet, the other one is not new.
	for (const gone of ["a", "b"]) {
		const pair = join(folder, `pair-${gone}`);
		mkdirSync(pair);
		for (const name of ["a", "b"]) writeFileSync(join(pair, name), name);
		const few = createFileWatch({ folders: [pair], mayChange: () => true, limits: { files: 1, bytes: 100 } });
		await few.remember();
		rmSync(join(pair, gone));
		assert.deepEqual(
			(await few.compare()).changed.filter(({ before }) => before === undefined),
			[],
		);
	}
});

test("a file whose content is not the expected one is not overwritten, and neither is any other", async () => {
	const [a, b] = [join(folder, "work", "a.txt"), join(folder, "work", "b.txt")];
	for (const path of [a, b]) writeFileSync(path, "now\n");
	const after = Buffer.from("then\n");
	const outcome = await world.write([
		{ path: a, expected: hashBytes(Buffer.from("now\n")), after },
		{ path: b, expected: hashBytes(Buffer.from("before\n")), after },
	]);
	assert.deepEqual(outcome, { ok: false, path: b, reason: `${b} changed in the meantime.` });
	assert.deepEqual(
		[a, b].map((path) => readFileSync(path, "utf8")),
		["now\n", "now\n"],
	);
});

test("a snapshot that was altered counts as missing", async () => {
	const snapshots = world.snapshots(threadId);
	const { sha256 } = await snapshots.put(Buffer.from("kept"));
	assert.equal(sha256, hashBytes(Buffer.from("kept")));
	assert.equal((await snapshots.get(sha256))?.toString(), "kept");
	writeFileSync(join(folder, "home", "thread.jsonl.files", sha256), "other");
	assert.equal(await snapshots.get(sha256), undefined);
	assert.equal(await snapshots.get("../../etc/passwd"), undefined);
});

const ENDED = { state: "ended", exitCode: 0 };

/**
 * The command tools that a snapshotter watches: like the sandbox, they set a command up, let what comes before it be
 * done, and begin it.
 */
function commandsThat(act: () => unknown, setUp: () => void = () => undefined): CommandPorts {
	const ports: Pick<CommandPorts, "runCommand"> = {
		runCommand: async (_call, _show, _signal, before) => {
			setUp();
			await before?.();
			// The reports of these tests have only what the snapshotter reads.
			return (await act()) as never;
		},
	};
	return ports as CommandPorts;
}

/** A snapshotter over the work folder, which counts its looks. */
async function aSnapshotter() {
	const thread = await world.open(threadId);
	const files = createFileWatch({ folders: [join(folder, "work")], mayChange: () => true });
	const looks: string[] = [];
	const watch: FileWatch = {
		remember: () => {
			looks.push("remember");
			return files.remember();
		},
		compare: () => {
			looks.push("compare");
			return files.compare();
		},
	};
	const snapshots = world.snapshots(threadId);
	const snapshotter = createSnapshotter({
		...{ thread, turnId, snapshots, watch, runsWithBuild: world.runsWithBuild, nextTime },
	});
	const touches = () => thread.state().touches.map(({ path, before }) => [path, before]);
	const run = (ports: CommandPorts, signal = new AbortController().signal) =>
		snapshotter.watching(ports).runCommand({} as never, () => undefined, signal);
	return { snapshotter, looks, touches, run };
}

test("what the user saves while a command is set up is not the command's, and undoing it keeps that", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const { snapshotter, touches, run } = await aSnapshotter();
	const save = () => writeFileSync(path, "saved by the user");
	await run(
		commandsThat(() => {
			writeFileSync(path, "by the command");
			return ENDED;
		}, save),
	);
	await snapshotter.finish();
	assert.deepEqual(touches(), [[path, hashBytes(Buffer.from("saved by the user"))]]);
});

test("what the user saves between two commands is neither's", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const { snapshotter, touches, run } = await aSnapshotter();
	await run(commandsThat(() => ENDED));
	// Patches wait for the look after a command.
	await snapshotter.beforePatch([]);
	writeFileSync(path, "saved by the user");
	await run(commandsThat(() => ENDED));
	await snapshotter.finish();
	assert.deepEqual(touches(), []);
});

test("of commands that follow at once, one look finds what the last did and what was there before the next", async () => {
	const [a, b] = [join(folder, "work", "a.txt"), join(folder, "work", "b.txt")];
	for (const path of [a, b]) writeFileSync(path, "before");
	const { snapshotter, looks, touches, run } = await aSnapshotter();
	for (const path of [a, b]) {
		await run(
			commandsThat(() => {
				writeFileSync(path, "after");
				return ENDED;
			}),
		);
	}
	await snapshotter.finish();
	assert.deepEqual(looks, ["remember", "compare", "compare"]);
	const before = hashBytes(Buffer.from("before"));
	assert.deepEqual(touches(), [
		[a, before],
		[b, before],
	]);
});

test("what the user saves before a command that is refused is not its change", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const { snapshotter, touches, run } = await aSnapshotter();
	await run(commandsThat(() => ENDED));
	await snapshotter.beforePatch([]);
	writeFileSync(path, "saved by the user");
	await run({ runCommand: async () => ({ state: "refused", reason: "no such program" }) } as unknown as CommandPorts);
	await snapshotter.beforePatch([]);
	await run(commandsThat(() => ENDED));
	await snapshotter.finish();
	assert.deepEqual(touches(), []);
});

test("a command that does not wait for its files to be examined is a bug, and is not passed over", async () => {
	const { run } = await aSnapshotter();
	const runCommand = async () => ENDED;
	await assert.rejects(run({ runCommand } as unknown as CommandPorts), /before its files were examined/);
});

test("a command of a turn that is stopped while its files are examined never begins", async () => {
	const { run } = await aSnapshotter();
	const stop = new AbortController();
	let hasBegun = false;
	const begin = () => {
		hasBegun = true;
		return ENDED;
	};
	await assert.rejects(
		run(
			commandsThat(begin, () => queueMicrotask(() => stop.abort())),
			stop.signal,
		),
		/aborted/,
	);
	assert.equal(hasBegun, false);
});

test("while what a command changed cannot be kept, no other command begins", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const thread = await world.open(threadId);
	const watch = createFileWatch({ folders: [join(folder, "work")], mayChange: () => true });
	const put = () => Promise.reject(new Error("the disk is full"));
	const snapshots = { ...world.snapshots(threadId), put };
	const snapshotter = createSnapshotter({
		...{ thread, turnId, snapshots, watch, runsWithBuild: world.runsWithBuild, nextTime },
	});
	let begun = 0;
	const commands = snapshotter.watching(
		commandsThat(() => {
			begun += 1;
			writeFileSync(path, "by the command");
			return ENDED;
		}),
	);
	const run = () => commands.runCommand({} as never, () => undefined, new AbortController().signal);
	await run();
	await assert.rejects(run(), /the disk is full/);
	assert.equal(begun, 1);
});

test("a refused command between two of a turn leaves the look after the first one as it was", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const { snapshotter, touches, run } = await aSnapshotter();
	await run(
		commandsThat(() => {
			writeFileSync(path, "by the command");
			return ENDED;
		}),
	);
	await run({ runCommand: async () => ({ state: "refused", reason: "no" }) } as unknown as CommandPorts);
	await snapshotter.finish();
	assert.deepEqual(touches(), [[path, hashBytes(Buffer.from("before"))]]);
});

test("what a background command of this turn is told to do is found", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const { snapshotter, touches, run } = await aSnapshotter();
	await run(commandsThat(() => ({ state: "running", processId: "p1" })));
	const writeCommandInput = async () => {
		writeFileSync(path, "as it was told");
		return { ...ENDED } as never;
	};
	const commands = snapshotter.watching({ writeCommandInput } as unknown as CommandPorts);
	await commands.writeCommandInput("p1", "go", 0, new AbortController().signal);
	await snapshotter.finish();
	assert.deepEqual(touches(), [[path, hashBytes(Buffer.from("before"))]]);
});

test("what a background command has changed by the start of the next one can still be undone", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const thread = await world.open(threadId);
	const watch = createFileWatch({ folders: [join(folder, "work")], mayChange: () => true });
	const snapshotter = createSnapshotter({
		thread,
		turnId,
		snapshots: world.snapshots(threadId),
		watch,
		runsWithBuild: world.runsWithBuild,
		nextTime,
	});
	const reports = [
		{ state: "running", processId: "p1" },
		{ state: "ended", exitCode: 0 },
	];
	const commands = snapshotter.watching(commandsThat(() => reports.shift()));
	const run = () => commands.runCommand({} as never, () => undefined, new AbortController().signal);
	await run();
	writeFileSync(path, "by the one in the background");
	await run();
	await snapshotter.finish();
	assert.deepEqual(
		thread.state().touches.map((touch) => [touch.path, touch.before]),
		[[path, hashBytes(Buffer.from("before"))]],
	);
});

test("a command's changes are found in a turn that first looked at a background command of an earlier one", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const thread = await world.open(threadId);
	const snapshotter = createSnapshotter({
		...{ thread, turnId, nextTime, snapshots: world.snapshots(threadId), runsWithBuild: world.runsWithBuild },
		watch: createFileWatch({ folders: [join(folder, "work")], mayChange: () => true }),
	});
	const commands = snapshotter.watching({
		...commandsThat(() => {
			writeFileSync(path, "by the command");
			return ENDED;
		}),
		writeCommandInput: async () => ({ state: "running", processId: "p1" }) as never,
	});
	const { signal } = new AbortController();
	await commands.writeCommandInput("p1", "", 0, signal);
	await commands.runCommand({} as never, () => undefined, signal);
	await snapshotter.finish();
	assert.deepEqual(
		thread.state().touches.map((touch) => [touch.path, touch.before]),
		[[path, hashBytes(Buffer.from("before"))]],
	);
});

test("a command's result reaches the model before its files are examined, and later file access waits for that", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const thread = await world.open(threadId);
	const files = createFileWatch({ folders: [join(folder, "work")], mayChange: () => true });
	const done: string[] = [];
	const compare = async () => {
		done.push("examined");
		return files.compare();
	};
	const snapshotter = createSnapshotter({
		thread,
		turnId,
		snapshots: world.snapshots(threadId),
		watch: { ...files, compare },
		runsWithBuild: world.runsWithBuild,
		nextTime,
	});
	const commands = snapshotter.watching(
		commandsThat(() => {
			writeFileSync(path, "by the command");
			return ENDED;
		}),
	);
	await commands.runCommand({} as never, () => undefined, new AbortController().signal);
	done.push("returned");
	await snapshotter.beforePatch([]);
	assert.deepEqual(done, ["returned", "examined"]);
	assert.deepEqual(
		thread.state().touches.map((touch) => [touch.path, touch.before]),
		[[path, hashBytes(Buffer.from("before"))]],
	);
	await snapshotter.finish();
});

test("of two concurrent commands, what the first changed before the second began can still be undone", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const thread = await world.open(threadId);
	const watch = createFileWatch({ folders: [join(folder, "work")], mayChange: () => true });
	const snapshotter = createSnapshotter({
		thread,
		turnId,
		snapshots: world.snapshots(threadId),
		watch,
		runsWithBuild: world.runsWithBuild,
		nextTime,
	});
	const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	let count = 0;
	const commands = snapshotter.watching(
		commandsThat(async () => {
			const number = count++;
			if (number === 0) writeFileSync(path, "after");
			begun[number]?.resolve();
			await [first, second][number]?.promise;
			return ENDED;
		}),
	);
	const run = () => commands.runCommand({} as never, () => undefined, new AbortController().signal);
	const one = run();
	await begun[0]?.promise;
	const two = run();
	await begun[1]?.promise;
	first.resolve();
	second.resolve();
	await Promise.all([one, two]);
	await snapshotter.finish();
	assert.deepEqual(
		thread.state().touches.map((touch) => [touch.path, touch.before]),
		[[path, hashBytes(Buffer.from("before"))]],
	);
});

test("the state before a command is dated before anything found while the command ran", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "before");
	const thread = await world.open(threadId);
	const snapshotter = createSnapshotter({
		...{ thread, turnId, nextTime, snapshots: world.snapshots(threadId), runsWithBuild: world.runsWithBuild },
		watch: createFileWatch({ folders: [join(folder, "work")], mayChange: () => true }),
	});
	const found: number[] = [];
	const commands = snapshotter.watching(
		commandsThat(() => {
			writeFileSync(path, `by command ${found.length}`);
			found.push(nextTime());
			return ENDED;
		}),
	);
	for (let count = 0; count < 2; count += 1)
		await commands.runCommand({} as never, () => undefined, new AbortController().signal);
	await snapshotter.finish();
	const [first = 0, second = 0] = thread.state().touches.map(({ since }) => since);
	const [one = 0, two = 0] = found;
	assert.ok(first < one && one < second && second < two, `${[first, one, second, two]}`);
});

test("files that are as they were before the turn are not counted as changed", async () => {
	const [kept, gone] = [join(folder, "work", "kept.txt"), join(folder, "work", "gone.txt")];
	await world.touch(kept, "new");
	await world.touch(gone, "new");
	await world.remove(gone);
	const thread = await world.open(threadId);
	const watch = createFileWatch({ folders: [join(folder, "work")], mayChange: () => true });
	const snapshots = world.snapshots(threadId);
	await createSnapshotter({ thread, turnId, snapshots, watch, runsWithBuild: world.runsWithBuild, nextTime }).finish();
	const told = world.events.at(-1);
	assert.ok(told?.type === "filesChanged");
	assert.deepEqual([told.files, told.paths], [1, [kept]]);
	assert.equal((await createReview(world).list(threadId)).length, 1);
});

test("a file that runs with the build is marked, also when 600 others are touched after it", async () => {
	const path = join(folder, "work", "package.json");
	await world.touch(path, "{}");
	for (let file = 0; file < 600; file += 1) await world.touch(join(folder, "work", `${file}.txt`), "new");
	const files = await createReview(world).list(threadId);
	assert.equal(files.length, 500);
	assert.deepEqual(
		files.flatMap((file) => (file.runsWithBuild ? [file.path] : [])),
		[path],
	);
	const thread = await world.open(threadId);
	const watch = createFileWatch({ folders: [join(folder, "work")], mayChange: () => true });
	const snapshots = world.snapshots(threadId);
	await createSnapshotter({ thread, turnId, snapshots, watch, runsWithBuild: world.runsWithBuild, nextTime }).finish();
	const told = world.events.at(-1);
	assert.ok(told?.type === "filesChanged");
	assert.deepEqual([told.files, told.paths.length, told.runWithBuild], [601, 100, [path]]);
});

test("a file that runs with the build is marked, also when its changes cannot be shown", async () => {
	const path = join(folder, "work", "package.json");
	writeFileSync(path, Buffer.from([0xff, 0x00]));
	await world.touch(path, "text by now");
	const [file] = await createReview(world).list(threadId);
	assert.ok(file?.stale !== undefined && file.runsWithBuild);
});

test("for a file that only the agent changes, a turn reads nothing back, and a review only its first content", async () => {
	const path = join(folder, "work", "a.txt");
	writeFileSync(path, "one\ntwo\n");
	for (const text of ["ONE\ntwo\n", "One\ntwo\n", "One\nTwo\n"]) await world.touch(path, text);
	const read: string[] = [];
	const kept = world.snapshots(threadId);
	const get = (name: string) => {
		read.push(name);
		return kept.get(name);
	};
	const snapshots = { ...kept, get };
	const review = createReview({ ...world, snapshots: () => snapshots });
	assert.deepEqual([(await review.due(await world.open(threadId))).fragments, read], [[], []]);
	const [file] = await review.list(threadId);
	assert.deepEqual(
		file?.hunks.map(({ removed, added }) => [removed, added]),
		[
			[
				["one", "two"],
				["One", "Two"],
			],
		],
	);
	assert.deepEqual(new Set(read), new Set([hashBytes(Buffer.from("one\ntwo\n"))]));
	writeFileSync(path, "One\nTwo, mine\n");
	assert.equal(
		(await review.due(await world.open(threadId))).fragments.length,
		1,
		"what the user changes in it is told",
	);
});
