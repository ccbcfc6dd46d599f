import assert from "node:assert/strict";
import { test } from "node:test";
import type { Secret, Stored } from "../../../../extension/facts/keys.ts";
import { trySecret } from "../../../../extension/facts/try-secret.ts";

const SERVER: Stored = { kind: "key", origin: "https://models.example" };
const TRIAL = { stored: SERVER, secret: { value: "new" } };

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
		await assert.rejects(trySecret(keys, { ...TRIAL, check, stop: new AbortController().signal }), /401/);
		assert.equal(keys.held(), before);
	}
});

test("a key that works is kept", async () => {
	const keys = storage("old");
	const models = await trySecret(keys, { ...TRIAL, check: async () => ["m"], stop: new AbortController().signal });
	assert.deepEqual([models, keys.held()], [["m"], "new"]);
});

test("a key whose check the user stops is never kept, however late the answer, nor does it replace a later one", async () => {
	for (const before of [undefined, "old"]) {
		const keys = storage(before);
		const [stop, answered] = [new AbortController(), Promise.withResolvers<string>()];
		const begun = Promise.withResolvers<void>();
		const check = () => {
			begun.resolve();
			return answered.promise;
		};
		const tried = trySecret(keys, { ...TRIAL, check, stop: stop.signal });
		await begun.promise;
		stop.abort();
		await assert.rejects(tried, { name: "AbortError" });
		assert.equal(keys.held(), before);
		await keys.set(SERVER, { value: "later" });
		answered.resolve("It works.");
		await answered.promise;
		assert.equal(keys.held(), "later");
	}
});
