import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import type { ModelRequest } from "../../../agent-host/model/port.ts";
import { encodeBody } from "../../../agent-host/model/wires/connection/encode-body.ts";
import { toPlanBody } from "../../../agent-host/model/wires/responses/plan-body.ts";
import { toResponsesBody } from "../../../agent-host/model/wires/responses/responses-body.ts";

const written = (body: unknown) => Buffer.concat([...encodeBody(body)]).toString("utf8");
const parts = (count: number) => Array.from({ length: count }, (_, index) => ({ text: `part ${index} é😀` }));

test("a body in pieces equals what JSON writes, wherever its long list is", () => {
	const long = parts(1_000);
	const bodies = [
		{},
		[],
		"text",
		{ input: [] },
		{ model: "m", input: parts(256), tools: [] },
		{ model: "m", input: parts(9), tools: [1, undefined, ...parts(9)] },
		{ model: "m", input: long, tools: [1, "two", null], none: undefined },
		{ input: long },
		{ none: undefined, input: long, messages: parts(513), model: "é" },
		{ model: "m", nested: { input: long } },
		long,
	];
	for (const body of bodies) {
		assert.equal(written(body), JSON.stringify(body));
		assert.equal(written(body), JSON.stringify(body), "also the second time");
	}
});

test("half of a character is replaced in a long list, too", () => {
	const input = parts(600).map((part, index) => (index === 300 ? { text: "a\ud83d" } : part));
	const mended = input.map((part, index) => (index === 300 ? { text: "a\ufffd" } : part));
	assert.equal(written({ input }), JSON.stringify({ input: mended }));
});

test("only what differs from the previous request is encoded again", () => {
	const before = parts(1_000);
	const first = encodeBody({ model: "m", input: before });
	const isNew = (pieces: readonly Buffer[]) => pieces.filter((piece) => piece.length > 1 && !first.includes(piece));
	const grown = encodeBody({ model: "m", input: [...before, { text: "more" }] });
	// The beginning, the run that has grown, and the end.
	assert.equal(isNew(grown).length, 3);
	const changed = before.with(300, { text: "another" });
	assert.equal(isNew(encodeBody({ model: "m", input: changed })).length, 4);
	assert.equal(written({ model: "m", input: changed }), JSON.stringify({ model: "m", input: changed }));
});

test("a few long parts are not encoded again once more follow", () => {
	const texts = Array.from({ length: 20 }, (_, index) => ({ text: `${index} ${"é".repeat(40_000)}` }));
	const first = encodeBody({ input: texts });
	const more = [...texts, { text: "more" }];
	const second = encodeBody({ input: more });
	assert.deepEqual(
		second.filter((piece) => piece.length > 1 && !first.includes(piece)).map((piece) => piece.toString("utf8")),
		['{"input":[', '{"text":"more"}', "]}"],
	);
	assert.equal(written({ input: more }), JSON.stringify({ input: more }));
});

test("a growing long conversation becomes the same request as one seen for the first time", () => {
	const image = { kind: "userImage", mediaType: "image/png", data: "aGk=", width: 1, height: 1 } as const;
	const turn = (id: number): readonly HistoryItem[] => [
		{ kind: "userMessage", text: `Question ${id}` },
		...(id % 3 === 0 ? [image, { ...image, data: "eW91" }] : []),
		{
			kind: "toolCall",
			callId: `c${id}`,
			name: "apply_patch",
			arguments: '"x"',
			...(id % 2 === 0 && { freeForm: true }),
		},
		{ kind: "toolOutput", callId: `c${id}`, output: "done" },
		...(id % 4 === 0 ? [image] : []),
		{ kind: "reasoning", providerId: `r${id}`, summary: ["why"], encrypted: `sealed ${id}`, source: "s" },
		{ kind: "agentMessage", text: `Answer ${id}` },
	];
	const history: HistoryItem[] = [];
	const request = (model: string, input: readonly HistoryItem[]): ModelRequest => ({
		...{ model, instructions: "i", input, tools: [], cacheKey: "k", parallelToolCalls: true },
		...{ reasoningSummary: "none", serviceTier: "auto" },
	});
	for (let id = 0; id < 300; id += 1) {
		history.push(...turn(id));
		if (id % 60 !== 59) continue;
		const fresh = structuredClone(history);
		for (const model of ["gpt-5.2", "other"]) {
			for (const refused of [new Set<string>(), new Set(["sealed 7"])]) {
				const body = toResponsesBody(request(model, history), new Set(), "s", refused);
				const same = toResponsesBody(request(model, fresh), new Set(), "s", refused);
				assert.deepEqual(body, same);
				assert.equal(written(body), JSON.stringify(same));
				assert.equal(written(toPlanBody(body)), JSON.stringify(toPlanBody(same)));
			}
		}
	}
});

test("a large call of a short thread is the same object in each request, so it is encoded once", () => {
	const call: HistoryItem = {
		kind: "toolCall",
		callId: "c",
		name: "apply_patch",
		arguments: `{"patch":"${"x".repeat(50_000)}"}`,
	};
	const history: HistoryItem[] = [{ kind: "userMessage", text: "Go on." }, call];
	const bodyOf = (input: readonly HistoryItem[]) =>
		toResponsesBody(
			{
				...{ model: "m", instructions: "i", input, tools: [], cacheKey: "k", parallelToolCalls: true },
				...{ reasoningSummary: "none", serviceTier: "auto" },
			},
			new Set(),
			"s",
		);
	const first = bodyOf(history);
	const second = bodyOf([...history, { kind: "toolOutput", callId: "c", output: "done" }]);
	assert.equal([...(first.input ?? [])].length, 2, "the first request stays as it was");
	assert.equal((second.input ?? [])[1], (first.input ?? [])[1]);
	// In a thread with something else at this place, nothing of it is repeated.
	const other = bodyOf([history[0] as HistoryItem, { kind: "agentMessage", text: "No." }]);
	assert.deepEqual((other.input ?? [])[1], { role: "assistant", content: "No." });
});
