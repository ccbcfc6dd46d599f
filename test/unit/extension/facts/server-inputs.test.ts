import assert from "node:assert/strict";
import { test } from "node:test";
import { type AskedInput, createServerInputs } from "../../../../extension/facts/server-inputs.ts";

const ASKED: AskedInput = {
	server: "web",
	place: "https://mcp.example.org",
	file: "/w/.vscode/mcp.json",
	input: { id: "token", password: true },
};

function inputs(answers: readonly (string | undefined)[]) {
	const secret = new Map<string, string>();
	const open = new Map<string, unknown>();
	const entered: AskedInput[] = [];
	const created = createServerInputs(
		{
			get: async (name) => secret.get(name),
			store: async (name, value) => void secret.set(name, value),
			delete: async (name) => void secret.delete(name),
		},
		{ get: (name: string) => open.get(name) as never, update: async (name, value) => void open.set(name, value) },
		async (asked) => answers[entered.push(asked) - 1],
	);
	return { created, secret, open, entered };
}

test("a value is asked for once, kept as a secret, and given to no other place, file or server", async () => {
	const { created, secret, open, entered } = inputs(["one", "two", "three", "four"]);
	assert.deepEqual(await Promise.all([created.give(ASKED), created.give(ASKED)]), ["one", "one"]);
	assert.equal(await created.give({ ...ASKED, place: "https://other.example.org" }), "two");
	assert.equal(await created.give({ ...ASKED, file: undefined }), "three");
	assert.equal(await created.give({ ...ASKED, server: "other" }), "four");
	assert.equal(await created.give(ASKED), "one");
	assert.equal(entered.length, 4);
	assert.deepEqual([...secret.values()], ["one", "two", "three", "four"]);
	assert.doesNotMatch(JSON.stringify([...open]), /"(?:one|two|three|four)"/);
});

test("a value that the user did not enter is not kept, and a cleared one is asked for again", async () => {
	const { created, secret } = inputs([undefined, "one", "two"]);
	assert.equal(await created.give(ASKED), undefined);
	assert.equal(secret.size, 0);
	assert.equal(await created.give(ASKED), "one");
	assert.deepEqual([await created.forget("web"), await created.forget("web"), secret.size], [1, 0, 0]);
	assert.equal(await created.give(ASKED), "two");
});
