import assert from "node:assert/strict";
import { test } from "node:test";
import { PageMentions } from "../../../../../media/model/attached/page-mentions.ts";
import type { Mention } from "../../../../../media/wire.ts";

// The page reads only the name of a mention here.
const named = (name: string) => ({ key: name, name }) as unknown as Mention;

/** A list of mentions whose questions the test answers. */
function aList() {
	const asked: { readonly id: string; readonly query: string }[] = [];
	const taken: string[] = [];
	const mentions = new PageMentions({
		newId: () => `${asked.length}`,
		ask: (id, query) => asked.push({ id, query }),
		attachDropped: (_, text) => taken.push(text),
	});
	const answerWith = (isWhole: boolean, names: readonly string[]) =>
		mentions.receive({ type: "mentions", id: asked.at(-1)?.id ?? "", mentions: names.map(named), isWhole });
	const answer = (...names: readonly string[]) => answerWith(true, names);
	const begin = (...names: readonly string[]) => answerWith(false, names);
	return { asked, taken, mentions, answer, begin };
}

test("Enter takes a match for the letters now typed, not one from an earlier answer", () => {
	const { asked, taken, mentions, answer } = aList();
	mentions.update("@e", 2);
	answer("selection", "entry.ts");
	mentions.update("@ent", 4);
	mentions.chooseActive();
	assert.deepEqual(taken, []);
	answer("entry.ts");
	assert.deepEqual([taken, asked.map(({ query }) => query)], [["@entry.ts "], ["e", "ent"]]);

	mentions.update("@x", 2);
	mentions.chooseActive();
	mentions.update("@xy", 3);
	answer("x.ts");
	answer("xy.ts");
	assert.deepEqual(taken, ["@entry.ts "], "who writes on has not chosen");
});

test("a partial answer without matches keeps the list, and Enter chooses only once the rest has arrived", () => {
	const { taken, mentions, answer, begin } = aList();
	mentions.update("@e", 2);
	answer("entry.ts");
	mentions.update("@en", 3);
	begin();
	assert.deepEqual(
		mentions.found.value.map(({ name }) => name),
		["entry.ts"],
	);
	mentions.chooseActive();
	assert.deepEqual(taken, []);
	answer("end.ts");
	assert.deepEqual(taken, ["@end.ts "]);
});

test("a selected entry stays selected when a later part of the answer puts others before it", () => {
	const { taken, mentions, answer, begin } = aList();
	mentions.update("@e", 2);
	begin("entry.ts", "end.ts");
	mentions.move(1);
	answer("e.ts", "entry.ts", "editor.ts", "end.ts");
	mentions.chooseActive();
	assert.deepEqual(taken, ["@end.ts "]);

	mentions.update("@e", 2);
	begin("entry.ts", "end.ts");
	answer("e.ts", "entry.ts", "end.ts");
	mentions.chooseActive();
	assert.deepEqual(taken.at(-1), "@e.ts ", "whoever did not takes the best");
});
