import assert from "node:assert/strict";
import { test } from "node:test";
import type { Secret, Stored } from "../../../../extension/facts/keys.ts";
import { trySecret } from "../../../../extension/facts/try-secret.ts";

const SERVER: Stored = { kind: "key", origin: "https://models.example" };

function storage(first?: string) {
	let held: Secret | undefined = first === undefined ? undefined : { value: first };
	return {
		held: () => held?.value,
		get: async () => held,
		set: async (_: Stored, secret: Secret) => {
			held = secret;
		},
		remove: async () => {
			held = undefined;
		},
	};
}

test("a key that the server refuses is not kept, and the one before it is", async () => {
	for (const before of [undefined, "old"]) {
		const keys = storage(before);
		const check = async (): Promise<never> => {
			assert.equal(keys.held(), "new");
			throw new Error("401");
		};
		await assert.rejects(trySecret(keys, { stored: SERVER, secret: { value: "new" }, check }), /401/);
		assert.equal(keys.held(), before);
	}
});

test("a key that works is kept", async () => {
	const keys = storage("old");
	const models = await trySecret(keys, { stored: SERVER, secret: { value: "new" }, check: async () => ["m"] });
	assert.deepEqual([models, keys.held()], [["m"], "new"]);
});
