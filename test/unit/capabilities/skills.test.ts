import assert from "node:assert/strict";
import { test } from "node:test";
import { fillArguments } from "../../../agent-host/capabilities/fill-arguments.ts";
import { readFrontMatter } from "../../../agent-host/capabilities/front-matter.ts";
import { findMentions } from "../../../agent-host/capabilities/skills/offer.ts";
import { parseSkill } from "../../../agent-host/capabilities/skills/parse-skill.ts";
import { fitOffers } from "../../../agent-host/envelope/fit-offers.ts";
import { aSkillOffer } from "../../support/an-envelope.ts";

const FRONT = `---
# A comment
name: "a-b"
description: Use it: when asked, 'always'.
list: [one, "two, three"]
items:
- one
- 'it''s'
folded: >
  one
  two

  three
block: |
  one
    two
metadata:
  author: me
  version: "1.0"
odd line
empty:
__proto__: evil
---

Body
---
`;

test("front matter is read as people write it: quotes, lists, blocks, names, and a colon in plain text", () => {
	const { fields, body, problems } = readFrontMatter(FRONT.replaceAll("\n", "\r\n"));
	assert.deepEqual(Object.entries(fields), [
		["name", "a-b"],
		["description", "Use it: when asked, 'always'."],
		["list", ["one", '"two', 'three"']],
		["items", ["one", "it's"]],
		["folded", "one two\n\nthree"],
		["block", "one\n  two"],
		["metadata", { author: "me", version: "1.0" }],
		["empty", ""],
		["__proto__", "evil"],
	]);
	assert.deepEqual([body, problems], ["Body\n---\n", ["Line 20 is not understood."]]);
});

test("a text without front matter, or with one that does not end, is all body", () => {
	for (const text of ["", "Body", "---\nname: x\nBody", "--- x\n---\n"]) {
		assert.deepEqual(readFrontMatter(text), { fields: {}, body: text, problems: [] });
	}
});

test("a skill needs a description and its folder's name, and decides who may invoke it", () => {
	const skill = (front: string, folder = "greet") => parseSkill(`---\n${front}\n---\nBody.`, folder);
	assert.deepEqual(skill("description: Greets.\ndisable-model-invocation: true\nargument-hint: [who]"), {
		name: "greet",
		about: "Greets.",
		body: "Body.",
		argumentHint: "",
		byModel: false,
		byUser: true,
	});
	assert.match(String(skill("name: other\ndescription: x")), /its folder is greet/);
	assert.match(String(skill("name: greet")), /no description/);
	assert.match(String(skill("description: x", "Bad_Name")), /lowercase letters/);
	assert.match(String(skill("description: x", "a--b")), /lowercase letters/);
});

test("arguments replace their placeholders in one pass, or are appended if there are none", () => {
	for (const [text, given, filled] of [
		["Fix $ARGUMENTS.", "a b", "Fix a b."],
		["$1 and $2, not $10", 'one "two three"', "one and two three, not $10"],
		["$0 and $1", "a b", "a and b"],
		["$ARGUMENTS[1] of $ARGUMENTS", "a b", "b of a b"],
		["Fix it.", "now", "Fix it.\n\nARGUMENTS: now"],
		["Fix it.", " ", "Fix it."],
		["$1 $2", "$2 $ARGUMENTS", "$2 $ARGUMENTS"],
		["$ARGUMENTSX costs $5", "", "$ARGUMENTSX costs "],
	]) {
		assert.equal(fillArguments(text ?? "", given ?? ""), filled);
	}
});

test("a skill is mentioned as a whole word with $, or at the beginning with $ or / and its arguments", () => {
	const skills = [aSkillOffer(), aSkillOffer({ name: "ship-it" }), aSkillOffer({ name: "secret", byUser: false })];
	const names = (prompt: string) => findMentions(prompt, skills).map(({ skill, given }) => [skill.name, given]);
	assert.deepEqual(names("/greet the world"), [["greet", "the world"]]);
	assert.deepEqual(names("$greet Ada\nand all"), [["greet", "Ada\nand all"]]);
	assert.deepEqual(names("Use $ship-it, then $greet. $greet!"), [
		["ship-it", ""],
		["greet", ""],
	]);
	for (const prompt of ["a/greet", "US$greet", "$greeting", "$secret", "see /greet", "$$greet"]) {
		assert.deepEqual(names(prompt), [], prompt);
	}
});

test("a list is shortened evenly, then by its last names, and always fits", () => {
	const offer = (name: string, length: number) => ({ name, about: "x".repeat(length) });
	const offers = [offer("a", 10), offer("b", 100), offer("c", 100)];
	assert.deepEqual(fitOffers(offers, 1_000), { offers, shortened: 0, omitted: 0 });
	const fitted = fitOffers(offers, 50);
	assert.deepEqual(
		[fitted.offers.map(({ about }) => about.length), fitted.shortened, fitted.omitted],
		[[10, 37, 37], 2, 0],
	);
	assert.match(fitted.offers[1]?.about ?? "", /^x{36}…$/);
	assert.deepEqual(fitOffers(offers, 5), { offers: [offer("a", 0), offer("b", 0)], shortened: 2, omitted: 1 });
	assert.deepEqual(fitOffers(offers, 0), { offers: [], shortened: 0, omitted: 3 });
});
