import assert from "node:assert/strict";
import { test } from "node:test";
import { describePlugin } from "../../../../extension/commands/customize/plugin-words.ts";

test("before a plugin is installed, all of its contents are listed, including those that are not used", () => {
	const plugin = { name: "tidy", version: "1", about: "Keeps order.", folder: "/p", digest: "d", tokens: 40 };
	const parts = {
		skills: ["tidy-up: Tidies."],
		commands: [],
		agents: ["sorter: Sorts."],
		hooks: ["Stop: ./x.sh"],
		servers: ["shelf starts: x"],
	};
	assert.equal(
		describePlugin({ ...plugin, ...parts, problems: ["lspServers in its manifest is not used."] }),
		[
			"Keeps order.",
			"Skills\n• tidy-up: Tidies.",
			"Agents\n• sorter: Sorts.",
			"Hooks, run in the sandbox\n• Stop: ./x.sh",
			"MCP servers\n• shelf starts: x",
			"Not used\n• lspServers in its manifest is not used.",
			"About 40 tokens in every request",
		].join("\n\n"),
	);
	const empty = { skills: [], commands: [], agents: [], hooks: [], servers: [], problems: [] };
	assert.match(describePlugin({ ...plugin, ...empty }), /It brings nothing along that can be used\./);
});
