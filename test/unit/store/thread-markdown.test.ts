import assert from "node:assert/strict";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import { fitBelow } from "../../../agent-host/protocol/thread/markdown-text.ts";
import { toMarkdown } from "../../../agent-host/store/threads/thread-markdown.ts";

const turnId = "turn-1";
const approval = { approvalId: "a-1", threadId: "t", turnId, callId: "denied", digest: "d", reason: "r", choices: [] };
const call = { kind: "toolCall", name: "x", arguments: "{}", status: "completed" };
const command = { ...call, kind: "command", name: "run_command" };

function item(value: object) {
	return { type: "itemCompleted", turnId, item: { id: "i", callId: "c", ...value } };
}

function exported(...events: readonly object[]): string {
	return toMarkdown(
		"Fix\n*this*",
		events.map((event, index) => PublishedEvent.parse({ seq: index + 1, at: 0, event })),
	);
}

test("an exported thread reads as the panel does: calls in one list, with how they ended unless all went well", () => {
	const subject = { kind: "network", host: "example.org", port: 443, process: "curl" };
	const text = exported(
		item({ kind: "userMessage", messageKind: "plain", text: "Go." }),
		item({ ...call, title: "Read a_b_c.ts" }),
		item({ ...call, title: "List <b>*</b>", status: "failed" }),
		{ type: "approvalRequested", turnId, request: { ...approval, subject } },
		{ type: "approvalResolved", turnId, approvalId: "a-1", decision: "deny", by: "user" },
		item({ ...call, callId: "denied", title: "Fetch https://example.org/", status: "failed" }),
		item({ ...command, title: "Run npm test\nnpm start", command: { state: "ended", exitCode: 1 } }),
		item({ ...command, title: "Run true", command: { state: "ended", exitCode: 0 } }),
		item({ ...command, title: "Run serve", command: { state: "background", processId: "p" } }),
		item({ ...command, title: "Run slow", command: { state: "stopped", timedOut: true } }),
		item({ ...command, title: "Run make", by: "user", command: { state: "ended", signal: "SIGSEGV" } }),
		item({ ...call, title: "Wait for agents", status: "interrupted" }),
		item({ kind: "agentMessage", text: "Done." }),
	);
	assert.equal(
		text,
		[
			"# Fix \\*this\\*",
			"",
			"## You",
			"",
			"Go.",
			"",
			"- Read a\\_b\\_c.ts",
			"- List \\<b>\\*\\</b> (failed)",
			"",
			"> You refused: Connect to example.org:443",
			"",
			"- Fetch https://example.org/ (denied)",
			"- Run npm test npm start (exit 1)",
			"- Run true",
			"- Run serve (in the background)",
			"- Run slow (timed out)",
			"- Run make (run by you, ended by SIGSEGV)",
			"- Wait for agents (stopped)",
			"",
			"## Vitrine",
			"",
			"Done.",
			"",
		].join("\n"),
	);
});

test("an export says what was attached, how a turn ended and that it was rolled back", () => {
	const image = { id: "a".repeat(64), mediaType: "image/png", width: 40, height: 30, bytes: 9 };
	const attached = [
		{ kind: "selection", path: "src/a.ts", from: 3, to: 9, text: "x" },
		{ kind: "problems", problems: [{ path: "b.ts", line: 4, message: "No." }] },
		{ kind: "excerpt", title: "Uncommitted changes", text: "+1" },
		{ kind: "editor", activeFile: "c.ts" },
	];
	const text = exported(
		item({ kind: "userMessage", messageKind: "plain", text: "Look.", attached, images: [image] }),
		item({ kind: "userMessage", messageKind: "plain", text: "Quickly.", steered: true }),
		item({ kind: "agentMessage", text: "| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nhalf", cut: true }),
		{ type: "turnCompleted", turnId, status: "interrupted" },
		{ type: "turnCompleted", turnId, status: "failed", error: { code: "server", message: "Out of <memory>." } },
		{ type: "rolledBack", turnIds: ["turn-1"] },
		{ type: "rolledBack", turnIds: ["turn-1", "turn-2"] },
	);
	assert.equal(
		text,
		[
			"# Fix \\*this\\*",
			"## You\n\nLook.",
			"*Attached: src/a.ts:3–9, b.ts:4, Uncommitted changes*",
			"*PNG image, 40 × 30*",
			"## You (while the agent was working)\n\nQuickly.",
			"## Vitrine (cut off)\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nhalf\n```",
			"> Stopped",
			"> Out of \\<memory>.",
			"> The turn above was rolled back.",
			"> The 2 turns above were rolled back.\n",
		].join("\n\n"),
	);
});

