import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ACTIVITY_COMMANDS } from "../../../../extension/commands/reports/show-activity.ts";
import { withoutIcons } from "../../../../extension/facts/plain-row.ts";
import type { enterInput } from "../../../../extension/views/servers/enter-input.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

/** A label as the editor draws it: `\$(name)` is text, `$(name)` an icon. */
function draw(label: string): string {
	return label.replaceAll(/(\\)?\$\(([A-Za-z0-9-]+(?:~[A-Za-z]+)?)\)/g, (_, mark, name) => (mark ? `$(${name})` : "▢"));
}

test("a row shows exactly its text, whatever that contains", () => {
	const parts = fc.constantFrom("$", "(", ")", "\\", "pwd", "sync~spin", "~", "-", " ", "$(check)", "\\$(check)");
	fc.assert(
		fc.property(fc.array(parts), (all) => {
			const text = all.join("");
			assert.equal(draw(withoutIcons(text)), text);
		}),
	);
});

test("commands and permissions in a list are shown literally, even if they contain icon syntax", async () => {
	let rows: readonly { readonly label: string }[] = [];
	const showQuickPick = async (shown: typeof rows) => {
		rows = shown;
		return undefined;
	};
	const loaded = await loadOverPaper<{ readonly ACTIVITY_COMMANDS: typeof ACTIVITY_COMMANDS }>(
		["extension/commands/reports/show-activity.ts"],
		{ window: { showQuickPick }, workspace: { getConfiguration: () => ({ inspect: () => undefined }) } },
	);
	const command = "rm -r $(pwd)";
	const entry = { seq: 1, what: `Run ${command}`, reason: "", digest: "d", decision: "allowThread", by: "user" };
	const answers: Readonly<Record<string, object>> = {
		"process/list": { processes: [{ threadId: "a", processId: "p1", command }] },
		"permission/ledger": { entries: [{ ...entry, grant: "inForce" }] },
	};
	const host = { request: async ({ name }: { readonly name: string }) => answers[name] ?? assert.fail(name) };
	for (const [id, shown] of [
		["vitrine.stopProcess", command],
		["vitrine.revokePermission", `Run ${command}`],
	] as const) {
		await loaded.ACTIVITY_COMMANDS[id]?.({ host, panel: { threadId: () => "a" } } as never, undefined);
		assert.deepEqual(
			rows.map(({ label }) => draw(label)),
			[shown],
		);
	}
});

test("the values of an MCP server's input are shown literally, and the chosen one is used unchanged", async () => {
	const options = ["$(check) safe", "rm -r $(pwd)"];
	let rows: readonly { readonly label: string }[] = [];
	const showQuickPick = async (shown: typeof rows) => {
		rows = shown;
		return shown[1];
	};
	const { enterInput: enter } = await loadOverPaper<{ readonly enterInput: typeof enterInput }>(
		["extension/views/servers/enter-input.ts"],
		{ window: { showQuickPick } },
	);
	assert.equal(await enter({ server: "docs", place: "docs", input: { id: "mode", options } } as never), options[1]);
	assert.deepEqual(
		rows.map(({ label }) => draw(label)),
		options,
	);
});
