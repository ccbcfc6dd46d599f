import assert from "node:assert/strict";
import { test } from "node:test";
import { listTurnChips } from "../../../../../media/model/composer/turn-chips.ts";
import { aNextTurn, aPanel } from "../../../../page/a-panel.ts";

test("chips say what the next turn is bound to, that it only plans, and full access in a warning", () => {
	const words = (panel: Parameters<typeof aPanel>[0], transcript: Parameters<typeof listTurnChips>[1]) =>
		listTurnChips(aPanel(panel), transcript).map(({ text, command, level }) => `${text} → ${command}, ${level}`);
	const nothing = { envelope: undefined, own: undefined };
	assert.deepEqual(words({ folders: [] }, nothing), [
		"No folder → openFolder, plain",
		"gpt-5.1 → changeModel, plain",
		"no file access → changePermissions, plain",
	]);
	const envelope = {
		provider: "openai",
		model: "old",
		window: 1,
		cwd: "/repo/app/lib",
		roots: [],
		trusted: true,
		tools: [],
	};
	const bound = { ...envelope, permissions: "Full Access, network on", permissionMode: "full" } as const;
	assert.deepEqual(words({ folders: ["app", "docs"] }, { envelope: bound, own: undefined }), [
		"lib → changeFolder, plain",
		"gpt-5.1 → changeModel, plain",
		"Full Access, network on → changePermissions, warning",
	]);
	const modes = { collaboration: "plan" } as const;
	const own = { settings: { model: { id: "small" }, modes }, cwd: "C:\\work\\docs\\" };
	assert.deepEqual(words({}, { envelope: bound, own }), [
		"docs → changeFolder, plain",
		"small → changeModel, plain",
		"Full Access, network on → changePermissions, warning",
		"Plan → togglePlan, plain",
	]);
	// What the host says of the next turn goes before what the page remembers of the last one.
	const next = aNextTurn({ mode: "ask", name: "Ask First, network off", effort: "high", isFolderOpen: false });
	assert.deepEqual(words({ next }, { envelope: bound, own }), [
		"app → changeFolder, warning",
		"gpt-5.1 (high) → changeModel, plain",
		"Ask First, network off → changePermissions, plain",
	]);
});
