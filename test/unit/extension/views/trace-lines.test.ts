import assert from "node:assert/strict";
import { test } from "node:test";
import type { Span } from "../../../../agent-host/protocol/host/telemetry.ts";
import { formatTrace, withoutPrivateLabels } from "../../../../extension/views/reports/trace-lines.ts";

const TURN: Span = {
	...{ traceId: "a", spanId: "1", name: "invoke_agent vitrine", kind: "internal", startMs: 1_800_000_000_000 },
	endMs: 1_800_000_002_400,
	attributes: { "gen_ai.operation.name": "invoke_agent", "vitrine.mode": "plan", "gen_ai.input.messages": "hello" },
};
const CALL: Span = {
	...{ traceId: "a", spanId: "2", parentId: "1", name: "chat x", kind: "client", startMs: 1_800_000_000_100 },
	attributes: { "server.address": "private.example" },
	error: "cut",
};

test("each turn is a line with its parts below it, without contents or the server's name", () => {
	assert.deepEqual(formatTrace([TURN, CALL].map(withoutPrivateLabels)), [
		"- 2027-01-15T08:00:00.000Z invoke_agent vitrine: 2400 ms (mode=plan)",
		"  - chat x: still running, cut ()",
	]);
	assert.deepEqual(formatTrace([]), ["none since this host started"]);
});
