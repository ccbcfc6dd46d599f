import * as z from "zod";
import { oneLine } from "../permissions/words/one-line.ts";
import { MAX_CHECKED_FILES, type Problem } from "../protocol/host/language.ts";
import { say } from "../protocol/say.ts";
import { cutLines, showPath } from "./list-places.ts";
import { NO_EDITOR } from "./locate-symbol.ts";
import { defineTool } from "./tool.ts";

/** Limits of one list. */
const LIMITS = { lines: 20, chars: 4_000 };

export const problems = defineTool({
	name: "problems",
	description: "List the editor's errors and warnings. Use it before you are done.",
	needs: "language",
	input: z.object({ paths: z.array(z.string().min(1).max(4_096)).min(1).max(MAX_CHECKED_FILES).optional() }),
	title: ({ paths }) =>
		paths === undefined ? say("call-problems") : say("call-problems-of", { paths: paths.join(", ") }),
	access: () => ({ kind: "none" }),
	async run({ paths }, at, ports, signal) {
		const { language } = ports;
		if (language === undefined) return { ok: false, reason: NO_EDITOR };
		const told = await language.problems(paths === undefined ? {} : { paths: paths.map(at), since: 0 }, signal);
		if (!told.ok) return told;
		const { problems: found, unchecked, more, withheld } = told;
		const lines = found.length === 0 ? NONE : listProblems(found, at("."), more);
		const silent = unchecked.map((path) => showPath(path, at(".")));
		const isTrusted = (await ports.policy()).commands;
		const notes = [
			...(silent.length === 0 ? [] : [`No report from a language server about ${silent.join(", ")}.`]),
			...(withheld === undefined ? [] : [withheld]),
			...(isTrusted ? [] : ["The workspace is in Restricted Mode: many language servers are off."]),
		];
		return { ok: true, text: [lines, ...notes].join("\n") };
	},
});

const NONE = "The editor shows no problems here. Files that are not open may have some.";

/** Errors first, a line each: `src/a.ts:12:5 error TS2322: …`. */
export function listProblems(found: readonly Problem[], cwd: string, more = 0): string {
	const sorted = found.toSorted((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
	return cutLines(
		sorted.map((problem) => formatProblem(problem, cwd)),
		more,
		LIMITS,
	);
}

function formatProblem({ path, position, severity, source, code, message }: Problem, cwd: string): string {
	// TypeScript's codes are plain numbers; people know them with its letters.
	const known = code !== undefined && source === "ts" ? `TS${code}` : [source, code].filter(Boolean).join(" ");
	const place = `${showPath(path, cwd)}:${position.line + 1}:${position.character + 1}`;
	return `${place} ${severity}${known === "" ? "" : ` ${oneLine(known)}`}: ${oneLine(message)}`;
}
