import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { parsePatch } from "../../../agent-host/patch/grammar.ts";
import { createReadLog, type ReadLog } from "../../../agent-host/patch/read-log.ts";
import { createPatchPorts } from "../../../agent-host/session/tools/patch-ports.ts";
import { lockThread } from "../../../agent-host/store/home/lock.ts";
import type { PatchPorts } from "../../../agent-host/tools/tool-ports.ts";
import { NO_DOCUMENTS } from "../../../agent-host/workspace/apply/open-documents.ts";
import { createPatcher } from "../../../agent-host/workspace/apply/patcher.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { aPatch } from "../../support/patch-files.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-ports-")));
after(() => rmSync(top, { recursive: true, force: true }));
const never = new AbortController().signal;

let nextId = 1;
let reads: ReadLog;
let ports: PatchPorts;
beforeEach(() => {
	reads = createReadLog();
	ports = portsOf(reads);
	writeFileSync(join(top, "a.txt"), "one\ntwo\nthree\nfour\n");
});

function portsOf(log: ReadLog): PatchPorts {
	const patcher = createPatcher({
		folder: join(top, "patches"),
		lock: lockThread,
		newId: () => `id-${nextId++}`,
		onRecovered: () => assert.fail("nothing was cut short"),
	});
	const policy = { ...aPolicy(), filesystem: [{ path: top, access: "write" as const }], folders: [top] };
	return createPatchPorts({
		patcher,
		bound: async () => policy,
		documents: NO_DOCUMENTS,
		reads: log,
		snapshot: async () => async () => undefined,
	});
}

async function patch(from: string, to: string, with_ = ports): Promise<string> {
	const parsed = parsePatch(aPatch("*** Update File: a.txt", "@@", `-${from}`, `+${to}`));
	assert.ok(parsed.ok);
	const found = await with_.findTargets(parsed.patch, top);
	assert.ok(found.ok);
	const outcome = await with_.applyPatch(parsed.patch, top, found, never);
	return outcome.ok ? "applied" : outcome.reason;
}

function read(): void {
	reads.recordRead(join(top, "a.txt"), readFileSync(join(top, "a.txt"), "utf8"));
}

test("a file that changed since it was read is not patched; its changed lines are shown, and then count as read", async () => {
	read();
	writeFileSync(join(top, "a.txt"), "one\nTWO\nTwo and a half\nthree\nfour\n");
	assert.equal(
		await patch("four", "4"),
		"a.txt changed since you read it. These lines are different now; no changes were made:\n2: TWO\n3: Two and a half",
	);
	assert.match(readFileSync(join(top, "a.txt"), "utf8"), /four\n$/);
	assert.equal(await patch("four", "4"), "applied");
});

test("a file of which only the line ends have changed is patched", async () => {
	writeFileSync(join(top, "a.txt"), "one\ntwo\nfour\n");
	read();
	writeFileSync(join(top, "a.txt"), "one\r\ntwo\r\nfour\r\n");
	assert.equal(await patch("four", "4"), "applied");
});

test("removed lines are reported, and a file that changed throughout must be read again", async () => {
	read();
	writeFileSync(join(top, "a.txt"), "one\nfour\n");
	assert.match(await patch("four", "4"), /lines after line 1 were removed/);
	read();
	const long = Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n");
	writeFileSync(join(top, "a.txt"), `one\n${long}\nfour\n`);
	assert.match(await patch("four", "4"), /lines 2 to 61\. Read it again/);
	reads.startTurn();
	assert.match(await patch("four", "4"), /Read it again/);
	read();
	assert.equal(await patch("four", "4"), "applied");
});

test("a file is patched if it was never read, is unchanged, or was last patched by the model itself", async () => {
	assert.equal(await patch("two", "2"), "applied");
	read();
	assert.equal(await patch("2", "zwei"), "applied");
	assert.equal(await patch("zwei", "deux"), "applied");
});

test("two failures on one file in a turn require a fresh read, and a new turn resets the count", async () => {
	for (let failure = 0; failure < 2; failure += 1) assert.match(await patch("nothing like it", "x"), /expected/);
	assert.match(await patch("two", "2"), /two patches of it failed in this turn\. Read it again first/);
	read();
	assert.equal(await patch("two", "2"), "applied");
	for (let failure = 0; failure < 2; failure += 1) assert.match(await patch("nothing like it", "x"), /expected/);
	reads.startTurn();
	assert.equal(await patch("2", "zwei"), "applied");
});

test("if two threads patch a file they read, the second is told what the first changed: no edit is lost", async () => {
	const rounds = process.env.VITRINE_FULL === "1" ? 500 : 25;
	const others = createReadLog();
	const [mine, theirs] = [ports, portsOf(others)];
	for (let round = 0; round < rounds; round += 1) {
		writeFileSync(join(top, "a.txt"), "one\ntwo\nthree\nfour\n");
		read();
		others.recordRead(join(top, "a.txt"), readFileSync(join(top, "a.txt"), "utf8"));
		const outcomes = await Promise.all([patch("one", "1", mine), patch("four", "4", theirs)]);
		const retried = await Promise.all([
			outcomes[0] === "applied" ? "applied" : patch("one", "1", mine),
			outcomes[1] === "applied" ? "applied" : patch("four", "4", theirs),
		]);
		assert.deepEqual(outcomes.filter((outcome) => outcome === "applied").length, 1, outcomes.join(" | "));
		assert.deepEqual(retried, ["applied", "applied"]);
		assert.equal(readFileSync(join(top, "a.txt"), "utf8"), "1\ntwo\nthree\n4\n");
	}
});

test("a closed path is refused, and a patch that does not fit outside the folders reveals nothing of the file", async () => {
	const outside = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-elsewhere-")));
	writeFileSync(join(outside, "b.txt"), "private words\n");
	const policy = { ...aPolicy(), filesystem: [{ path: outside, access: "read" as const }], folders: [top] };
	const patcher = createPatcher({
		folder: undefined,
		lock: lockThread,
		newId: () => "x",
		onRecovered: () => undefined,
	});
	const closed = createPatchPorts({
		patcher,
		bound: async () => policy,
		documents: NO_DOCUMENTS,
		reads,
		snapshot: async () => async () => undefined,
	});
	const of = (path: string) => {
		const parsed = parsePatch(aPatch(`*** Update File: ${path}`, "@@", "-guess", "+x"));
		assert.ok(parsed.ok);
		return parsed.patch;
	};
	const inside = await closed.findTargets(of("a.txt"), top);
	assert.ok(!inside.ok);
	assert.match(inside.reason, /a\.txt is outside the folders the agent can access/);
	const target = join(outside, "b.txt");
	const found = await closed.findTargets(of(target), top);
	assert.ok(found.ok);
	const [file] = found.files;
	assert.deepEqual([found.files.length, file?.path, file?.resolved, file?.via], [1, target, target, []]);
	const described = await closed.describePatch(of(target), top, never);
	assert.ok(described.ok, "the user is asked as about one that fits");
	assert.match(described.unfit ?? "", /"guess"/);
	assert.doesNotMatch(JSON.stringify(described), /private words/);
	rmSync(outside, { recursive: true });
});
