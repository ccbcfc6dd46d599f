import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ModelEvent, ModelFailure } from "../../../agent-host/model/port.ts";
import { createChatReader } from "../../../agent-host/model/wires/chat/chat-events.ts";
import { readAnswer } from "../../../agent-host/model/wires/connection/answer.ts";
import { joinEvents } from "../../../agent-host/model/wires/connection/join-events.ts";
import { aListener, bodyOf, event } from "../../support/read-stream.ts";

const key = fc.constantFrom("0", "1");
const text = fc.string({ minLength: 1, maxLength: 4 });
const kind = fc.constantFrom("agentMessage" as const, "reasoning" as const);
const anEvent: fc.Arbitrary<ModelEvent> = fc.oneof(
	fc.tuple(key, kind, text).map(([key, kind, text]) => ({ type: "delta", key, kind, text }) as const),
	fc.tuple(key, text).map(([key, text]) => ({ type: "draft", key, text }) as const),
	fc.tuple(key, text).map(([key, text]) => ({ type: "item", key, item: { kind: "agentMessage", text } }) as const),
	fc.constantFrom({ type: "working" } as const, { type: "alive" } as const),
);

/** One event for each character, and what a listener learns nothing from left out. */
function spell(events: readonly ModelEvent[]): readonly ModelEvent[] {
	const spoken = events.filter(({ type }) => type !== "alive");
	return spoken.flatMap((one, index): readonly ModelEvent[] => {
		if (one.type === "delta" || one.type === "draft") return one.text.split("").map((char) => ({ ...one, text: char }));
		return one.type === "working" && spoken[index - 1]?.type === "working" ? [] : [one];
	});
}

test("joined events keep their content, with each text in one piece", () => {
	fc.assert(
		fc.property(fc.array(anEvent, { maxLength: 20 }), (events) => {
			const joined = joinEvents(events);
			assert.deepEqual(spell(joined), spell(events));
			assert.deepEqual(
				joined.filter(({ type }) => type !== "alive"),
				joinEvents(spell(events)),
			);
		}),
	);
});

test("repeated signs of life are joined into one", () => {
	assert.deepEqual(joinEvents([{ type: "alive" }, { type: "alive" }]), [{ type: "alive" }]);
	assert.deepEqual(joinEvents([]), []);
});

test("events that arrive together with a failure are delivered before it", async () => {
	const said = ["One", " two"].map((content) => event({ choices: [{ delta: { content } }] })).join("");
	const heard: (readonly ModelEvent[])[] = [];
	const stream = readAnswer(
		bodyOf(`${said}${event({ error: { message: "Out of memory." } })}`),
		createChatReader(new Set(), "s", []),
		aListener(),
	);
	await assert.rejects(async () => {
		for await (const events of stream) heard.push(events);
	}, ModelFailure);
	assert.deepEqual(heard, [[{ type: "delta", key: "piece-0", kind: "agentMessage", text: "One two" }]]);
});
