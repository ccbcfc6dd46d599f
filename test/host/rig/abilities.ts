import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isCall } from "../../../agent-host/protocol/thread/item.ts";
import { turnInterrupt } from "../../../agent-host/protocol/thread/turn.ts";
import { aPng } from "../../support/an-image.ts";
import { EDITOR_WINDOW, type EditorStep } from "../../support/fake-editor-models.ts";
import {
	calls,
	callsAll,
	cutsAfter,
	holds,
	incomplete,
	type Reply,
	refuses,
	says,
	thinks,
	together,
	withUsage,
	writes,
} from "../../support/fake-model-steps.ts";
import { endOfTurn, startHeldTurn } from "../../support/host-process.ts";
import { splitRequest } from "../../support/prefix-cache.ts";
import { sumsUp } from "./compaction.ts";
import type { WireName, WireRig, WireTurn } from "./wires.ts";

/** Something that any model can do here, and what a wire has in its place that does not offer it. */
export interface Ability {
	readonly ability: string;
	readonly instead?: Partial<Record<WireName, string>>;
	readonly prove: (rig: WireRig) => Promise<void>;
}

const TEXT = "Wörter, 世界 and 👍.";
const IMAGE = aPng(40, 30).toString("base64");
const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };
const USAGE = { input: 1_234, cached: 200, output: 56, reasoning: 7 };

