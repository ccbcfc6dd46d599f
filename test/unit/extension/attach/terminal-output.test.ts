import assert from "node:assert/strict";
import { test } from "node:test";
import type { offerTerminal } from "../../../../extension/attach/terminal-output.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

interface PaperTerminal {
	readonly name: string;
	readonly text: string;
}

async function anEditor() {
	let clipboard = "mine";
	let selected = "";
	const window: { activeTerminal: PaperTerminal | undefined } = { activeTerminal: undefined };
	const run: Readonly<Record<string, () => void>> = {
		"workbench.action.terminal.selectAll": () => {
			selected = window.activeTerminal?.text ?? "";
		},
		"workbench.action.terminal.copySelection": () => {
			if (selected !== "") clipboard = selected;
		},
		"workbench.action.terminal.clearSelection": () => {
			selected = "";
		},
	};
	const { offerTerminal: offer } = await loadOverPaper<{ readonly offerTerminal: typeof offerTerminal }>(
		["extension/attach/terminal-output.ts"],
		{
			l10n: {},
			window,
			env: {
				clipboard: {
					readText: async () => clipboard,
					writeText: async (text: string) => {
						clipboard = text;
					},
				},
			},
			commands: { executeCommand: async (id: string) => run[id]?.() },
		},
	);
	const offerOf = (terminal: PaperTerminal) => {
		window.activeTerminal = terminal;
		return offer("output") ?? assert.fail("There is no terminal.");
	};
	return { window, offerOf, clipboard: () => clipboard };
}

test("a terminal that was mentioned is sent only while it is the active one: never another's text under its name", async () => {
	const { window, offerOf, clipboard } = await anEditor();
	const [first, second] = [
		{ name: "bash", text: "of the first" },
		{ name: "bash", text: "of the second" },
	];
	const offers = [offerOf(first), offerOf(second)];
	assert.equal(new Set(offers.map(({ key }) => key)).size, 2);
	await assert.rejects(async () => offers[0]?.read(), {
		message: "The terminal bash is no longer the active one. Show it and try again, or remove the attachment.",
	});
	window.activeTerminal = first;
	assert.match(JSON.stringify(await offers[0]?.read()), /of the first/);
	assert.equal(clipboard(), "mine");
});
