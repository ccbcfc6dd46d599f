import assert from "node:assert/strict";
import { test } from "node:test";
import { PublishedEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { countTurnsFrom } from "../../../../extension/panel/count-turns.ts";

test("turns are counted back to the chosen one, without compactions and turns that were rolled back", () => {
	const envelope = { provider: "demo", model: "demo", window: 1, roots: [], trusted: true, tools: [] };
	const started = (turnId: string) => ({ type: "turnStarted", turnId, envelope });
	const compaction = { ...started("compaction"), purpose: "compaction" };
	const rolledBack = { type: "rolledBack", turnIds: ["b"] };
	const events = [started("a"), started("b"), rolledBack, started("c"), compaction, started("d")].map((event, index) =>
		PublishedEvent.parse({ seq: index + 1, at: 0, event }),
	);
	const undone = { type: "rollbackUndone", turnIds: ["b"], gone: ["c", "d"] };
	const back = PublishedEvent.parse({ seq: events.length + 1, at: 0, event: undone });
	assert.deepEqual(
		["a", "b", "c", "d"].map((turnId) => countTurnsFrom([...events, back], turnId)),
		[2, 1, 0, 0],
		"as it was before the rollback, once that is undone",
	);
	assert.deepEqual(
		["a", "b", "c", "compaction", "d", "e"].map((turnId) => countTurnsFrom(events, turnId)),
		[3, 0, 2, 0, 1, 0],
	);
});