/** Rows: what any model can do here. Columns: the wires. The same script, the same outcome. */
export const ABILITIES: readonly Ability[] = [
	{
		ability: "text arrives whole and in pieces",
		prove: after([[says(TEXT)]], ({ text, published }) => {
			const pieces = published.flatMap(({ event }) => (event.type === "itemDelta" ? [event.text] : []));
			assert.deepEqual([text, pieces.join("")], [TEXT, TEXT]);
		}),
	},
	{
		ability: "reasoning is shown apart from the answer",
		instead: { editor: "editor models show none" },
		prove: after([[together(thinks("Hm."), says(TEXT))]], ({ items, text }, wire) => {
			const thought = items.flatMap((item) => (item.kind === "reasoning" ? [item.text] : []));
			assert.deepEqual([thought, text], [wire === "editor" ? [] : ["Hm."], TEXT]);
		}),
	},
	{
		ability: "a call runs once and its result goes back",
		prove: after([[calls("read_file", { path: "README.md" }), says("Read.")]], ({ items, requests, text }) => {
			const [call, ...more] = items.filter(isCall);
			assert.deepEqual([call?.status, more, text], ["completed", [], "Read."]);
			const line = call?.output?.split("\n")[0] ?? assert.fail();
			assert.ok(requests[1]?.includes(JSON.stringify(line).slice(1, -1)));
		}),
	},
	{
		ability: "parallel calls all run, and go back in their order",
		prove: after(
			[
				[
					callsAll([
						["read_file", { path: "README.md" }],
						["list_files", { pattern: "*.md" }],
						["search_files", { pattern: "no such words" }],
					]),
					says("All three."),
				],
			],
			({ items, requests }) => {
				const ran = items.flatMap((item) => (isCall(item) ? [item] : []));
				assert.equal(ran.length, 3);
				const idOf = (tool: string) => ran.find(({ name }) => name === tool)?.callId ?? assert.fail();
				const places = ["read_file", "list_files", "search_files"].map(
					(tool) => requests[1]?.lastIndexOf(idOf(tool)) ?? -1,
				);
				assert.ok(
					places.every((place, index) => place > (places[index - 1] ?? 0)),
					places.join(),
				);
			},
		),
	},
	{
		ability: "a call that reuses an id of an earlier turn is a new call, and runs",
		prove: async (rig) => {
			const first = await rig.turn([renamed(calls("read_file", { path: "README.md" })), says("One.")]);
			const again = renamed(calls("list_files", { pattern: "*.md" }));
			const second = await rig.turn([again, says("Two.")], { threadId: first.threadId });
			const ran = [first, second].flatMap(({ items }) => items).filter(isCall);
			assert.deepEqual(
				ran.map(({ name, status }) => [name, status]),
				[
					["read_file", "completed"],
					["list_files", "completed"],
				],
			);
			assert.equal(new Set(ran.map(({ callId }) => callId)).size, 2);
		},
	},
	{
		ability: "unusable arguments go back as an error, and the turn goes on",
		prove: after([[calls("read_file", { path: 17 }), calls("no_such_tool", {}), says("I see.")]], ({ items, text }) => {
			const outcomes = items.flatMap((item) => (isCall(item) ? [item.status] : []));
			assert.deepEqual([outcomes, text], [["failed", "failed"], "I see."]);
		}),
	},
	{
		ability: "a patch is applied, as JSON and as plain text",
		instead: { chat: "JSON only", messages: "JSON only", gemini: "JSON only", editor: "JSON only" },
		prove: async (rig) => {
			const patch = (name: string) => `*** Begin Patch\n*** Add File: ${name}\n+made\n*** End Patch\n`;
			const json = await rig.turn([calls("apply_patch", { patch: patch("json.txt") }), says("Made.")]);
			assert.equal(readFileSync(join(rig.workspace, "json.txt"), "utf8"), "made\n");
			const settings = { model: { id: "gpt-5" } };
			const isFree = rig.wire === "responses";
			const step = isFree
				? writes("apply_patch", patch("free.txt"))
				: calls("apply_patch", { patch: patch("free.txt") });
			const free = await rig.turn([step, says("Made.")], { settings });
			assert.equal(readFileSync(join(rig.workspace, "free.txt"), "utf8"), "made\n");
			assert.deepEqual([json.text, free.text], ["Made.", "Made."]);
			assert.equal(/"type":"grammar"/.test(free.requests[0] ?? ""), isFree);
		},
	},
	{
		ability: "a limit ends a turn after the request that reaches it, with nothing lost",
		prove: async (rig) => {
			const settings = { budgets: { turn: { requests: 1 } } };
			const limited = await rig.turn([calls("read_file", { path: "README.md" })], { settings });
			assert.deepEqual([limited.end.error?.code, limited.requests.length], ["budget", 1]);
			const next = await rig.turn([says("On.")], { threadId: limited.threadId });
			assert.deepEqual([next.text, next.requests.length], ["On.", 1]);
			assert.ok(next.requests[0]?.includes("README.md"), "the call and its result are still there");
		},
	},
	{
		ability: "a second turn carries the first",
		prove: after([[says("First answer.")], [says("Second.")]], ({ requests }) =>
			assert.ok(requests[0]?.includes("First answer.")),
		),
	},
	{
		ability: "every request begins with all of the previous one, so that a cache can serve its prefix",
		prove: async (rig) => {
			const first = await rig.turn([calls("read_file", { path: "README.md" }), says(TEXT)]);
			const second = await rig.turn([says("On.")], { threadId: first.threadId });
			const sent = [...first.requests, ...second.requests].map(splitRequest);
			assert.equal(sent.length, 3);
			for (const [index, { said, rest }] of sent.entries()) {
				const before = sent[index - 1]?.said ?? [];
				assert.deepEqual(said.slice(0, before.length), before, `request ${index + 1} changes what was said`);
				assert.equal(rest, sent[0]?.rest);
			}
		},
	},
	{
		ability: "the base instructions come first, in the strongest role available",
		instead: { editor: "labelled user text" },
		prove: after([[says(TEXT)]], ({ requests }, wire) => {
			const body: Record<string, readonly { readonly role?: string; readonly content?: unknown }[]> = JSON.parse(
				requests[0] ?? "",
			);
			switch (wire) {
				case "responses":
					return assert.equal(typeof body.instructions, "string");
				case "chat":
					return assert.equal(body.messages?.[0]?.role, "system");
				case "messages":
					return assert.deepEqual([typeof body.system?.[0], body.messages?.[0]?.role], ["object", "user"]);
				case "gemini":
					return assert.deepEqual(
						Object.keys(body)
							.slice(0, 2)
							.concat(body.contents?.[0]?.role ?? ""),
						["systemInstruction", "contents", "user"],
					);
				case "editor":
					return assert.match(JSON.stringify(body.messages?.[0]), /"user".*From the Vitrine host, not from the user/);
			}
		}),
	},
	{
		ability: "usage is what the server counted",
		instead: {
			messages: "reasoning is part of the output",
			editor: "the editor's own counter, marked as estimated",
		},
		prove: after([[withUsage(says(TEXT), USAGE)]], ({ usage }, wire) => {
			assert.equal(usage?.estimated, wire === "editor");
			const reasoning = wire === "messages" ? 0 : USAGE.reasoning;
			if (wire !== "editor") assert.deepEqual(usage?.last, { ...USAGE, reasoning, total: 1_290 });
			else assert.ok((usage?.last.output ?? 0) >= TEXT.length, "the fake counts characters");
		}),
	},
	{
		ability: "uncounted usage is estimated and marked so",
		prove: after([[withUsage(says(TEXT), undefined)]], ({ usage }) => {
			assert.equal(usage?.estimated, true);
			assert.ok((usage?.last.input ?? 0) > 100 && (usage?.last.output ?? 0) > 3);
		}),
	},
	{
		ability: "an answer that breaks off is requested again, and the partial one is marked",
		prove: after(
			[[cutsAfter("Half of a long answer. ".repeat(9), 2_000), says("Whole.")]],
			({ items, text, requests, published }) => {
				const cut = items.flatMap((item) => (item.kind === "agentMessage" ? [item.cut ?? false] : []));
				assert.deepEqual([cut, text, requests.length], [[true, false], "Whole.", 2]);
				const retry = published.map(({ event }) => event).find((event) => event.type === "retrying");
				assert.deepEqual([retry?.attempt, retry?.attempts], [2, 5]);
			},
		),
	},
	{
		ability: "calls of an answer that breaks off never run",
		prove: after(
			[
				[
					{ ...calls("read_file", { path: "README.md" }), ending: { kind: "eof" } },
					calls("read_file", { path: "README.md" }),
					says("Once."),
				],
			],
			({ items, text, requests }) => {
				assert.equal(items.filter(isCall).length, 1);
				assert.deepEqual([text, requests.length], ["Once.", 3]);
			},
		),
	},
	{
		ability: "an answer at its output limit is kept and reported as cut",
		instead: { editor: "the editor does not say" },
		prove: after([[incomplete("max_output_tokens", "As far as it")], [says("On.")]], ({ requests }, wire) => {
			if (wire !== "editor") assert.ok(requests[0]?.includes("As far as it"), "the model can go on from it");
		}),
	},
	{
		ability: "a conversation too long for the window is compacted, and the turn goes on",
		prove: async (rig) => {
			const { threadId } = await rig.turn([says("word ".repeat(2_500))]);
			const full: EditorStep =
				rig.wire === "editor"
					? { status: "failed", code: "too-long", message: "Too long." }
					: refuses(400, "context_length_exceeded");
			const next = await rig.turn([full, sumsUp("Go.", ["Go."]), says("After.")], { threadId });
			assert.deepEqual([next.end.status, next.text, next.requests.length], ["completed", "After.", 3]);
			assert.match(next.requests[2] ?? "", /RESUME_AT/);
			assert.doesNotMatch(next.requests[2] ?? "", /(?:word ){500}/);
		},
	},
	{
		ability: "images reach a model that reads them; one that cannot is told that they are missing",
		prove: async (rig) => {
			const seen = await rig.turn([says("Seen.")], { images: [IMAGE], settings: { model: { id: "gpt-4o" } } });
			assert.deepEqual([seen.text, seen.requests[0]?.includes(IMAGE)], ["Seen.", true]);
			const blind = await rig.turn([says("Not seen.")], { images: [IMAGE] });
			assert.deepEqual([blind.text, blind.requests[0]?.includes(IMAGE)], ["Not seen.", false]);
			assert.match(blind.requests[0] ?? "", /image/i);
		},
	},
	{
		ability: "an answer follows a given JSON schema",
		instead: { editor: "asked for in words" },
		prove: async (rig) => {
			const { requests, text } = await rig.turn([says('{"n":1}')], { outputSchema: SCHEMA });
			assert.equal(text, '{"n":1}');
			const body = JSON.parse(requests[0] ?? "");
			const format = { name: "answer", schema: SCHEMA, strict: true };
			switch (rig.wire) {
				case "responses":
					return assert.deepEqual(body.text, { format: { type: "json_schema", ...format } });
				case "chat":
					return assert.deepEqual(body.response_format, { type: "json_schema", json_schema: format });
				case "messages":
					return assert.deepEqual(body.output_config, { format: { type: "json_schema", schema: SCHEMA } });
				case "gemini":
					return assert.deepEqual(body.generationConfig, {
						responseMimeType: "application/json",
						responseJsonSchema: SCHEMA,
					});
				case "editor":
					return assert.ok(body.messages.at(-1).content[0].text.includes(JSON.stringify(SCHEMA)));
			}
		},
	},
	{
		ability: "a turn stopped halfway ends the request to the model and keeps what it said",
		prove: async (rig) => {
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
		},
	},
	{
		ability: "the context window in use and its source are known",
		prove: after([[says(TEXT)]], ({ published }, wire) => {
			const started = published.map(({ event }) => event).find((event) => event.type === "turnStarted");
			const expected = wire === "editor" ? ["server", EDITOR_WINDOW] : ["assumed", 32_000];
			assert.deepEqual([started?.envelope.windowSource, started?.envelope.window], expected);
		}),
	},
];

/** The reply with the id that careless servers give to the first call of every answer. */
function renamed(reply: Reply): Reply {
	return { ...reply, parts: reply.parts.map((part) => (part.kind === "call" ? { ...part, callId: "call_0" } : part)) };
}

/** Runs turns one after the other in one thread, and looks at the last. */
function after(
	turns: readonly (readonly EditorStep[])[],
	check: (last: WireTurn, wire: WireName) => void,
): Ability["prove"] {
	return async (rig) => {
		const [first, ...more] = turns;
		let last = await rig.turn(first ?? []);
		for (const steps of more) last = await rig.turn(steps, { threadId: last.threadId });
		check(last, rig.wire);
	};
}
