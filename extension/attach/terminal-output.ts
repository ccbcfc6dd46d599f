import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { t } from "../../l10n/t.ts";
import { lastText, toExcerpt } from "./lines.ts";
import type { Offer } from "./offer.ts";

type Part = "selection" | "output";

/** Offers the text of the active terminal, read when it is sent; undefined if there is no terminal. */
export function offerTerminal(part: Part): Offer | undefined {
	const terminal = vscode.window.activeTerminal;
	if (terminal === undefined) return undefined;
	const read = async () => asInput(terminal, part, await readTerminal(terminal, part));
	return { ...named(terminal, part), read };
}

/** Offers the current text of the active terminal; later output does not change it. */
export async function offerTerminalNow(part: Part): Promise<Offer> {
	const terminal = vscode.window.activeTerminal;
	if (terminal === undefined) throw new Error(t("No terminal is open. Open one first."));
	const text = await readTerminal(terminal, part);
	const { key, ...rest } = named(terminal, part);
	return { ...rest, key: `${key} ${randomUUID()}`, read: () => asInput(terminal, part, text) };
}

function named(terminal: vscode.Terminal, part: Part): Omit<Offer, "read"> {
	const { name } = terminal;
	const title = part === "output" ? t("output of terminal {0}", name) : t("selection in terminal {0}", name);
	return { key: `terminal ${part} ${numberOf(terminal)}`, kind: "terminal", label: name, title };
}

const numbers = new WeakMap<vscode.Terminal, number>();
let lastNumber = 0;

/** Several terminals may have the same name. */
function numberOf(terminal: vscode.Terminal): number {
	const known = numbers.get(terminal);
	if (known !== undefined) return known;
	lastNumber += 1;
	numbers.set(terminal, lastNumber);
	return lastNumber;
}

function asInput({ name }: vscode.Terminal, part: Part, text: string): ReturnType<typeof toExcerpt> {
	// For the model, so in English.
	return toExcerpt(part === "output" ? `output of terminal ${name}` : `selection in terminal ${name}`, text);
}

/**
 * A terminal's text is only available through the clipboard, whose content is restored afterwards, and only while the
 * terminal is the active one. Reads run one after the other, so that none sees another's text.
 */
function readTerminal(terminal: vscode.Terminal, part: Part): Promise<string> {
	const reading = lastRead.then(async () => {
		requireActive(terminal);
		const copied = await withClipboard(() => copyFromTerminal(part));
		// The user may have gone to another one meanwhile.
		requireActive(terminal);
		return copied;
	});
	lastRead = reading.then(
		() => undefined,
		() => undefined,
	);
	return reading.then((copied) => {
		const text = lastText(copied);
		if (text !== "") return text;
		throw new Error(
			part === "output" ? t("The terminal has no output yet.") : t("No text is selected in the terminal."),
		);
	});
}

function requireActive(terminal: vscode.Terminal): void {
	if (vscode.window.activeTerminal === terminal) return;
	const words = "The terminal {0} is no longer the active one. Show it and try again, or remove the attachment.";
	throw new Error(t(words, terminal.name));
}

let lastRead: Promise<void> = Promise.resolve();

async function copyFromTerminal(part: Part): Promise<void> {
	if (part === "output") await vscode.commands.executeCommand("workbench.action.terminal.selectAll");
	await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
	if (part === "output") await vscode.commands.executeCommand("workbench.action.terminal.clearSelection");
}

async function withClipboard(copy: () => Promise<void>): Promise<string> {
	const { clipboard } = vscode.env;
	const held = await clipboard.readText();
	// If nothing is selected nothing is copied; the mark tells that from real text.
	const mark = randomUUID();
	await clipboard.writeText(mark);
	try {
		await copy();
		const copied = await clipboard.readText();
		return copied === mark ? "" : copied;
	} finally {
		await clipboard.writeText(held);
	}
}
