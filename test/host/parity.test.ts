import assert from "node:assert/strict";
import { test } from "node:test";
import { turnInterrupt } from "../../agent-host/protocol/turn.ts";
import type { EditorStep } from "../support/fake-editor-models.ts";
import { EDITOR_WINDOW } from "../support/fake-editor-models.ts";
import {
	calls,
	callsAll,
	cutsAfter,
	fails,
	hangs,
	holds,
	incomplete,
	refuses,
	says,
	thinks,
	together,
	withUsage,
} from "../support/fake-model-steps.ts";
import { endOfTurn, startHeldTurn } from "../support/host-process.ts";
import { WIRES, type WireName, type WireRig, type WireTurn, withWire } from "./rig/wires.ts";

/** What a wire has in place of an ability that it does not offer. */
type Instead = Partial<Record<WireName, string>>;

interface Ability {
	readonly ability: string;
	readonly instead?: Instead;
	/** What the model does, turn by turn in one thread. */
	readonly turns: readonly (readonly EditorStep[])[];
	readonly check: (last: WireTurn, wire: WireName) => void;
}

const TEXT = "Wörter, 世界 and 👍.";
const USAGE = { input: 1_234, cached: 200, output: 56, reasoning: 7 };

/** Rows: what any model can do here. Columns: the wires. The same script, the same outcome. */
const ABILITIES: readonly Ability[] = [
	{
		ability: "text arrives whole and in pieces",
		turns: [[says(TEXT)]],
		check: ({ text, published }) => {
			const pieces = published.flatMap(({ event }) => (event.type === "itemDelta" ? [event.text] : []));
			assert.deepEqual([text, pieces.join("")], [TEXT, TEXT]);
		},
	},
	{
		ability: "reasoning is shown apart from the answer",
		instead: { editor: "editor models show none" },
		turns: [[together(thinks("Hm."), says(TEXT))]],
		check: ({ items, text }, wire) => {
			const thought = items.flatMap((item) => (item.kind === "reasoning" ? [item.text] : []));
			assert.deepEqual([thought, text], [wire === "editor" ? [] : ["Hm."], TEXT]);
		},
	},
	{
		ability: "a call runs once and its result goes back",
		turns: [[calls("read_file", { path: "README.md" }), says("Read.")]],
		check: ({ items, requests, text }) => {
			const [call, ...more] = items.filter((item) => item.kind === "toolCall");
			assert.deepEqual([call?.status, more, text], ["completed", [], "Read."]);
			const line = call?.output?.split("\n")[0] ?? assert.fail();
			assert.ok(requests[1]?.includes(JSON.stringify(line).slice(1, -1)));
		},
	},
	{
		ability: "parallel calls all run, and go back in their order",
		turns: [
			[
				callsAll([
					["read_file", { path: "README.md" }],
					["list_files", { pattern: "*.md" }],
					["search_files", { pattern: "no such words" }],
				]),
				says("All three."),
			],
		],
		check: ({ items, requests }) => {
			const ran = items.flatMap((item) => (item.kind === "toolCall" ? [item] : []));
			assert.equal(ran.length, 3);
			const places = ran.map(({ callId }) => requests[1]?.lastIndexOf(callId) ?? -1);
			assert.deepEqual(places.toSorted((a, b) => a - b).length, new Set(places).size);
			assert.ok(places.every((place) => place >= 0));
		},
	},
	{
		ability: "arguments that cannot be used go back as an error, and the turn goes on",
		turns: [[calls("read_file", { path: 17 }), calls("no_such_tool", {}), says("I see.")]],
		check: ({ items, text }) => {
			const outcomes = items.flatMap((item) => (item.kind === "toolCall" ? [item.status] : []));
			assert.deepEqual([outcomes, text], [["failed", "failed"], "I see."]);
		},
	},
	{
		ability: "a second turn carries the first",
		turns: [[says("First answer.")], [says("Second.")]],
		check: ({ requests }) => assert.ok(requests[0]?.includes("First answer.")),
	},
	{
		ability: "the base instructions come first, in the strongest role there is",
		instead: { editor: "labelled user text" },
		turns: [[says(TEXT)]],
		check: ({ requests }, wire) => {
			const body: Record<string, readonly { readonly role?: string; readonly content?: unknown }[]> = JSON.parse(
				requests[0] ?? "",
			);
			switch (wire) {
				case "responses":
					return assert.equal(typeof body.instructions, "string");
				case "chat":
					return assert.equal(body.messages?.[0]?.role, "system");
				case "editor":
					return assert.match(JSON.stringify(body.messages?.[0]), /"user".*From the Vitrine host, not from the user/);
			}
		},
	},
	{
		ability: "usage is what the server counted",
		instead: { editor: "the editor's own counter, marked as estimated" },
		turns: [[withUsage(says(TEXT), USAGE)]],
		check: ({ usage }, wire) => {
			assert.equal(usage?.estimated, wire === "editor");
			if (wire !== "editor") assert.deepEqual(usage?.last, { ...USAGE, total: 1_290 });
			else assert.ok((usage?.last.output ?? 0) >= TEXT.length, "the fake counts characters");
		},
	},
	{
		ability: "usage that nobody counted is estimated and marked so",
		turns: [[withUsage(says(TEXT), undefined)]],
		check: ({ usage }) => {
			assert.equal(usage?.estimated, true);
			assert.ok((usage?.last.input ?? 0) > 100 && (usage?.last.output ?? 0) > 3);
		},
	},
	{
		ability: "an answer that breaks off is asked for again, and half of it is marked",
		turns: [[cutsAfter("Half of a long answer. ".repeat(9), 2_000), says("Whole.")]],
		check: ({ items, text, requests, published }) => {
			const cut = items.flatMap((item) => (item.kind === "agentMessage" ? [item.cut ?? false] : []));
			assert.deepEqual([cut, text, requests.length], [[true, false], "Whole.", 2]);
			const retry = published.map(({ event }) => event).find((event) => event.type === "retrying");
			assert.deepEqual([retry?.attempt, retry?.attempts], [2, 5]);
		},
	},
	{
		ability: "calls of an answer that breaks off never run",
		turns: [
			[
				{ ...calls("read_file", { path: "README.md" }), ending: { kind: "eof" } },
				calls("read_file", { path: "README.md" }),
				says("Once."),
			],
		],
		check: ({ items, text, requests }) => {
			assert.equal(items.filter((item) => item.kind === "toolCall").length, 1);
			assert.deepEqual([text, requests.length], ["Once.", 3]);
		},
	},
	{
		ability: "an answer at its output limit is kept and said to be cut",
		instead: { editor: "the editor does not say" },
		turns: [[incomplete("max_output_tokens", "As far as it")], [says("On.")]],
		check: ({ requests }, wire) => {
			if (wire !== "editor") assert.ok(requests[0]?.includes("As far as it"), "the model can go on from it");
		},
	},
];

