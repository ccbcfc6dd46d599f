import assert from "node:assert/strict";
import { test } from "node:test";
import { readFrontMatter, readText } from "../../../../agent-host/capabilities/front-matter.ts";
import { parseSkill } from "../../../../agent-host/capabilities/skills/parse-skill.ts";
import {
	appendLine,
	commandTemplate,
	refuseName,
	skillTemplate,
} from "../../../../extension/commands/customize/templates.ts";

test("a new skill and a new command can be used as they are written", () => {
	const skill = parseSkill(skillTemplate("release-notes"), "release-notes");
	assert.ok(typeof skill !== "string", String(skill));
	assert.match(skill.about, /^What this skill does/);
	assert.match(skill.body, /^# Release notes\n/);
	const command = readFrontMatter(commandTemplate("explain-test"));
	assert.deepEqual(
		[readText(command, "argument-hint"), command.problems, /\$ARGUMENTS/.test(command.body)],
		["[topic]", [], true],
	);
});

test("a name that an agent could not use is refused", () => {
	for (const name of ["", "Release", "a--b", "-a", "a b", "../a", "a/b", "x".repeat(65)]) {
		assert.match(refuseName(name) ?? "", /^Use up to 64/, name);
	}
	assert.equal(refuseName("release-notes-2"), undefined);
});

test("remembered text is appended as one line and leaves everything before it unchanged", () => {
	assert.equal(appendLine("", "Use\n\ttabs. "), "- Use tabs.\n");
	assert.equal(appendLine("# Rules\n", "Use tabs."), "# Rules\n- Use tabs.\n");
	assert.equal(appendLine("# Rules", "Use tabs."), "# Rules\n- Use tabs.\n");
});
