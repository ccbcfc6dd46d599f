import assert from "node:assert/strict";
import { test } from "node:test";
import { PublishedEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { renderPolicy, renderThread } from "../../../../extension/views/reports/render-document.ts";

test("a thread is rendered as a page whose outline is its prompts", () => {
	const turnId = "turn-1";
	const item = (value: object) => ({ type: "itemCompleted", turnId, item: { id: "i", ...value } });
	const envelope = { provider: "demo", model: "demo", window: 1, roots: [], trusted: true, tools: [] };
	const fragment = { kind: "permissions", role: "developer", origin: "host", summary: "read-only", tokens: 9 };
	const call = { kind: "toolCall", callId: "c", name: "read_file", arguments: "{}", title: "Read a.ts" };
	const image = { id: "a".repeat(64), mediaType: "image/png", width: 40, height: 30, bytes: 9 };
	const attached = [{ kind: "file", path: "src/a.ts" }];
	const events = [
		{ type: "turnStarted", turnId, envelope },
		{ type: "contextUpdated", turnId, fragments: [fragment] },
		item({ kind: "userMessage", messageKind: "plain", text: "Why?\nReally.", images: [image], attached }),
		item({ kind: "userMessage", messageKind: "environment", text: "<environment_context>" }),
		item({ ...call, status: "completed" }),
		item({ ...call, title: "Search “*a*”", status: "failed" }),
		item({ ...call, kind: "command", title: "Run b", status: "completed", by: "user", command: { exitCode: 2 } }),
		{ type: "approvalResolved", turnId, approvalId: "a", decision: "deny", by: "user", note: "Use *npm*\ninstead." },
		item({ kind: "agentMessage", text: "# Because\n\n```sh\n# not a heading\n```\n\n## So there" }),
		{ type: "turnCompleted", turnId, status: "interrupted" },
	].map((event, index) => PublishedEvent.parse({ seq: index + 1, at: 0, event }));
	assert.equal(
		renderThread("A thread", events),
		[
			"# A thread",
			"*Context sent: permissions (read-only)*",
			"## 1. Why? Really.",
			"> Why?\n> Really.",
			"*Attached: src/a.ts*",
			"*image/png, 40 × 30*",
			"- Read a.ts\n- Search “\\*a\\*” (failed)\n- Run b (run by you, exit 2)",
			"*Approval: refused by you*",
			"*Note: Use \\*npm\\* instead.*",
			"### Answer",
			"#### Because\n\n```sh\n# not a heading\n```\n\n##### So there",
			"> Stopped\n",
		].join("\n\n"),
	);
});

test("the page of a thread calls only that a compaction which made the context smaller", () => {
	const report = { reason: "manual", phase: "standalone", strategy: "structured", turns: 2, before: 1_200 };
	const rest = { verbatim: [], dropped: [], summary: "", repaired: 0 };
	const item = { kind: "contextCompaction", id: "i", compactionId: "k1", ...report, ...rest };
	const events = [1_100, 1_450].map((after, index) =>
		PublishedEvent.parse({
			seq: index + 1,
			at: 0,
			event: { type: "itemCompleted", turnId: "turn-1", item: { ...item, after } },
		}),
	);
	assert.deepEqual(renderThread("A thread", events).match(/^### .*/gm), [
		"### Compacted: 1,200 → 1,100 tokens",
		"### Context not smaller: from 1,200 to 1,450 tokens",
	]);
});

test("the policy page uses the host's words, and says if nothing can enforce the policy", () => {
	const words = [{ message: "Mode: Read Only." }, { message: "Network: off." }];
	const policy = { name: "read-only", nameSaid: {}, words, digest: "abc" };
	const page = renderPolicy({ ...policy, sandbox: "bubblewrap", commands: true });
	assert.match(page, /^# .*read-only\n\n- Mode: Read Only\.\n- Network: off\.\n/);
	assert.match(page, /run in bubblewrap/);
	assert.match(renderPolicy({ ...policy, sandbox: "none", commands: false }), /Commands can't run/);
	assert.match(
		renderPolicy({ ...policy, sandbox: "none", commands: true }),
		/Commands run without a sandbox, with your rights/,
	);
	const restricted = renderPolicy({ ...policy, sandbox: "bubblewrap", commands: false });
	assert.match(restricted, /Commands can't run/);
	assert.doesNotMatch(restricted, /bubblewrap/);
});
