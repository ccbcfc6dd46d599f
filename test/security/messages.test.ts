import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FromWebview, PANEL_COMMANDS } from "../../media/wire.ts";

const MESSAGES = process.env.VITRINE_FULL === "1" ? 100_000 : 8_000;
const SHORT = 64;
const MAX_PROMPT = 1_000_000;
const MAX_COPY = 16_000_000;
const MAX_URL = 4_096;
const MAX_APPROVAL = 128;
const MAX_DIGEST = 256;
const MAX_NOTE = 4_000;
const DECISIONS = ["allow", "allowThread", "allowRule", "deny", "abort"];

/** The fields of each message, written down a second time and without the schema. */
const FIELDS: Record<string, Record<string, (value: unknown) => boolean>> = {
	ready: {},
	submit: { id: isText(SHORT), text: isText(MAX_PROMPT), stop: isOptional((value) => value === true) },
	steer: { id: isText(SHORT), turnId: isText(SHORT), text: isText(MAX_PROMPT) },
	stop: {},
	retry: { turnId: isText(SHORT) },
	resync: {},
	run: { command: (value) => PANEL_COMMANDS.some((command) => command === value) },
	openLink: { url: isText(MAX_URL) },
	copy: { text: isText(MAX_COPY) },
	answerApproval: {
		approvalId: isText(MAX_APPROVAL),
		digest: isText(MAX_DIGEST),
		decision: (value) => DECISIONS.some((decision) => decision === value),
		note: isOptional(isText(MAX_NOTE)),
	},
	showContextSent: { turnId: isText(SHORT) },
	fork: { turnId: isText(SHORT) },
	compact: { focus: isOptional(isText(MAX_NOTE)) },
	undoCompaction: {},
};

function isOptional(check: (value: unknown) => boolean): (value: unknown) => boolean {
	return (value) => value === undefined || check(value);
}

function isText(max: number): (value: unknown) => boolean {
	return (value) => typeof value === "string" && value.length <= max;
}

function isWellFormed(value: unknown): boolean {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	const message = value as Record<string, unknown>;
	const { type } = message;
	if (typeof type !== "string" || !Object.hasOwn(FIELDS, type)) return false;
	return Object.entries(FIELDS[type] ?? {}).every(([name, check]) => check(message[name]));
}

const text = fc.oneof(fc.string(), fc.string({ minLength: 60, maxLength: 70 }), fc.constant("x".repeat(MAX_URL + 1)));
const word = fc.constantFrom(
	...Object.keys(FIELDS),
	...PANEL_COMMANDS,
	"__proto__",
	"constructor",
	"toString",
	"approve",
);
const leaf = fc.oneof(text, word, fc.constant(undefined), fc.constant(null), fc.double(), fc.boolean());
const names = fc.constantFrom("type", "id", "text", "turnId", "command", "url", "path", "approval", "__proto__");
const almost = fc.dictionary(names, fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 1, arbitrary: fc.object() }));
const ours = fc.record(
	{
		type: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...Object.keys(FIELDS)) }, { weight: 1, arbitrary: leaf }),
		id: fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: leaf }),
		text: fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: leaf }),
		turnId: text,
		url: text,
		command: fc.oneof(word, leaf),
		path: text,
		approvalId: text,
		digest: text,
		decision: fc.oneof(fc.constantFrom(...DECISIONS), leaf),
		note: fc.oneof(text, leaf),
		focus: fc.oneof(text, leaf),
	},
	{ requiredKeys: ["type"] },
);
const anyMessage = fc.oneof(almost, ours, ours, fc.anything({ maxDepth: 4 }));

test(`of ${MESSAGES} random messages none throws, well-formed ones pass with known fields only, all others are refused`, () => {
	let passed = 0;
	fc.assert(
		fc.property(anyMessage, (message) => {
			const { success, data } = FromWebview.safeParse(message);
			assert.equal(success, isWellFormed(message));
			if (!success) return;
			passed++;
			const own = ["type", ...Object.keys(FIELDS[data.type] ?? {})].filter((name) => Object.hasOwn(data, name));
			assert.deepEqual(Object.keys(data).sort(), own.sort());
		}),
		{ numRuns: MESSAGES, seed: 51 },
	);
	assert.ok(passed > MESSAGES / 20 && passed < MESSAGES, `${passed} passed`);
});

// A path it can name: what is opened is looked up below the workspace folders, links followed.
test("no message can name a command or an approval that the extension did not offer", () => {
	const offers = [
		{ type: "run", command: "workbench.action.terminal.sendSequence" },
		{ type: "run", command: "vitrine.setUpModel" },
		{ type: "run", command: ["setUpModel"] },
		{ type: "run", command: { toString: "setUpModel" } },
		{ type: "approve", id: "1" },
		{ type: "__proto__" },
		{ type: ["ready"] },
	];
	assert.deepEqual(
		offers.filter((message) => FromWebview.safeParse(message).success),
		[],
	);
});

/** Far from the minutes that a naive check of these could take. Of the processor, so that nothing else that runs counts. */
const QUICK_MS = 2_000;

function nest(levels: number, make: (inner: unknown) => unknown): unknown {
	let value: unknown = "x";
	for (let level = 0; level < levels; level++) value = make(value);
	return value;
}

const HUGE = "x".repeat(64 * 1024 * 1024);
const LOOP: Record<string, unknown> = { type: "submit", id: "1" };
LOOP.text = LOOP;

const MONSTERS: Record<string, unknown> = {
	"a deep object": nest(200_000, (inner) => ({ type: inner })),
	"a deep array": nest(200_000, (inner) => [inner]),
	"a deep text": { type: "submit", id: "1", text: nest(200_000, (inner) => [inner]) },
	"a loop": LOOP,
	"a huge type": { type: HUGE },
	"a huge prompt": { type: "submit", id: "1", text: HUGE },
	"a huge id": { type: "submit", id: HUGE, text: "" },
	"a huge text to copy": { type: "copy", text: HUGE },
	"a huge address": { type: "openLink", url: HUGE },
	"a huge turn": { type: "retry", turnId: HUGE },
	"a huge array": Array.from({ length: 1_000_000 }, () => ({ type: "ready" })),
	"a huge command": { type: "run", command: HUGE },
	"many fields": Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, index])),
};

for (const [name, message] of Object.entries(MONSTERS)) {
	test(`${name} is refused soon`, () => {
		const start = process.cpuUsage();
		const { success } = FromWebview.safeParse(message);
		const { user, system } = process.cpuUsage(start);
		const took = (user + system) / 1_000;
		assert.ok(!success && took < QUICK_MS, `${success ? "taken" : "refused"} after ${took.toFixed(1)} ms`);
	});
}
