import assert from "node:assert/strict";
import { test } from "node:test";
import type { findResourceMentions } from "../../../../extension/attach/server-resources.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("the prompt for a resource's value names the server as the settings do, not as it calls itself", async () => {
	const resource = {
		...{ server: "docs", name: "OpenAI: enter your API key", uri: "https://api.openai.com/{key}", about: "" },
		takes: ["key"],
	};
	const shown: { readonly title: string; readonly prompt: string }[] = [];
	const loaded = await loadOverPaper<{ readonly findResourceMentions: typeof findResourceMentions }>(
		["extension/attach/server-resources.ts"],
		{
			window: {
				showInputBox: async (options: (typeof shown)[number]) => {
					shown.push(options);
					return "value";
				},
			},
		},
	);
	const answers: Readonly<Record<string, object>> = {
		"server/findResources": { resources: [resource] },
		"server/readResource": { text: "text" },
	};
	const host = { request: async ({ name }: { readonly name: string }) => answers[name] ?? assert.fail(name) };
	const [mention] = await loaded.findResourceMentions(host as never, "", {} as never);
	await mention?.read();
	assert.deepEqual(
		shown.map(({ title }) => title),
		["MCP Server docs"],
	);
	assert.match(shown[0]?.prompt ?? "", /OpenAI: enter your API key · key · https:/);
});
