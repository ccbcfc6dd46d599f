import type * as vscode from "vscode";
import { type Location, type languageLocate, MAX_LOCATIONS } from "../../agent-host/protocol/host/language.ts";
import type { ParsedParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { toPath } from "../facts/file-uri.ts";
import { type AskProvider, toPosition } from "./ask-provider.ts";
import { openDocument } from "./open-document.ts";

const COMMANDS = {
	definition: "vscode.executeDefinitionProvider",
	typeDefinition: "vscode.executeTypeDefinitionProvider",
	implementation: "vscode.executeImplementationProvider",
	references: "vscode.executeReferenceProvider",
} as const;

type Found = vscode.Location | vscode.LocationLink;

/** Where a symbol is defined, implemented or used. */
export async function locate(
	ask: AskProvider,
	{ of, at }: ParsedParamsOf<typeof languageLocate>,
): Promise<ResultOf<typeof languageLocate>> {
	const document = await openDocument(at.path);
	const position = toPosition(at);
	const found = await ask<Found>(COMMANDS[of], document, position);
	// References include the definitions without saying which they are.
	const defined = of === "references" ? await ask<Found>(COMMANDS.definition, document, position) : [];
	const definitions = new Set(defined.map(keyOf));
	const locations = [...new Map(found.map((one) => [keyOf(one), one])).values()].map((one): Location => {
		const { uri, range } = placeOf(one);
		const line = { path: toPath(uri), line: range.start.line };
		return definitions.has(keyOf(one)) ? { ...line, isDefinition: true } : line;
	});
	return { locations: locations.slice(0, MAX_LOCATIONS), more: Math.max(0, locations.length - MAX_LOCATIONS) };
}

function placeOf(found: Found): { readonly uri: vscode.Uri; readonly range: vscode.Range } {
	if ("targetUri" in found) return { uri: found.targetUri, range: found.targetSelectionRange ?? found.targetRange };
	return found;
}

function keyOf(found: Found): string {
	const { uri, range } = placeOf(found);
	return `${uri} ${range.start.line}:${range.start.character}`;
}
