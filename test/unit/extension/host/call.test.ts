import assert from "node:assert/strict";
import { test } from "node:test";
import type { CancellationToken } from "vscode";
import * as z from "zod";
import { defineMethod } from "../../../../agent-host/protocol/method.ts";
import { call } from "../../../../extension/host/call.ts";

const method = defineMethod("a/b", "For this test.", { params: z.object({ n: z.number() }), result: z.object({}) });

test("a request has one parameter, and a token only if there is one", async () => {
	const sent: unknown[][] = [];
	const client = {
		sendRequest: async (...all: readonly unknown[]) => {
			sent.push([...all]);
			return {};
		},
	};
	// The rest of a token is not looked at.
	const token = {} as CancellationToken;
	await call(client as never, method, { n: 1 }, {});
	await call(client as never, method, { n: 1 }, { token, workDoneToken: "w" });
	assert.deepEqual(sent, [
		["a/b", { n: 1 }],
		["a/b", { n: 1, workDoneToken: "w" }, token],
	]);
});
