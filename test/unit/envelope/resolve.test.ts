import assert from "node:assert/strict";
import { test } from "node:test";
import { summarizeEnvelope } from "../../../agent-host/envelope/summary.ts";
import { budgetsFor } from "../../../agent-host/envelope/window.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

test("an envelope cannot be changed once sealed, at any depth", () => {
	const envelope = anEnvelope();
	const everything = [envelope, ...Object.values(envelope), envelope.workspace.roots, envelope.identity.budgets];
	assert.deepEqual(
		everything.map(Object.isFrozen),
		everything.map(() => true),
	);
});

test("a tool that needs files is absent when no folder is open", () => {
	const tools = [
		{ name: "read_file", needs: "read" },
		{ name: "think", needs: "none" },
	] as const;
	assert.deepEqual(anEnvelope({ request: { tools } }).capabilities.tools, ["read_file", "think"]);
	assert.deepEqual(anEnvelope({ request: { tools }, workspace: { roots: [] } }).capabilities.tools, ["think"]);
});

test("the policy lets read exactly the workspace folders", () => {
	assert.deepEqual(anEnvelope({ workspace: { roots: ["/a", "/b"] } }).policy, { read: ["/a", "/b"] });
});

test("what a client learns of an envelope holds no instructions and no server address", () => {
	const envelope = anEnvelope({
		request: { baseInstructions: "SECRET", model: { id: "m", window: 1_000, baseUrl: "https://example.invalid/v1" } },
	});
	assert.deepEqual(summarizeEnvelope(envelope), {
		provider: "demo",
		model: "m",
		window: 1_000,
		cwd: "/repo",
		roots: ["/repo"],
		trusted: true,
		tools: ["read_file"],
	});
});

test("every budget follows from the one window", () => {
	assert.deepEqual(budgetsFor({ effectivePercent: 95 }, 100_000), {
		window: 100_000,
		effective: 95_000,
		toolOutput: 14_250,
		input: 57_000,
	});
});
