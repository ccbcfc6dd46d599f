import assert from "node:assert/strict";
import { test } from "node:test";
import { PageMentions } from "../../../../../media/model/attached/page-mentions.ts";
import type { Mention } from "../../../../../media/wire.ts";

// Of a mention, the page reads its name here.
const named = (name: string) => ({ key: name, name }) as unknown as Mention;

test("Enter takes what answers to the letters that are written, not what stood there before them", () => {
	const asked: { readonly id: string; readonly query: string }[] = [];
	const taken: string[] = [];
	const mentions = new PageMentions({
		newId: () => `${asked.length}`,
		ask: (id, query) => asked.push({ id, query }),
		attachDropped: (_, text) => taken.push(text),
	});
	const answer = (...names: readonly string[]) =>
		mentions.receive({ type: "mentions", id: asked.at(-1)?.id ?? "", mentions: names.map(named), isWhole: true });
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
