import assert from "node:assert/strict";
import { test } from "node:test";
import type { SERVER_COMMANDS } from "../../../../extension/commands/reports/server-actions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

test("if two servers share a name, every command acts on the chosen one, from its row and from the palette", async () => {
	const listed = ["/one/.mcp.json", "/two/.mcp.json"].map((file) => ({ name: "docs", file }));
	const loaded = await loadOverPaper<{ readonly SERVER_COMMANDS: typeof SERVER_COMMANDS }>(
		["extension/commands/reports/server-actions.ts"],
		{
			l10n: {},
			window: {
				showQuickPick: async (rows: readonly unknown[]) => rows[1],
				showInformationMessage: async () => undefined,
			},
		},
	);
	const meant: unknown[] = [];
	const host = {
		request: async ({ name }: { readonly name: string }, params: unknown) => {
			if (name === "server/list") return { servers: listed };
			meant.push(params);
			return { state: "running" };
		},
	};
	const documents = { open: async ({ kind: _, ...params }: object & { readonly kind: string }) => meant.push(params) };
	for (const what of ["startServer", "stopServer", "signInToServer", "signOutOfServer", "showServerOutput"]) {
		const run = loaded.SERVER_COMMANDS[`vitrine.${what}`] ?? assert.fail();
		meant.length = 0;
		await run({ host, documents } as never, { kind: "server", server: listed[0] } as never);
		await run({ host, documents } as never, undefined);
		assert.deepEqual(meant, listed, what);
	}
});
