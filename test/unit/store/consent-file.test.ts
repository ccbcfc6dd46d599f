import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConsentFiles, openConsentFiles, type StoredAnswer } from "../../../agent-host/store/home/consent-file.ts";
import { openHome } from "../../../agent-host/store/home/home.ts";
import { createMemoryDisk, type MemoryDisk } from "../../support/memory-disk.ts";

const ANSWER: StoredAnswer = {
	kind: "skill",
	path: "/w/greet",
	digest: "d1",
	decision: "agreed",
	agreedText: "Hello.",
};

async function openOn(disk: MemoryDisk): Promise<ConsentFiles> {
	return openConsentFiles(await openHome(disk, async () => ({ release: () => undefined }), "/home"));
}

async function onlyFile(disk: MemoryDisk): Promise<string> {
	const [name] = await disk.list("/home/consents");
	return `/home/consents/${name}`;
}

test("an answer is read back by the next host, and only for its kind and path", async () => {
	const disk = createMemoryDisk();
	await (await openOn(disk)).write(ANSWER);
	const files = await openOn(disk);
	assert.deepEqual(await files.read(ANSWER), ANSWER);
	assert.equal(await files.read({ ...ANSWER, path: "/w/other" }), undefined);
	assert.equal(await files.read({ ...ANSWER, kind: "hooks" }), undefined);
	await files.write({ ...ANSWER, decision: "refused" });
	assert.equal((await files.read(ANSWER))?.decision, "refused");
});

test("one flipped bit anywhere in an answer makes it no answer", async () => {
	const disk = createMemoryDisk();
	const files = await openOn(disk);
	await files.write(ANSWER);
	const path = await onlyFile(disk);
	const sealed = await disk.read(path);
	for (let index = 0; index < sealed.length; index += 1) {
		const damaged = Buffer.from(sealed);
		damaged[index] = (damaged[index] ?? 0) ^ 1;
		await disk.remove(path);
		await disk.create(path, damaged);
		assert.equal(await files.read(ANSWER), undefined, `byte ${index}`);
	}
});

test("an answer from another home, or under another path's name, does not count", async () => {
	const [disk, other] = [createMemoryDisk(), createMemoryDisk()];
	await (await openOn(disk)).write(ANSWER);
	await (await openOn(other)).write({ ...ANSWER, decision: "refused" });
	const path = await onlyFile(disk);
	await other.remove(path);
	await other.create(path, await disk.read(path));
	assert.equal(await (await openOn(other)).read(ANSWER), undefined);

	const files = await openOn(disk);
	await files.write({ ...ANSWER, path: "/w/second" });
	const second = (await disk.list("/home/consents"))
		.map((name) => `/home/consents/${name}`)
		.find((one) => one !== path);
	assert.ok(second !== undefined);
	await disk.remove(second);
	await disk.create(second, await disk.read(path));
	assert.equal(await files.read({ ...ANSWER, path: "/w/second" }), undefined);
});
