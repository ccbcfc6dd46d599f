import assert from "node:assert/strict";
import { test } from "node:test";
import { listWaysToBegin } from "../../../../media/model/ways-to-begin.ts";
import type { Attachable, PanelState } from "../../../../media/wire.ts";
import { aPanel } from "../../../page/a-panel.ts";

const HOUR = 3_600_000;

const NOW = 100 * HOUR;

const PROBLEMS: Attachable = { key: "p", kind: "problems", label: "2 problems", title: "2 problems in a.ts" };

const LATEST = { threadId: "t9", title: "Retry", at: NOW - 2 * HOUR };

const EXPLAIN = "Explain what this workspace does and how it is structured";

const ENTRY = "Where is the entry point, and what happens from there?";

const TESTS = "Which parts of this code have no tests?";

const GO_ON = "Continue: Retry (2 hr. ago)";

const DEMO = { provider: "demo", label: "Demo model", incomplete: false } as const;

const WAYS: Readonly<Record<string, readonly [Partial<PanelState>, readonly Attachable[], readonly string[]]>> = {
	"nothing at hand": [{}, [], [EXPLAIN, ENTRY, TESTS]],
	"a thread": [{ latest: LATEST }, [], [EXPLAIN, GO_ON, ENTRY]],
	problems: [{}, [PROBLEMS], [EXPLAIN, "Fix 2 problems in a.ts", ENTRY]],
	both: [{ latest: LATEST }, [PROBLEMS], [EXPLAIN, "Fix 2 problems in a.ts", GO_ON]],
	"Restricted Mode, where nothing can be fixed": [{ trusted: false }, [PROBLEMS], [EXPLAIN, ENTRY, TESTS]],
	"the demo model": [{ model: DEMO }, [], ["Show me around", EXPLAIN, ENTRY]],
	"the demo model in the sample": [
		{ model: DEMO, folders: ["corner-shop"], latest: LATEST },
		[],
		["Fix the bug in the README", "Show me around", EXPLAIN, GO_ON],
	],
	"no folder": [
		{ folders: [], latest: LATEST },
		[PROBLEMS],
		["What can you do in this window?", "Explain a regular expression step by step", GO_ON],
	],
};

for (const [name, [change, offered, labels]] of Object.entries(WAYS)) {
	test(`ways to begin with ${name}`, () => {
		assert.deepEqual(
			listWaysToBegin(aPanel(change), offered, NOW).map(({ label }) => label),
			labels,
		);
	});
}
