import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { compareDigests, digestRequest } from "../../../agent-host/model/request-digest.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

const digest = (items: readonly HistoryItem[]) => digestRequest(buildRequest(anEnvelope(), items, []));

const HISTORY: readonly HistoryItem[] = [
	{ kind: "userMessage", text: "What is this? é😀" },
	{ kind: "reasoning", providerId: "r", summary: ["why"], encrypted: "sealed", source: "s" },
	{ kind: "toolCall", callId: "c", name: "read_file", arguments: '{"path":"a"}', extra: { b: 1, a: [null] } },
	{ kind: "toolOutput", callId: "c", output: "text" },
	{ kind: "agentMessage", text: "An answer.", phase: undefined },
];

test("a conversation has the digest that threads on disk have of it", () => {
	const [, , , input] = digest(HISTORY).split("-");
	assert.equal(input, "fdb35db6");
	const reordered = HISTORY.map((item) => Object.fromEntries(Object.entries(item).reverse()) as HistoryItem);
	assert.equal(digest(reordered), digest(HISTORY), "as read back from a record");
	assert.deepEqual(compareDigests(digest(HISTORY), digest(HISTORY.slice(1))), ["input"]);
});

test("each item is digested once, however short the conversation is and however often it is sent again", () => {
	let reads = 0;
	const large: HistoryItem = {
		kind: "userMessage",
		get text(): string {
			reads += 1;
			return "A large one.";
		},
	};
	const history: HistoryItem[] = [large];
	for (let step = 0; step < 5; step += 1) {
		digest(history);
		history.push({ kind: "agentMessage", text: `Step ${step}` });
	}
	assert.equal(reads, 1);
});
