import assert from "node:assert/strict";
import { after, test } from "node:test";
import { findLatest } from "../../../extension/panel/latest-thread.ts";
import { agoOf, speak } from "../../../l10n/t.ts";
import { waysToBegin } from "../../../media/model/ways-to-begin.ts";
import type { Attachable, PanelState } from "../../../media/wire.ts";
import { aPanel } from "../../page/a-panel.ts";

after(() => speak("en", undefined));

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const PROBLEMS: Attachable = { key: "p", kind: "problems", label: "2 problems", title: "2 problems in a.ts" };
const LATEST = { threadId: "t9", title: "Retry", at: NOW - 2 * HOUR };
const EXPLAIN = "Explain what this workspace does and how it is laid out";
const ENTRY = "Where is the entry point, and what happens from there?";
const TESTS = "Which parts of this code have no tests?";
const GO_ON = "Continue: Retry (2 hr. ago)";

const WAYS: Readonly<Record<string, readonly [Partial<PanelState>, readonly Attachable[], readonly string[]]>> = {
	"nothing at hand": [{}, [], [EXPLAIN, ENTRY, TESTS]],
	"a thread": [{ latest: LATEST }, [], [EXPLAIN, GO_ON, ENTRY]],
	problems: [{}, [PROBLEMS], [EXPLAIN, "Fix 2 problems in a.ts", ENTRY]],
	both: [{ latest: LATEST }, [PROBLEMS], [EXPLAIN, "Fix 2 problems in a.ts", GO_ON]],
	"Restricted Mode, where nothing can be fixed": [{ trusted: false }, [PROBLEMS], [EXPLAIN, ENTRY, TESTS]],
	"no folder": [
		{ folders: [], latest: LATEST },
		[PROBLEMS],
		["What can you do in this window?", "Explain a regular expression to me, piece by piece", GO_ON],
	],
};

for (const [name, [change, offered, labels]] of Object.entries(WAYS)) {
	test(`ways to begin with ${name}`, () => {
		assert.deepEqual(
			waysToBegin(aPanel(change), offered, NOW).map(({ label }) => label),
			labels,
		);
	});
}

test("the thread to go on with is the newest of this folder that holds a turn and was not put away", () => {
	const thread = { preview: "", model: "m", running: false, archived: false, turns: 1, cwd: "/app", updatedAt: 5 };
	const threads = [
		{ threadId: "elsewhere", cwd: "/lib", updatedAt: 9 },
		{ threadId: "empty", turns: 0, updatedAt: 8 },
		{ threadId: "archived", archived: true, updatedAt: 7 },
		{ threadId: "older", updatedAt: 4 },
		{ threadId: "newest" },
	].map(({ threadId, ...change }) => ({ ...thread, title: threadId, threadId: threadId as never, ...change }));
	assert.equal(findLatest(threads, "/app")?.threadId, "newest");
	assert.equal(findLatest(threads, undefined), undefined);
});

test("how long ago is said in the largest unit, in the reader's language", () => {
	const said = [0, 5 * 60_000, 2.9 * HOUR, 25 * HOUR, 24 * 65 * HOUR].map((ms) => agoOf(0, ms));
	assert.deepEqual(said, ["this minute", "5 min. ago", "2 hr. ago", "yesterday", "2 mo. ago"]);
	speak("de", {});
	assert.equal(agoOf(0, 2 * HOUR), "vor 2 Std.");
	speak("en", undefined);
});
