import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LentTool } from "../../../../agent-host/protocol/host/lent-tools.ts";
import { TOOLS } from "../../../../agent-host/tools/catalog.ts";
import { PROJECT } from "../../../support/editor-paths.ts";

interface Declared {
	readonly name: string;
	readonly modelDescription: string;
	readonly inputSchema: object;
}

test("the manifest declares exactly the tools that are lent, as our own model knows them, and each of them only reads", () => {
	const { contributes } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
	const declared = (contributes.languageModelTools as readonly Declared[]).map((tool) => ({
		name: tool.name,
		description: tool.modelDescription,
		parameters: tool.inputSchema,
		needs: "read",
	}));
	const lent = LentTool.options.map((name) => {
		const { description, parameters, needs } = TOOLS.find((tool) => tool.name === name) ?? {};
		return { name: `vitrine_${name}`, description, parameters, needs };
	});
	assert.deepEqual(declared, lent);
});
