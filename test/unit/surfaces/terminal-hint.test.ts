import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { SENTENCES } from "../../../agent-host/protocol/sentences.ts";
import { toTurnResult } from "../../../agent-host/surfaces/mcp/turn-result.ts";
import { hintFor } from "../../../agent-host/surfaces/terminal-hint.ts";
import { beginOutcome } from "../../../agent-host/surfaces/turn-outcome.ts";

test("every sentence that names a model setting is followed by the option that sets it on the command line", () => {
	const hints = Object.values(SENTENCES)
		.filter((message) => /vitrine\.model\.(?:baseUrl|wire|id)\b/.test(message))
		.map((message) => [message, hintFor({ code: "network", message })] as const);
	assert.ok(hints.length > 0);
	for (const [message, hint] of hints) {
		assert.equal(hint.includes("--base-url"), message.includes("vitrine.model.baseUrl"), message);
		assert.equal(hint.includes("--wire"), message.includes("vitrine.model.wire"), message);
		assert.equal(hint.includes("--model"), message.includes("vitrine.model.id"), message);
	}
});

test("the remedy is a variable for a key, an option for a missing model, and none where none works", () => {
	assert.equal(hintFor({ code: "auth", message: "Rejected." }), " On the command line, set VITRINE_API_KEY.");
	assert.equal(
		hintFor({ code: "model-not-set-up", message: "Set vitrine.model.baseUrl." }),
		" On the command line, use --base-url and --model.",
	);
	assert.equal(hintFor({ code: "server", message: "The model's server failed: busy" }), "");
});

test("another agent that is told of a failure over MCP is told its remedy on the command line", () => {
	const outcome = beginOutcome(ThreadId.parse("thread"), TurnId.parse("turn"));
	const error = { code: "auth", message: "Rejected." } as const;
	const message = "Rejected. On the command line, set VITRINE_API_KEY.";
	assert.deepEqual(toTurnResult({ ...outcome, status: "failed", error }).error, { code: "auth", message });
});
