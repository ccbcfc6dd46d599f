import assert from "node:assert/strict";
import { test } from "node:test";
import { headersFor } from "../../../agent-host/model/wires/connection/send-request.ts";

/** The headers of a request to a server with the Messages API. */
function headersTo(baseUrl: string): Readonly<Record<string, string>> {
	return headersFor({ headers: "anthropic", baseUrl }, { value: "a-key" });
}

test("Anthropic gets its newest version and the key in its own header only", () => {
	const headers = headersTo("https://api.anthropic.com");
	assert.deepEqual(
		[headers["anthropic-version"], headers["x-api-key"], headers.authorization],
		["2026-10-21", "a-key", undefined],
	);
});

test("another server with the same API gets the version that all of them support", () => {
	for (const baseUrl of [
		"http://127.0.0.1:8080",
		"https://api.deepseek.com/anthropic",
		"https://anthropic.com.evil.org",
	]) {
		const headers = headersTo(baseUrl);
		assert.deepEqual([headers["anthropic-version"], headers.authorization], ["2023-06-01", "Bearer a-key"]);
	}
});
