import * as vscode from "vscode";
import { type languageProblems, MAX_PROBLEMS, type Problem } from "../../agent-host/protocol/host/language.ts";
import type { ParsedParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import { fileUri, readDiagnostics, toPath } from "../facts/file-uri.ts";
import { openDocument } from "./open-document.ts";
import type { Reports } from "./reports.ts";

const MAX_MESSAGE_CHARS = 2_000;
const MAX_CODE_CHARS = 100;

type Answer = ResultOf<typeof languageProblems>;

/** Errors and warnings; with `since`, after the servers have looked at the files again. */
export async function readProblems(
	reports: Reports,
	{ paths, since }: ParsedParamsOf<typeof languageProblems>,
): Promise<Answer> {
	if (paths === undefined) return answer(vscode.languages.getDiagnostics(), [], reports.mark());
	const uris = paths.map(fileUri);
	if (since === undefined) {
		const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => toPath(uri)));
		const closed = paths.filter((path) => !open.has(path));
		return answer(listOf(uris), closed, reports.mark());
	}
	const opened = await Promise.all(paths.map((path) => openDocument(path).catch(() => undefined)));
	const documents = opened.filter((document) => document !== undefined);
	const late = await reports.settle(documents, since);
	return answer(
		listOf(uris),
		late.map(({ uri }) => toPath(uri)),
		reports.mark(),
	);
}

type Listed = readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[];

function listOf(uris: readonly vscode.Uri[]): Listed {
	return uris.map((uri) => [uri, readDiagnostics(uri)]);
}

function answer(listed: Listed, unchecked: readonly string[], mark: number): Answer {
	const problems = listed.flatMap(([uri, diagnostics]) =>
		diagnostics.flatMap((diagnostic) => describe(uri, diagnostic) ?? []),
	);
	const ordered = [...problems.filter(isError), ...problems.filter((problem) => !isError(problem))];
	return {
		problems: ordered.slice(0, MAX_PROBLEMS),
		more: Math.max(0, ordered.length - MAX_PROBLEMS),
		unchecked: [...unchecked],
		mark,
	};
}

function isError({ severity }: Problem): boolean {
	return severity === "error";
}

/** Hints and information are for people who look at the code. */
function describe(uri: vscode.Uri, { range, severity, source, code, message }: vscode.Diagnostic): Problem | undefined {
	if (severity > vscode.DiagnosticSeverity.Warning) return undefined;
	const value = typeof code === "object" ? code.value : code;
	return {
		path: toPath(uri),
		position: { line: range.start.line, character: range.start.character },
		severity: severity === vscode.DiagnosticSeverity.Error ? "error" : "warning",
		...(source === undefined ? {} : { source: source.slice(0, MAX_CODE_CHARS) }),
		...(value === undefined ? {} : { code: String(value).slice(0, MAX_CODE_CHARS) }),
		message: message.slice(0, MAX_MESSAGE_CHARS),
	};
}
