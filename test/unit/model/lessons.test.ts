import assert from "node:assert/strict";
import { test } from "node:test";
import { createServerMemory, KnownServers } from "../../../agent-host/model/memory.ts";
import { lessonFrom, refusesStore } from "../../../agent-host/model/wires/refusals/lessons.ts";
import { type Quirk, type Quirks, withoutRefused } from "../../../agent-host/model/wires/refusals/quirks.ts";
import { normalizeRefusal, readRefusal } from "../../../agent-host/model/wires/refusals/refusal.ts";
import { refusesSeals } from "../../../agent-host/model/wires/refusals/sealed-parts.ts";

const BODY = {
	model: "m",
	input: [{ role: "developer" }],
	tools: [],
	store: false,
	include: ["reasoning.encrypted_content"],
	reasoning: { effort: "minimal", summary: "auto" },
	text: { verbosity: "low", format: { type: "json_schema" } },
};

const HOUR = 3_600_000;
const NOT_LOW_TO_HIGH: readonly Quirk[] = ["no-effort-none", "no-effort-minimal", "no-effort-xhigh", "no-effort-max"];

/** Refusals of OpenAI's and of servers that speak its wire, and exactly what each teaches. */
const REFUSALS: readonly (readonly [what: string, error: object, learned: readonly Quirk[] | undefined])[] = [
	[
		"an organization without reasoning summaries",
		{
			message: "Your organization must be verified to generate reasoning summaries.",
			param: "reasoning.summary",
			code: "unsupported_value",
		},
		["no-reasoning.summary"],
	],
	[
		"the same without a parameter",
		{ message: "This key may not generate reasoning summaries." },
		["no-reasoning.summary"],
	],
	[
		"an effort with the list of those there are",
		{
			message:
				"Unsupported value: 'minimal' is not supported with the 'gpt-5.1-codex' model. Supported values are: 'low', 'medium', and 'high'.",
			param: "reasoning.effort",
			code: "unsupported_value",
		},
		NOT_LOW_TO_HIGH,
	],
	[
		"an effort without that list",
		{ message: "Invalid value: 'minimal'.", param: "reasoning.effort", code: "invalid_value" },
		["no-effort-minimal"],
	],
	[
		"an effort in Ollama's words",
		{ message: `invalid reasoning value: 'minimal' (must be "high", "medium", "low", "max", or "none")` },
		["no-effort-minimal", "no-effort-xhigh"],
	],
	[
		"any effort",
		{
			message: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
			param: "reasoning.effort",
		},
		["no-reasoning.effort"],
	],
	[
		"the effort in the words of a library",
		{ message: "Model grok-build does not support parameter reasoningEffort." },
		["no-reasoning.effort"],
	],
	["any reasoning option", { message: "Unknown parameter: 'reasoning'.", param: "reasoning" }, ["no-reasoning"]],
	[
		"the verbosity",
		{ message: "Unsupported value: 'low' is not supported with this model.", param: "text.verbosity" },
		["no-text.verbosity"],
	],
	[
		"encrypted reasoning",
		{ message: "Encrypted content is not supported with this model.", param: "include" },
		["no-include"],
	],
	[
		"an item of type reasoning",
		{ message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.", param: "input" },
		undefined,
	],
	[
		"the same without a parameter",
		{ message: "Item 'rs_1' of type 'reasoning' was provided without its required following item." },
		undefined,
	],
	[
		"what is not stored",
		{ message: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false." },
		undefined,
	],
	["the promise to store nothing", { message: "Unknown parameter: 'store'.", param: "store" }, undefined],
];

for (const [what, error, learned] of REFUSALS) {
	test(`a refusal of ${what} teaches ${learned?.join(", ") ?? "to omit nothing"}`, () => {
		assert.deepEqual(lessonFrom(refusal(error), BODY, new Set())?.quirks, learned);
	});
}

test("only the refused part of an option is omitted, and the option if nothing is left; `store` is always sent", () => {
	const without = (...quirks: readonly Quirk[]) => withoutRefused(BODY, new Set(quirks));
	assert.deepEqual(without("no-reasoning.summary"), { ...BODY, reasoning: { effort: "minimal" } });
	const { reasoning: _, ...rest } = BODY;
	assert.deepEqual(without("no-reasoning.summary", "no-reasoning.effort"), rest);
	assert.deepEqual(without("no-text.verbosity").text, { format: { type: "json_schema" } });
	assert.equal(withoutRefused(BODY, new Set(["no-store"]) as unknown as Quirks).store, false);
});

test("a refusal of `store` is distinguished from a message about items that are not stored", () => {
	assert.ok(refusesStore(refusal({ message: "Unknown parameter: 'store'.", param: "store" })));
	assert.ok(refusesStore(refusal({ message: "Extra inputs are not permitted: 'store'" })));
	const unstored = refusal({ message: "Items are not persisted when `store` is set to false." });
	assert.deepEqual([refusesStore(unstored), refusesSeals(unstored)], [false, true]);
});

test("a lesson is forgotten after a day, “no tools” after ten minutes, and everything when the user says so", () => {
	let now = 0;
	const memory = createServerMemory(
		{ servers: {} },
		() => undefined,
		() => now,
	);
	memory.learnQuirk("http://a", "m", "no-include");
	memory.learnQuirk("http://a", "m", "no-tools");
	memory.learnModel("http://a", "m", { served: 9_000, learned: { window: 4_096, setting: 0 } });
	assert.deepEqual(
		memory.lessons().map(({ fact, until }) => [fact, until]),
		[
			["no-include", 24 * HOUR],
			["no-tools", HOUR / 6],
			[{ window: 4_096 }, 24 * HOUR],
		],
	);
	now = HOUR / 6;
	assert.deepEqual(memory.quirks("http://a", "m"), new Set(["no-include"]));
	now = 24 * HOUR;
	assert.deepEqual([memory.lessons(), memory.model("http://a", "m")], [[], { served: 9_000 }]);
	memory.learnQuirk("http://a", "m", "no-include");
	assert.equal(memory.quirks("http://a", "m").size, 1, "it can be learned again");
	assert.deepEqual([memory.forgetLessons(), memory.lessons()], [1, []]);
	assert.deepEqual(memory.model("http://a", "m"), { served: 9_000 }, "what a server says of itself stays");
});

test("lessons of older releases, which applied to a whole server without end, are dropped", () => {
	const old = { servers: { "http://a": { quirks: ["no-store", "no-reasoning"], models: { m: { served: 9_000 } } } } };
	const memory = createServerMemory(KnownServers.parse(old), () => undefined, Date.now);
	assert.deepEqual([memory.lessons(), memory.model("http://a", "m")], [[], { served: 9_000 }]);
});

function refusal(error: object) {
	const { error: normal } = normalizeRefusal(JSON.stringify({ error }));
	return readRefusal(400, normal, String(normal.message));
}
