import type * as vscode from "vscode";
import { type languageHover, MAX_HOVER_CHARS } from "../../agent-host/protocol/host/language.ts";
import type { ParsedParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { type AskProvider, toPosition } from "./ask-provider.ts";
import { openDocument } from "./open-document.ts";

/** What the editor shows when the pointer is over a symbol. */
export async function hover(
	ask: AskProvider,
	{ at }: ParsedParamsOf<typeof languageHover>,
): Promise<ResultOf<typeof languageHover>> {
	const document = await openDocument(at.path);
	const found = await ask<vscode.Hover>("vscode.executeHoverProvider", document, toPosition(at));
	const parts = found.flatMap(({ contents }) => contents.map(toText));
	return { text: parts.join("\n\n").slice(0, MAX_HOVER_CHARS) };
}

function toText(content: vscode.MarkdownString | vscode.MarkedString): string {
	return typeof content === "string" ? content : content.value;
}
