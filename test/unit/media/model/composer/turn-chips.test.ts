import assert from "node:assert/strict";
import { test } from "node:test";
import { listTurnChips } from "../../../../../media/model/composer/turn-chips.ts";
import { aNextTurn, aPanel } from "../../../../page/a-panel.ts";

test("chips show what the next turn will use, whether it only plans or talks, and full access as a warning", () => {
	const words = (panel: Parameters<typeof aPanel>[0], next?: ReturnType<typeof aNextTurn>) =>
		listTurnChips(aPanel(panel), next).map(({ text, command, level }) => `${text} → ${command}, ${level}`);
	const next = aNextTurn({ mode: "ask", name: "Ask First, network off", effort: "high", isFolderOpen: false });
	assert.deepEqual(words({ next }, next), [
		"app → changeFolder, warning",
		"gpt-5.1 (high) → changeModel, plain",
		"Ask First, network off → changePermissions, plain",
	]);
	const full = aNextTurn({
		cwd: "C:\\work\\docs\\",
		mode: "full",
		name: "Full Access, network on",
		plans: true,
		isLive: true,
	});
	assert.deepEqual(words({ next: full }, full), [
		"docs → changeFolder, plain",
		"gpt-5.1 → changeModel, plain",
		"Full Access, network on → changePermissions, warning",
		"Plan → togglePlan, plain",
		"Live → toggleLive, plain",
	]);
});

test("the chip of the model says so if none is chosen", () => {
	const panel = aPanel();
	const chips = listTurnChips({ ...panel, model: { ...panel.model, label: "" } }, undefined);
	assert.ok(chips.some(({ name, text }) => name === "model" && text === "No model chosen"));
});

test("values that the host has not confirmed for this thread are marked unconfirmed, but a warning stays a warning", () => {
	const words = (panel: Parameters<typeof aPanel>[0]) =>
		listTurnChips(aPanel(panel), undefined).map(({ text, level }) => `${text}, ${level}`);
	assert.deepEqual(words({ folders: [] }), [
		"No folder, unconfirmed",
		"gpt-5.1, unconfirmed",
		"no file access, unconfirmed",
	]);
	assert.deepEqual(words({ folders: ["app", "docs"] }), [
		"app +1, unconfirmed",
		"gpt-5.1, unconfirmed",
		"permissions, unconfirmed",
	]);
	const next = aNextTurn({ mode: "full", name: "Full Access, network on" });
	assert.deepEqual(words({ next }), ["app, unconfirmed", "gpt-5.1, unconfirmed", "Full Access, network on, warning"]);
});
