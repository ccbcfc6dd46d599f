import type { Operation, Patch } from "../patch/grammar.ts";
import { MAX_CHECKED_FILES, type Problem } from "../protocol/host/language.ts";
import type { FoundProblems, LanguagePorts } from "./language-port.ts";
import { listProblems } from "./problems.ts";
import type { ToolOutcome, ToolPorts } from "./tool-ports.ts";

/**
 * Applies a patch, and adds to its result which problems of its files are new or gone. Nothing is added where no
 * language server has said anything, since that does not mean that there are no problems.
 */
export async function withProblems(
	{ language }: Pick<ToolPorts, "language">,
	{ operations }: Patch,
	at: (path: string) => string,
	signal: AbortSignal,
	apply: () => Promise<ToolOutcome & { readonly isUnsaved?: boolean }>,
): Promise<ToolOutcome> {
	const files = operations.slice(0, MAX_CHECKED_FILES).map((operation) => toTouched(operation, at));
	const before = await language?.problems({ paths: files.flatMap(({ before }) => before ?? []) }, signal);
	const { isUnsaved, ...outcome } = await apply();
	if (language === undefined || before?.ok !== true || !outcome.ok || isUnsaved) return outcome;
	const after = await askAfter(language, files, before.mark, signal);
	const changed = after === undefined ? undefined : describeDelta(files, before, after, at("."));
	const said = [changed, after?.withheld].filter((part) => part !== undefined);
	const delta = said.length === 0 ? undefined : said.join("\n");
	return delta === undefined ? outcome : { ...outcome, text: `${outcome.text}\n${delta}`, lasting: outcome.text };
}

/** The names of a file before and after a patch, where it exists. */
export interface TouchedFile {
	readonly before: string | undefined;
	readonly after: string | undefined;
}

function toTouched(operation: Operation, at: (path: string) => string): TouchedFile {
	const path = at(operation.path);
	switch (operation.kind) {
		case "add":
			return { before: undefined, after: path };
		case "delete":
			return { before: path, after: undefined };
		case "update":
			return { before: path, after: operation.movedTo === undefined ? path : at(operation.movedTo) };
	}
}

async function askAfter(
	language: LanguagePorts,
	files: readonly TouchedFile[],
	mark: number,
	signal: AbortSignal,
): Promise<FoundProblems | undefined> {
	const paths = files.flatMap(({ after }) => after ?? []);
	if (paths.length === 0) return undefined;
	const told = await language.problems({ paths, since: mark }, signal);
	return told.ok ? told : undefined;
}

/** What a patch changed of the problems of its files. Lines do not count, since a patch moves them. */
export function describeDelta(
	files: readonly TouchedFile[],
	before: FoundProblems,
	after: FoundProblems,
	cwd: string,
): string | undefined {
	// A file that was not open had no list to compare with.
	const isKnown = ({ before: path }: TouchedFile) => path === undefined || !before.unchecked.includes(path);
	const [known, unknown] = [files.filter(isKnown), files.filter((file) => !isKnown(file))];
	const fresh = known.flatMap((file) => subtract(problemsOf(file.after, after), problemsOf(file.before, before)));
	const fixed = known.flatMap((file) =>
		// The problems of a file that nobody has looked at again are not gone.
		file.after !== undefined && after.unchecked.includes(file.after)
			? []
			: subtract(problemsOf(file.before, before), problemsOf(file.after, after)),
	);
	const older = unknown.flatMap((file) => problemsOf(file.after, after)).filter(({ severity }) => severity === "error");
	const parts = [
		...(fresh.length === 0 ? [] : [`New problems:\n${listProblems(fresh, cwd)}`]),
		...(older.length === 0
			? []
			: [`Errors in files that were not open before, so they may be older:\n${listProblems(older, cwd)}`]),
		...(fixed.length === 0 ? [] : [`${fixed.length} ${fixed.length === 1 ? "problem" : "problems"} fixed.`]),
	];
	return parts.length === 0 ? undefined : parts.join("\n");
}

function problemsOf(path: string | undefined, { problems }: FoundProblems): readonly Problem[] {
	return problems.filter((problem) => problem.path === path);
}

/** As multisets: the second of two equal problems is new, too. */
function subtract(from: readonly Problem[], what: readonly Problem[]): readonly Problem[] {
	const left = new Map<string, number>();
	for (const problem of what) left.set(keyOf(problem), (left.get(keyOf(problem)) ?? 0) + 1);
	return from.filter((problem) => {
		const count = left.get(keyOf(problem)) ?? 0;
		left.set(keyOf(problem), count - 1);
		return count <= 0;
	});
}

function keyOf({ severity, source, code, message }: Problem): string {
	return JSON.stringify([severity, source, code, message]);
}
