import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createDrafts } from "../../../agent-host/model/wires/drafts.ts";

const TOOLS = [{ name: "apply_patch", description: "", parameters: {}, freeForm: { field: "patch", grammar: "" } }];

/** What is shown of a call that comes in pieces, cut at these places. */
function shown(json: string, cuts: readonly number[], name = "apply_patch"): string {
	const draft = createDrafts(TOOLS);
	const places = [0, ...cuts.toSorted((a, b) => a - b), json.length];
	return places
		.slice(1)
		.map((end, index) => draft({ key: "0", name, text: json.slice(places[index], end), form: "json" }))
		.map((event) => (event.type === "draft" ? event.text : ""))
		.join("");
}

test("the text of a call is shown as it will be read, wherever its arguments are cut", () => {
	const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 20 });
	fc.assert(
		fc.property(
			fc.string({ unit: "binary", maxLength: 300 }),
			cuts,
			fc.constantFrom("", " ", "\n"),
			(patch, at, space) => {
				const json = `{${space}"patch"${space}:${space}${JSON.stringify(patch)}}`;
				const inside = at.map((place) => Math.min(place, json.length));
				assert.equal(shown(json, inside), patch);
			},
		),
	);
});

test("other tools, other fields and malformed arguments show no draft, and nothing throws", () => {
	assert.equal(shown('{"patch":"x"}', [], "run_command"), "");
	assert.equal(shown('{"other":1,"patch":"x"}', []), "");
	assert.equal(shown("*".repeat(500), [100, 200]), "");
	assert.equal(shown('{"patch":"one\ntwo"}', [12]), "one\ntwo", "line ends that a server did not escape");
	fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void shown(`{"patch":"${text}`, [12])));
});

test("two calls have separate drafts", () => {
	const draft = createDrafts(TOOLS);
	const part = (key: string, text: string) => draft({ key, name: "apply_patch", text, form: "json" });
	assert.deepEqual(
		[part("0", '{"patch":"a'), part("1", '{"patch":"b'), part("0", 'c"}'), part("1", 'd"}')],
		[
			{ type: "draft", key: "0", text: "a" },
			{ type: "draft", key: "1", text: "b" },
			{ type: "draft", key: "0", text: "c" },
			{ type: "draft", key: "1", text: "d" },
		],
	);
});