interface Failing {
	readonly what: string;
	readonly step: EditorStep;
	/** The same state as an editor reports it. */
	readonly editor: EditorStep;
	readonly code: string;
	readonly requests: number;
}

const end = (code: "no-consent" | "not-found" | "quota" | "rate-limit" | "too-long" | "other"): EditorStep => ({
	status: "failed",
	code,
	message: "The editor says so.",
});

/** States that every wire must reach the same way. */
const FAILING: readonly Failing[] = [
	{
		what: "nobody's consent or key",
		step: refuses(401, "invalid_api_key"),
		editor: end("no-consent"),
		code: "auth",
		requests: 1,
	},
	{
		what: "a model that is gone",
		step: refuses(404, "model_not_found"),
		editor: end("not-found"),
		code: "model-not-found",
		requests: 1,
	},
	{ what: "no quota", step: refuses(429, "insufficient_quota"), editor: end("quota"), code: "rate-limit", requests: 1 },
	{
		what: "an endless rate limit",
		step: refuses(429, "rate_limit_exceeded"),
		editor: end("rate-limit"),
		code: "rate-limit",
		requests: 3,
	},
	{
		what: "a window that is full",
		step: refuses(400, "context_length_exceeded"),
		editor: end("too-long"),
		code: "context-too-long",
		requests: 1,
	},
	{ what: "a server that always fails", step: fails(500), editor: end("other"), code: "server", requests: 3 },
	{ what: "a model that never answers", step: hangs(), editor: hangs(), code: "network", requests: 3 },
];

for (const wire of WIRES) {
	test(`${wire}: every ability, or what stands in its place`, (t) =>
		withWire(t, wire, {}, async (rig) => {
			for (const { ability, instead, turns, check } of ABILITIES) {
				const note = instead?.[wire] === undefined ? "" : ` (${instead[wire]})`;
				await t.test(`${wire}: ${ability}${note}`, async () => check(await runAll(rig, turns), wire));
			}
			await t.test(`${wire}: a turn is stopped in the middle, and the model is let go`, () => stopInTheMiddle(rig));
			await t.test(`${wire}: the window in force is known, and where from`, async () => {
				const { published } = await runAll(rig, [[says(TEXT)]]);
				const started = published.map(({ event }) => event).find((event) => event.type === "turnStarted");
				const expected = wire === "editor" ? ["server", EDITOR_WINDOW] : ["assumed", 32_000];
				assert.deepEqual([started?.envelope.windowSource, started?.envelope.window], expected);
			});
		}));

	test(`${wire}: every failure ends in the same state`, (t) =>
		withWire(t, wire, { retry: { attempts: 3 } }, async (rig) => {
			for (const { what, step, editor, code, requests } of FAILING) {
				await t.test(`${wire}: ${what} is “${code}” after ${requests} requests at most`, async () => {
					rig.always(wire === "editor" ? editor : step);
					// Only who is known to be silent is given little time: a busy machine is slow to answer too.
					const impatient = code === "network" ? { retry: { idleMs: 1_000, attempts: 2 } } : {};
					const failed = await rig.turn([], { settings: impatient });
					assert.deepEqual([failed.end.status, failed.end.error?.code], ["failed", code]);
					assert.ok(failed.requests.length <= requests, `${failed.requests.length} requests`);
					rig.always(says("Back."));
					assert.equal((await rig.turn([], { threadId: failed.threadId })).text, "Back.");
				});
			}
		}));
}

async function runAll(rig: WireRig, turns: readonly (readonly EditorStep[])[]): Promise<WireTurn> {
	const [first, ...more] = turns;
	let last = await rig.turn(first ?? []);
	for (const steps of more) last = await rig.turn(steps, { threadId: last.threadId });
	return last;
}

async function stopInTheMiddle(rig: WireRig): Promise<void> {
	const step = holds("Half of it", " and the rest.");
	rig.always(step);
	const before = rig.left();
	const { threadId, turnId } = await startHeldTurn(rig.host, step);
	await rig.host.request(turnInterrupt, { threadId });
	const { end: stopped } = await endOfTurn(rig.host, threadId, turnId);
	assert.equal(stopped.status, "interrupted");
	const next = await rig.turn([says("On.")], { threadId });
	assert.ok(next.requests[0]?.includes("Half of it"));
	assert.equal(rig.left(), before + 1);
}
