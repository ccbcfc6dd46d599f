import assert from "node:assert/strict";
import { test } from "node:test";
import {
	CLIENT_METHODS,
	CLIENT_NOTIFICATIONS,
	HOST_METHODS,
	HOST_NOTIFICATIONS,
} from "../../../agent-host/protocol/catalog.ts";
import { HOST_ERRORS } from "../../../agent-host/protocol/errors.ts";
import { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { mergeSettings, PartialSettings, Settings } from "../../../agent-host/protocol/settings/settings.ts";

test("every message has a name of its own, in the form thing/verb", () => {
	const names = [HOST_METHODS, HOST_NOTIFICATIONS, CLIENT_METHODS, CLIENT_NOTIFICATIONS].flatMap((table) =>
		Object.values(table).map(({ name }) => name),
	);
	assert.equal(new Set(names).size, names.length);
	for (const name of names) assert.match(name, /^[a-z][a-zA-Z]*(?:\/[a-zA-Z]+){1,2}$/);
});

test("error codes are unique and outside the ranges JSON-RPC and LSP reserve", () => {
	const codes = Object.values(HOST_ERRORS);
	assert.equal(new Set(codes).size, codes.length);
	assert.ok(codes.every((code) => code > -32_000 || code < -32_768));
});

test("partial settings stay partial: no default creeps in", () => {
	assert.deepEqual(PartialSettings.parse({ model: { id: "x" } }), { model: { id: "x" } });
});

test("a change is merged into the settings and leaves the others unchanged", () => {
	const base = mergeSettings(Settings.parse({}), { model: { id: "a", contextWindow: 5 } });
	const { model } = mergeSettings(base, { model: { id: "b" } });
	assert.deepEqual([model.id, model.contextWindow, model.provider], ["b", 5, "demo"]);
});

test("an address that is not http or https is refused where it enters", () => {
	for (const baseUrl of ["file:///etc/passwd", "javascript:alert(1)", "nonsense", "ftp://x"]) {
		assert.equal(PartialSettings.safeParse({ model: { baseUrl } }).success, false, baseUrl);
	}
	assert.equal(PartialSettings.safeParse({ model: { baseUrl: "http://127.0.0.1:1234/v1" } }).success, true);
});

test("an id can never be a path", () => {
	for (const id of ["", "..", "a/b", "../x", "a.b", "A", "x".repeat(65), "-a", "a\0"]) {
		assert.equal(ThreadId.safeParse(id).success, false, id);
	}
});
