import assert from "node:assert/strict";
import { test } from "node:test";
import { createModelShelf } from "../../../../extension/commands/model/model-shelf.ts";

function aMemory(start: Readonly<Record<string, unknown>> = {}) {
	const kept = new Map<string, unknown>(Object.entries(start));
	return {
		get: <T>(key: string) => kept.get(key) as T,
		update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
	};
}

const AT = { provider: "compatible", wire: "chat", auth: "apiKey", baseUrl: "http://127.0.0.1:1/v1" } as const;

test("the last five models are remembered, the newest first, each once", async () => {
	const shelf = createModelShelf(aMemory());
	for (const id of ["a", "b", "c", "d", "e", "f", "b"]) await shelf.noteChosen({ ...AT, id });
	assert.deepEqual(
		shelf.recent().map(({ id }) => id),
		["b", "f", "e", "d", "c"],
	);
	assert.deepEqual(shelf.recent()[0], { ...AT, id: "b" });
});

test("a favorite is marked and unmarked, and the same name elsewhere is another model", async () => {
	const shelf = createModelShelf(aMemory());
	const elsewhere = { ...AT, baseUrl: "http://127.0.0.1:2/v1", id: "a" };
	await shelf.toggleFavorite({ ...AT, id: "a" });
	await shelf.toggleFavorite(elsewhere);
	assert.equal(shelf.favorites().length, 2);
	await shelf.toggleFavorite({ ...AT, id: "a" });
	assert.deepEqual(shelf.favorites(), [elsewhere]);
});

test("a stored value that is not a list of models is discarded", () => {
	const shelf = createModelShelf(aMemory({ "vitrine.models.recent": [{ id: 7 }], "vitrine.models.favorites": "x" }));
	assert.deepEqual([shelf.recent(), shelf.favorites()], [[], []]);
});
