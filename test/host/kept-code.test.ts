import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseKeptChunks } from "../../agent-host/start/kept-code-file.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, runTurn, startHost } from "../support/host-process.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-kept-"));
const model = await startFakeModel(() => says("ok"));
after(async () => {
	await model.stop();
	rmSync(folder, { recursive: true });
});

let count = 0;

/** A host's life, with a turn or without, that keeps its code in `place`. */
async function live(place: string, turns: number): Promise<void> {
	count += 1;
	const host = await startHost({
		home: join(folder, `home-${count}`),
		folders: [folder],
		settings: { model: { provider: "compatible", baseUrl: model.baseUrl, id: "fake-1" } },
		secret: "a-key",
		codeCache: place,
	});
	const threadId = await aThread(host);
	const ends: string[] = [];
	for (let turn = 0; turn < turns; turn += 1) ends.push((await runTurn(host, threadId, "Hello.")).end.status);
	assert.deepEqual(await host.close(), { code: 0, signal: null });
	assert.deepEqual(ends, Array(turns).fill("completed"));
}

function fileIn(place: string): { readonly path: string; readonly size: number; readonly inode: number } {
	const names = readdirSync(place);
	assert.equal(names.length, 1, names.join(", "));
	const path = join(place, String(names[0]));
	const { size, ino } = statSync(path);
	return { path, size, inode: ino };
}

test("a host keeps its compiled code when it exits, keeps more after its first turn, and then leaves the file alone", async () => {
	const place = join(folder, "kept");
	await live(place, 0);
	const first = fileIn(place);
	await live(place, 0);
	assert.deepEqual(fileIn(place), first, "without a turn there is nothing to add");
	await live(place, 1);
	const second = fileIn(place);
	assert.ok(second.size > first.size, `${second.size} bytes after ${first.size}`);
	// Each file that a start reads takes it longer.
	const { chunks } = parseKeptChunks(readFileSync(second.path)) ?? {};
	assert.deepEqual([...(chunks?.keys() ?? [])].sort(), ["host-serving.cjs", "host-session.cjs"]);
	// A chunk whose code V8 had refused would have been written again.
	await live(place, 2);
	assert.deepEqual(fileIn(place), second);
	assert.equal(statSync(second.path).mode & 0o777, 0o600);
});

test("kept code that is damaged is not run, and is replaced", async () => {
	const place = join(folder, "damaged");
	await live(place, 1);
	const { path, size } = fileIn(place);
	const bytes = readFileSync(path);
	bytes.fill(0x41, bytes.length - 100_000);
	writeFileSync(path, bytes);
	await live(place, 1);
	assert.ok(!readFileSync(path).subarray(-100_000).equals(bytes.subarray(-100_000)));
	assert.ok(Math.abs(fileIn(place).size - size) < size / 10);
});

test("kept code of another build is not read, and is removed", async () => {
	const place = join(folder, "other");
	mkdirSync(place);
	writeFileSync(join(place, "0123456789abcdef-1.code"), "code of another build");
	await live(place, 1);
	assert.ok(!fileIn(place).path.includes("0123456789abcdef"));
});

test("a host runs where its code cannot be kept", async () => {
	const place = join(folder, "closed");
	writeFileSync(place, "not a folder");
	chmodSync(place, 0o400);
	await live(place, 1);
	assert.equal(readFileSync(place, "utf8"), "not a folder");
});

test("hosts that keep their code at the same time leave one complete file", async () => {
	const place = join(folder, "together");
	await Promise.all([live(place, 1), live(place, 1), live(place, 1)]);
	const kept = fileIn(place);
	await live(place, 1);
	assert.deepEqual(fileIn(place), kept);
});
