import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import { createKeys, type Stored } from "../../../../extension/facts/keys.ts";

const ORIGIN = "https://model.test";
const KEY: Stored = { kind: "key", origin: ORIGIN };
const TOKEN: Stored = { kind: "token", origin: ORIGIN };

/** The editor's two storages, in memory. */
function storages() {
	const secret = new Map<string, string>();
	const open = new Map<string, unknown>();
	const secrets: Pick<vscode.SecretStorage, "get" | "store" | "delete"> = {
		get: async (name) => secret.get(name),
		store: async (name, value) => void secret.set(name, value),
		delete: async (name) => void secret.delete(name),
	};
	const state: Pick<vscode.Memento, "get" | "update"> = {
		get: (name: string) => open.get(name) as never,
		update: async (name, value) => void open.set(name, value),
	};
	const keys = () => createKeys(secrets as vscode.SecretStorage, state as vscode.Memento);
	return { secret, open, keys };
}

test("a key and the sign-in of one origin are two secrets, and each is gone when it is removed", async () => {
	const { secret, keys } = storages();
	await keys().set(KEY, { value: "k" });
	await keys().set(TOKEN, { value: "t" });
	assert.deepEqual(await Promise.all([keys().get(KEY), keys().get(TOKEN)]), [{ value: "k" }, { value: "t" }]);
	assert.deepEqual(keys().list(), [KEY, TOKEN]);
	await keys().remove(TOKEN);
	assert.deepEqual([await keys().get(TOKEN), await keys().get(KEY)], [undefined, { value: "k" }]);
	await keys().remove(KEY);
	assert.deepEqual([keys().list(), secret.size], [[], 0]);
});

test("a key is stored for one origin, and given for no other", async () => {
	const { keys } = storages();
	const other = { kind: "key", origin: "https://model.test:8443" } as const;
	await keys().set(KEY, { value: "k" });
	assert.equal(await keys().get(other), undefined);
	await keys().set(other, { value: "o" });
	assert.deepEqual(await Promise.all([keys().get(KEY), keys().get(other)]), [{ value: "k" }, { value: "o" }]);
	await keys().remove(other);
	assert.deepEqual([await keys().get(KEY), keys().list()], [{ value: "k" }, [KEY]]);
});

test("the list of secrets kept outside secret storage contains none of them, and an invalid one counts as empty", async () => {
	const { open, keys } = storages();
	await keys().set(TOKEN, { value: "canary" });
	assert.doesNotMatch(JSON.stringify([...open]), /canary/);
	open.set("vitrine.stored", "nonsense");
	assert.deepEqual(keys().list(), []);
});
