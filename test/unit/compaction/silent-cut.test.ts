import assert from "node:assert/strict";
import { test } from "node:test";
import { historyTokens } from "../../../agent-host/compaction/measure.ts";
import { findSilentCut } from "../../../agent-host/compaction/silent-cut.ts";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";

const LONG: HistoryItem = { kind: "userMessage", text: "word ".repeat(8_000) };
const EXPECTED = 1_000 + historyTokens([LONG]);

test("a server that counts far fewer tokens than it was sent has cut the request", () => {
	assert.equal(findSilentCut([LONG], 1_000, 4_096), EXPECTED);
	assert.equal(findSilentCut([LONG], 1_000, Math.ceil(0.7 * EXPECTED)), undefined, "estimates differ this much");
	assert.equal(findSilentCut([LONG], 1_000, 2 * EXPECTED), undefined);
});

test("no cut is reported where it cannot be told: small requests, images, counts that no window has", () => {
	const image: HistoryItem = { kind: "userImage", mediaType: "image/png", width: 9, height: 9, data: "AAAA" };
	assert.equal(findSilentCut([{ kind: "userMessage", text: "Hello?" }], 2_000, 1_100), undefined);
	assert.equal(findSilentCut([LONG, image], 1_000, 4_096), undefined);
	assert.equal(findSilentCut([LONG], 1_000, 100), undefined);
});

test("missing reasoning is not reported as a cut, since few of these servers get it back", () => {
	const thought: HistoryItem = { kind: "reasoning", providerId: "", summary: ["hm ".repeat(40_000)] };
	assert.equal(findSilentCut([LONG, thought], 1_000, EXPECTED), undefined);
});

test("no text is looked at if the server counted less than any window holds", () => {
	const unread: HistoryItem = {
		kind: "userMessage",
		get text(): string {
			return assert.fail("its tokens were estimated");
		},
	};
	assert.equal(findSilentCut([unread], 1_000, 1_000), undefined);
});
