import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PANEL_COMMANDS } from "../../../../media/wire.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..", "..");

test("every command of the manifest is registered, and every command that a page may run exists", () => {
	const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
	const declared: readonly string[] = JSON.parse(read("package.json")).contributes.commands.map(
		({ command }: { command: string }) => command,
	);
	const files = ["catalog.ts", "reports/server-actions.ts", "reports/show-activity.ts", "review/hunk-actions.ts"]
		.map((file) => read(`extension/commands/${file}`))
		.join("\n");
	const registered = [...files.matchAll(/^\t"(vitrine\.\w+)":/gm)].map(([, id]) => id ?? "");
	assert.deepEqual(registered.toSorted(), declared.toSorted());
	const ids = [
		...read("extension/commands/panel-commands.ts").matchAll(/^\t(\w+): \["(vitrine\.\w+|workbench\.[\w.]+)"/gm),
	];
	assert.deepEqual(ids.map(([, name]) => name).toSorted(), PANEL_COMMANDS.toSorted());
	assert.deepEqual(
		ids.flatMap(([, , id = ""]) => (id.startsWith("vitrine.") && !declared.includes(id) ? [id] : [])),
		[],
	);
});
