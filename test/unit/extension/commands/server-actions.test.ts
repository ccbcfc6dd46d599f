import assert from "node:assert/strict";
import { test } from "node:test";
import type { SERVER_COMMANDS } from "../../../../extension/commands/reports/server-actions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("of two servers with one name, the chosen one is started, from its row and from the palette", async () => {
	const listed = ["/one/.mcp.json", "/two/.mcp.json"].map((file) => ({ name: "docs", file }));
	const loaded = await loadOverPaper<{ readonly SERVER_COMMANDS: typeof SERVER_COMMANDS }>(
		["extension/commands/reports/server-actions.ts"],
		{ l10n: {}, window: { showQuickPick: async (rows: readonly unknown[]) => rows[1] } },
	);
	const started: unknown[] = [];
	const host = {
		request: async ({ name }: { readonly name: string }, params: unknown) => {
			if (name === "server/list") return { servers: listed };
			started.push(params);
			return { state: "running" };
		},
	};
	const start = loaded.SERVER_COMMANDS["vitrine.startServer"] ?? assert.fail();
	await start({ host } as never, { kind: "server", server: listed[0] } as never);
	await start({ host } as never, undefined);
	assert.deepEqual(started, listed);
});
