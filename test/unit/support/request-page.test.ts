import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedRequest } from "../../support/fake-model-request.ts";
import { renderPage } from "../../support/request-page.ts";

test("a page shows one line per entry, counts what was told before, and hides what differs between runs", () => {
	const environment = message(
		"user",
		'<environment_context cwd="/some/work">\nDate: 2031-01-02\nMachine: a b\n</environment_context>',
	);
	const first = [environment, message("user", "first question")];
	const second = [
		...first,
		message("assistant", "an\nanswer"),
		{ type: "function_call", call_id: "call_77", name: "read_file", arguments: '{"path":"a"}' },
		{ type: "function_call_output", call_id: "call_77", output: "1: x" },
		{ type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "hm" }] },
	];
	const page = renderPage(
		[
			{ label: "first turn", request: aRequest(first) },
			{ label: "second step", request: aRequest(second) },
			{ label: "rewritten", request: aRequest([environment]) },
		],
		[["/some/work", "<CWD>"]],
	);
	assert.equal(
		page,
		`first turn: POST /v1/responses
  model m, instructions present
  tools read_file
  01 user/environment: cwd="<CWD>" ⏎ Date: <DATE> ⏎ Machine: <MACHINE>
  02 user: first question

second step: POST /v1/responses
  model m, instructions present
  tools read_file
  … the first 2 as in the request before
  03 assistant: an ⏎ answer
  04 call #1 read_file {"path":"a"}
  05 output #1 1: x
  06 reasoning: hm

rewritten: POST /v1/responses
  model m, instructions present
  tools read_file
  … the first 1 as in the request before
  … without its last 5
`,
	);
});

function message(role: string, text: string): object {
	return { type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] };
}

function aRequest(input: readonly object[]): RecordedRequest {
	const body = { model: "m", instructions: "Be kind.", input, tools: [{ type: "function", name: "read_file" }] };
	return {
		method: "POST",
		path: "/v1/responses",
		headers: {},
		text: JSON.stringify(body),
		body,
		at: 0,
		answeredAt: 0,
		closedByClient: false,
		closed: Promise.resolve(),
	};
}
