import * as vscode from "vscode";
import {
	type LanguageSymbol,
	type languageOutline,
	type languageSymbols,
	MAX_SYMBOLS,
} from "../../agent-host/protocol/host/language.ts";
import type { ParsedParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { toPath } from "../facts/file-uri.ts";
import type { AskProvider } from "./ask-provider.ts";
import { openDocument } from "./open-document.ts";

const MAX_NAME_CHARS = 500;
const MAX_DEPTH = 100;

/** The symbols of a file, in the order of its lines. */
export async function outline(
	ask: AskProvider,
	{ path }: ParsedParamsOf<typeof languageOutline>,
): Promise<ResultOf<typeof languageOutline>> {
	const document = await openDocument(path);
	const found = await ask<vscode.DocumentSymbol | vscode.SymbolInformation>(
		"vscode.executeDocumentSymbolProvider",
		document,
	);
	return cut(found.flatMap((symbol) => flatten(symbol, path, 0)));
}

/** The symbols of the workspace with a name like this. */
export async function findSymbols(
	ask: AskProvider,
	{ query, path }: ParsedParamsOf<typeof languageSymbols>,
): Promise<ResultOf<typeof languageSymbols>> {
	// Its outline comes when the server has read the file, and only then does it know symbols.
	if (path !== undefined) await outline(ask, { path });
	const found = await vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
		"vscode.executeWorkspaceSymbolProvider",
		query,
	);
	return cut((found ?? []).map((symbol) => describe(symbol)));
}

function flatten(
	symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
	path: string,
	depth: number,
): readonly LanguageSymbol[] {
	// The editor answers with objects that are both; only older providers have no tree.
	if (!("children" in symbol)) return [{ ...describe(symbol), path, depth }];
	const { name, kind, range, children } = symbol;
	const own = {
		...{ name: name.slice(0, MAX_NAME_CHARS), kind: nameOf(kind), path, depth: Math.min(depth, MAX_DEPTH) },
		...{ line: range.start.line, endLine: range.end.line },
	};
	const sorted = children.toSorted((a, b) => a.range.start.compareTo(b.range.start));
	return [own, ...sorted.flatMap((child) => flatten(child, path, depth + 1))];
}

/** Servers may leave out what a symbol is in, and where in its file, although the editor's own type does not say so. */
type Told = Pick<vscode.SymbolInformation, "name" | "kind"> & {
	readonly containerName?: string | undefined;
	readonly location: { readonly uri: vscode.Uri; readonly range?: vscode.Range | undefined };
};

function describe({ name, kind, containerName = "", location: { uri, range } }: Told): LanguageSymbol {
	return {
		...{ name: name.slice(0, MAX_NAME_CHARS), kind: nameOf(kind), path: toPath(uri), depth: 0 },
		...{
			line: range?.start.line ?? 0,
			endLine: range?.end.line ?? 0,
			container: containerName.slice(0, MAX_NAME_CHARS),
		},
	};
}

/** Such as `type parameter`. */
function nameOf(kind: vscode.SymbolKind): string {
	return (vscode.SymbolKind[kind] ?? "symbol").replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

function cut(symbols: readonly LanguageSymbol[]): ResultOf<typeof languageSymbols> {
	return { symbols: symbols.slice(0, MAX_SYMBOLS), more: Math.max(0, symbols.length - MAX_SYMBOLS) };
}
