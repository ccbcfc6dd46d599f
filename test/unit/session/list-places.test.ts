import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createFindFiles } from "../../../agent-host/session/find-files.ts";
import { listPlaces } from "../../../agent-host/session/list-places.ts";
import { aPolicy } from "../../support/a-policy.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-places-")));
after(() => rmSync(folder, { recursive: true }));
for (let n = 0; n < 40; n += 1) {
	mkdirSync(join(folder, `f${n}`));
	for (const name of ["clock.ts", "closed.ts"]) writeFileSync(join(folder, `f${n}`, name), "");
}
const policy = aPolicy({ permissions: { denyRead: ["**/closed.ts"] }, places: { roots: [folder] } });
const scope = { cwd: folder, roots: [folder], policy };

test("a question during listing is answered with what was found so far, never with what is closed", async () => {
	const listing = listPlaces(scope, () => 0);
	const answers: (readonly string[])[] = [];
	while (listing.state().whole === undefined) {
		answers.push((await listing.find("clo", 100)).map(({ name }) => name));
		await new Promise(setImmediate);
	}
	const whole = (await listing.find("clo", 100)).map(({ name }) => name);
	assert.deepEqual(answers[0], [], "the first answer waits for nothing");
	assert.equal(new Set(whole).size, 40);
	assert.ok(answers.some(({ length }) => length > 0 && length < 40));
	for (const [at, answer] of answers.entries()) {
		assert.ok(answer.every((name) => whole.includes(name)));
		assert.ok(
			(answers[at - 1] ?? []).every((name) => answer.includes(name)),
			"what was found stays found",
		);
	}
	assert.ok(whole.every((name) => name.endsWith("/clock.ts")));
});

test("a listing that stops at its limit says how many files it has, and what to do", async () => {
	const listing = listPlaces(scope, () => 0, 7);
	await listing.listed;
	assert.deepEqual((await listing.find("clo", 100)).length, 7);
	const { message, ...named } = listing.state().cut ?? assert.fail("nothing was said");
	assert.match(message, /listed: 7\b.*\.gitignore/);
	assert.deepEqual(named, { sentence: "files-listed-in-part", values: { count: 7 } });
});

test("a folder that can't be read is named, and the others are listed", async () => {
	const gone = join(folder, "gone");
	const listing = listPlaces({ ...scope, roots: [gone, folder] }, () => 0);
	await listing.listed;
	assert.equal((await listing.find("clo", 100)).length, 40);
	assert.equal(listing.state().cut?.message, `${gone} can't be read, so its files are not listed.`);
});

test("an answer says whether the list was complete, and one that waits for it always is", async () => {
	const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
	const find = createFindFiles(
		() => isOpen.then(() => scope),
		() => 0,
	);
	const asked = Promise.all([
		find({ query: "clock", limit: 1, wait: true }),
		find({ query: "clock", limit: 1, wait: false }),
	]);
	open();
	const [patient] = await asked;
	assert.equal(patient.isWhole, true);
	assert.equal((await find({ query: "clock", limit: 1, wait: false })).isWhole, true);
});

test("a folder that could not be listed is tried again by the next question", async () => {
	let tries = 0;
	const find = createFindFiles(
		async () => {
			tries += 1;
			if (tries === 1) throw new Error("The folder is gone.");
			return scope;
		},
		() => 0,
	);
	await assert.rejects(find({ query: "clock", limit: 1, wait: true }), /The folder is gone/);
	assert.equal((await find({ query: "clock", limit: 1, wait: true })).files.length, 1);
});

test("two threads that ask in turn keep their lists", async () => {
	let lists = 0;
	const find = createFindFiles(
		async () => {
			lists += 1;
			return scope;
		},
		() => 0,
	);
	for (const threadId of ["one", "two", "one", "two", "one"]) {
		await find({ threadId: threadId as never, query: "clock", limit: 1, wait: true });
	}
	assert.equal(lists, 2);
});
