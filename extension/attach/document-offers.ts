import { basename } from "node:path";
import * as vscode from "vscode";
import type { UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { countOf, t } from "../../l10n/t.ts";
import { readDiagnostics } from "../facts/file-uri.ts";
import { fittingLines, joinLines, type Lines, rangeLabel } from "./lines.ts";
import type { Offer } from "./offer.ts";

/** Limits of one chip: number of problems, and characters of each. */
const MAX_PROBLEMS = 50;
const MAX_PROBLEM_CHARS = 1_000;

/** Lines of a document, read when the prompt is sent: the text may still change, the range does not. */
export function offerLines(
	{ uri }: Pick<vscode.TextDocument, "uri">,
	lineAt: (line: number) => string,
	range: Lines,
	kind: "selection" | "symbol" = "selection",
): Offer {
	const lines = fittingLines(lineAt, range);
	const { from, to } = lines;
	return {
		key: `${kind} ${uri} ${from}-${to}`,
		kind,
		label: rangeLabel(basename(uri.path), lines),
		title:
			from === to
				? t("{0}, line {1}", shownPath(uri), String(from))
				: t("{0}, lines {1} to {2}", shownPath(uri), String(from), String(to)),
		read: async () => {
			const document = await vscode.workspace.openTextDocument(uri);
			const last = Math.min(to, document.lineCount);
			if (from > last) throw new Error(t("{0} no longer has line {1}. Remove its chip.", shownPath(uri), String(from)));
			const text = joinLines((line) => document.lineAt(line - 1).text, { from, to: last });
			return { kind: "selection", path: toHostPath(uri), from, to: last, text };
		},
	};
}

/** A file or folder by name; the model reads it if it needs to. */
export function offerFile(uri: vscode.Uri, kind: "file" | "folder" = "file"): Offer {
	return {
		key: `${kind} ${uri}`,
		kind,
		label: basename(uri.path),
		title: shownPath(uri),
		read: () => ({ kind: "file", path: toHostPath(uri) }),
	};
}

/** The problems of a file, or of all files, read when the prompt is sent. */
export function offerProblems(uri: vscode.Uri | undefined): Offer | undefined {
	const count = readProblems(uri).length;
	if (count === 0) return undefined;
	const words = countOf(count, "{0} problem", "{0} problems");
	return {
		// The count is part of the key: a chip that says 2 never sends 3.
		key: `problems ${uri ?? ""} ${count}`,
		kind: "problems",
		label: words,
		title: uri === undefined ? t("{0} in the workspace", words) : t("{0} in {1}", words, shownPath(uri)),
		read: () => toInput(readProblems(uri).slice(0, count)),
	};
}

/** Problems that are already known, such as those of a quick fix. */
export function offerTheseProblems(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): Offer {
	const problems = diagnostics.slice(0, MAX_PROBLEMS).map((diagnostic) => ({ uri, diagnostic }));
	const [first] = diagnostics;
	return {
		key: `problems ${uri} ${JSON.stringify(diagnostics.map(({ message, range }) => [range.start.line, message])).slice(0, 2_000)}`,
		kind: "problems",
		label:
			problems.length === 1
				? `${basename(uri.path)}:${(first?.range.start.line ?? 0) + 1}`
				: countOf(problems.length, "{0} problem", "{0} problems"),
		title: diagnostics
			.map(({ message }) => message)
			.join("\n")
			.slice(0, MAX_PROBLEM_CHARS),
		read: () => toInput(problems),
	};
}

/** The path as the host expects it. */
export function toHostPath(uri: vscode.Uri): string {
	return uri.scheme === "file" ? uri.fsPath : uri.toString();
}

export function shownPath(uri: vscode.Uri): string {
	return vscode.workspace.asRelativePath(uri);
}

interface Problem {
	readonly uri: vscode.Uri;
	readonly diagnostic: vscode.Diagnostic;
}

function readProblems(uri: vscode.Uri | undefined): readonly Problem[] {
	const all: readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[] =
		uri === undefined ? vscode.languages.getDiagnostics() : [[uri, readDiagnostics(uri)]];
	return all
		.flatMap(([uri, diagnostics]) => diagnostics.map((diagnostic) => ({ uri, diagnostic })))
		.filter(({ diagnostic }) => diagnostic.severity <= vscode.DiagnosticSeverity.Warning)
		.slice(0, MAX_PROBLEMS);
}

function toInput(problems: readonly Problem[]): UserInput {
	return {
		kind: "problems",
		problems: problems.map(({ uri, diagnostic }) => ({
			path: toHostPath(uri),
			line: diagnostic.range.start.line + 1,
			message: diagnostic.message.slice(0, MAX_PROBLEM_CHARS),
		})),
	};
}