test("an export has what was asked, answered and decided, what was thought, and what a compaction put in its place", () => {
	const question = { questionId: "q", threadId: "t", turnId, choices: [] };
	const ask = (subject: object) => ({ type: "questionAsked", turnId, request: { ...question, subject } });
	const answer = (values: object) => ({ type: "questionAnswered", turnId, questionId: "q", ...values });
	const decide = (values: object) => ({ type: "approvalResolved", turnId, approvalId: "a-1", by: "user", ...values });
	const options = [{ label: "Tabs" }, { label: "Spaces", description: "two of *them*" }];
	const style = { id: "style", text: "Tabs or spaces?", options };
	const name = { id: "name", text: "Which name?", options: [], input: "text" };
	const subject = { kind: "permission", read: ["~/.netrc"], command: "curl" };
	const compaction = { compactionId: "c", reason: "manual", phase: "standalone", strategy: "structured", turns: 1 };
	const report = { ...compaction, before: 900, after: 80, verbatim: [], dropped: [], repaired: 0 };
	const text = exported(
		item({ kind: "reasoning", text: "# First\nlook." }),
		item({ kind: "reasoning", text: "" }),
		ask({ kind: "form", questions: [style] }),
		answer({ choice: "answer", answers: { style: { chosen: ["Spaces"], text: "but <b>four</b>" } } }),
		ask({ kind: "form", server: "tickets", message: "Fill in.", questions: [style, name] }),
		answer({ choice: "answer", answers: { style: { chosen: ["Tabs"] }, name: { chosen: [], text: "Ada" } } }),
		ask({ kind: "loop", name: "x", title: "Read a.ts", times: 3 }),
		answer({ choice: "stop" }),
		answer({}),
		{ type: "approvalRequested", turnId, request: { ...approval, subject } },
		decide({ decision: "allowThread", note: "Only *this* once." }),
		decide({ decision: "abort", by: "host" }),
		item({ kind: "contextCompaction", ...report, summary: "# Task\nGreet." }),
		{ type: "compactionUndone", ...compaction, before: 900, after: 80 },
		{ type: "rolledBack", turnIds: ["turn-1"] },
		{ type: "rollbackUndone", turnIds: ["turn-1"], gone: [] },
	);
	assert.equal(
		text,
		[
			"# Fix \\*this\\*",
			"## Reasoning\n\n### First\nlook.",
			"## Question\n\nTabs or spaces?\n\n- Tabs\n- Spaces: two of \\*them\\*",
			"> You answered: Spaces, but \\<b>four\\</b>",
			"## Question of the MCP server tickets\n\nFill in.",
			"Tabs or spaces?\n\n- Tabs\n- Spaces: two of \\*them\\*\n\nWhich name?",
			"> You answered:\n> \n> - Tabs or spaces? Tabs\n> - Which name? Ada",
			"## Question\n\nThe agent made the same call 3 times with the same result: Read a.ts",
			"> You stopped the agent.",
			"> No answer.",
			"> You allowed in this thread: Read \\~/.netrc (your note: Only \\*this\\* once.)",
			"> Not answered, so refused: Read \\~/.netrc",
			"## Compacted: 900 → 80 tokens\n\n### Task\nGreet.",
			"> The compaction was undone.",
			"> The turn above was rolled back.",
			"> 1 removed turn was restored.\n",
		].join("\n\n"),
	);
});

test("no heading or code of what was said leaves its part, and code stays as it is", () => {
	const parser = new MarkdownIt();
	const texts = [
		"# One\n## Two\n#### Four\n##### Five",
		"#",
		"One\n===\n\nTwo\n---\n",
		"a | b\n--- | ---\n1 | 2",
		"- item\n---\ntext",
		"````md\n```sh\n# not a heading\n```\n````\n# One",
		"```sh\n# not a heading",
		"~~~~\n```\n# not a heading\n~~~\n",
		"```js\n``` not an end\n# not a heading\n```\n# One",
		"```not a fence```\n# One",
	];
	for (const text of texts) {
		const fitted = fitBelow(2, text);
		const [before, after] = [text, `${fitted}\n\n## Vitrine`].map((source) => parser.parse(source, {}));
		const pick = (tokens: typeof before, type: string) => (tokens ?? []).filter((token) => token.type === type);
		assert.deepEqual(
			pick(after, "heading_open").map(({ tag }) => tag),
			[...pick(before, "heading_open").map(({ tag }) => `h${Math.min(6, Number(tag.slice(1)) + 2)}`), "h2"],
			fitted,
		);
		const codes = (tokens: typeof before) => pick(tokens, "fence").map(({ content }) => content.trimEnd());
		assert.deepEqual(codes(after), codes(before), fitted);
	}
});
