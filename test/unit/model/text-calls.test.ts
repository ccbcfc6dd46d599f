import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { createChatReader } from "../../../agent-host/model/wires/chat/chat-events.ts";
import { readTextCalls } from "../../../agent-host/model/wires/chat/read-text-calls.ts";
import { createTextCallFinder, isInConversation } from "../../../agent-host/model/wires/chat/text-calls.ts";

const TOOLS = [
	{
		name: "read_file",
		description: "Reads.",
		parameters: { type: "object", properties: { path: { type: "string" }, lines: { type: "integer" } } },
	},
];
const HERMES = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.ts"}}\n</tool_call>';
const FUNCTION =
	"<function=read_file>\n<parameter=path>\n12\n</parameter>\n<parameter=lines>\n7\n</parameter>\n</function>";

const read = (text: string) =>
	readTextCalls(text, TOOLS)?.calls.map(({ name, arguments: args }) => [name, JSON.parse(args) as unknown]);

test("calls in text are read in both forms, one or several, with the types of the tool", () => {
	assert.deepEqual(read(`I look.\n\n${HERMES}\n`), [["read_file", { path: "a.ts" }]]);
	assert.deepEqual(read(FUNCTION), [["read_file", { path: "12", lines: 7 }]]);
	assert.deepEqual(read(`<tool_call>\n${FUNCTION}\n</tool_call>\n${HERMES}`), [
		["read_file", { path: "12", lines: 7 }],
		["read_file", { path: "a.ts" }],
	]);
	assert.deepEqual(read(HERMES.replace("arguments", "parameters")), [["read_file", { path: "a.ts" }]]);
	assert.equal(readTextCalls(`I look.\n\n${HERMES}`, TOOLS)?.before, "I look.\n\n");
});

const TEXTS: readonly (readonly [string, string])[] = [
	["in a code fence", `Write this:\n\`\`\`\n${HERMES}\n\`\`\``],
	["in a fence that is never closed", `Write this:\n~~~xml\n${HERMES}`],
	["in a longer fence with a shorter one in it", `\`\`\`\`\n\`\`\`\n${HERMES}\n\`\`\`\n${HERMES}`],
	["with words after it", `${HERMES}\nThat is how it looks.`],
	["with words between two", `${HERMES}\nand\n${HERMES}`],
	["in the middle of a line", `Like ${HERMES}`],
	["as a quotation", `> ${HERMES}`],
	["of a tool that is not offered", HERMES.replace("read_file", "format_disk")],
	["with fields of its own", HERMES.replace('"name"', '"id": 1, "name"')],
	["that is not JSON", HERMES.replace("}}", "}")],
	["with text between its parameters", FUNCTION.replace("<parameter=lines>", "and <parameter=lines>")],
	["without an end", HERMES.replace("</tool_call>", "")],
];

for (const [what, text] of TEXTS) {
	test(`a call ${what} is plain text`, () => assert.equal(readTextCalls(text, TOOLS), undefined));
}

test("reading any text ends, and never finds a tool that was not offered", () => {
	const piece = fc.constantFrom(
		"<tool_call>",
		"</tool_call>",
		"<function=read_file>",
		"</function>",
		"{",
		"}",
		"\n",
		"```",
		"x",
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
			const found = readTextCalls(pieces.join(""), TOOLS);
			assert.ok(found === undefined || found.calls.every(({ name }) => name === "read_file"));
		}),
	);
	assert.equal(readTextCalls(`<function=read_file>${"<parameter=a>".repeat(20_000)}</function>`, TOOLS), undefined);
});

const chunk = (content: string, finish?: string) => ({
	choices: [{ delta: { content }, finish_reason: finish ?? null }],
});

function answer(pieces: readonly string[], { isKnown = true, isQuoted = false } = {}) {
	let learned = 0;
	const rules = { origin: "http://127.0.0.1:1", isKnown, learn: () => (learned += 1), isQuoted: () => isQuoted };
	const reader = createChatReader(new Set(), "s", TOOLS, createTextCallFinder(TOOLS, rules));
	const events = pieces.flatMap((piece) => reader.read(chunk(piece)));
	reader.read(chunk("", "stop"));
	const end = () => {
		const last = [...events, ...reader.end("announced")];
		return {
			shown: last.map((event) => (event.type === "delta" ? event.text : "")).join(""),
			items: last.flatMap((event) => (event.type === "item" ? [event.item] : [])),
		};
	};
	return { end, learned: () => learned };
}

test("text that becomes calls is never shown, however it is cut; similar text is shown at the end", () => {
	const text = `I look.\n${HERMES}`;
	for (let cut = 0; cut <= text.length; cut += 1) {
		const { shown, items } = answer([text.slice(0, cut), text.slice(cut)]).end();
		assert.equal(shown, "I look.\n", String(cut));
		assert.deepEqual(
			items.map((item) => (item.kind === "toolCall" ? [item.name, item.arguments] : item.kind)),
			["agentMessage", ["read_file", '{"path":"a.ts"}']],
		);
	}
	const other = "<table>\n<tool_box>\n<tool_call> is a tag.";
	assert.equal(answer([...other]).end().shown, other);
});

test("the first call in text teaches and retries; a quoted call teaches nothing and is shown", () => {
	const first = answer([HERMES], { isKnown: false });
	assert.throws(first.end, /passes this model's tool calls on as text.*--jinja/);
	assert.equal(first.learned(), 1);
	for (const isKnown of [true, false]) {
		const quoted = answer([HERMES], { isKnown, isQuoted: true });
		assert.deepEqual(quoted.end().items, [{ kind: "agentMessage", text: HERMES }]);
		assert.equal(quoted.learned(), 0);
	}
});

test("a text is recognized from the conversation in any spacing, and as a JSON string", () => {
	const inner = '{"name": "read_file", "arguments": {"path": "a.ts"}}';
	const given = (output: string): { input: readonly HistoryItem[] } => ({
		input: [{ kind: "toolOutput", callId: "c", output }],
	});
	assert.ok(isInConversation(given(`1  <tool_call>\n${inner.replaceAll(" ", "\n")}`), inner));
	assert.ok(isInConversation(given(JSON.stringify({ log: inner })), inner));
	assert.ok(!isInConversation(given('{"name": "read_file"}'), inner));
});
