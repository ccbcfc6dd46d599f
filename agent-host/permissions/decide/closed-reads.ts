import { join } from "node:path";
import { entryAt } from "../../protocol/settings/policy-settings.ts";
import type { ClosedRead, Policy } from "../policy/policy.ts";
import { isClosedByDefault, isInside } from "../reach/reach.ts";
import { decide } from "./decide.ts";
import type { EndedCommand } from "./recognize-denial.ts";

/** Limits: characters at the end of an output, length of a line, and places offered at once. */
const [LOOKED_AT_CHARS, MAX_LINE_CHARS, MAX_OFFERED] = [16_384, 1_000, 3];
const NOT_READ =
	/no such file|not found|permission ?denied|cannot (?:open|access|read)|can't open|unable to|\bENOENT\b|\bEACCES\b/i;
/** A quoted path, or one that ends where a sentence would end it. */
const PATHS = /(["'`])((?:~|\/)[^"'`\n]+)\1|(?:^|[\s=(:[])((?:~|\/)[^\s"'`,;()[\]<>|]+)/g;

/**
 * Closed places that a command probably tried to read, judging by its output. Independent of whether anything exists
 * there, so that an offer does not reveal it.
 */
export function guessClosedReads(
	{ output }: Pick<EndedCommand, "output">,
	policy: Policy,
	home: string,
): readonly string[] {
	if (policy.closed.places.length === 0) return [];
	const lines = output.slice(-LOOKED_AT_CHARS).split("\n");
	const said = lines.map((line) => line.slice(0, MAX_LINE_CHARS)).filter((line) => NOT_READ.test(line));
	const named = said.flatMap((line) => [...line.matchAll(PATHS)].map(([, , quoted, plain]) => quoted ?? plain ?? ""));
	const paths = named.map((name) => expandHome(withoutStop(name), home));
	const closed = paths.filter((path) => !isInside(home, path) && isClosedByDefault(policy, path));
	return [...new Set(closed)].slice(0, MAX_OFFERED);
}

/** Removes punctuation that ends the sentence after a path. */
function withoutStop(name: string): string {
	return /[.:]$/.test(name) ? withoutStop(name.slice(0, -1)) : name;
}

export function expandHome(path: string, home: string): string {
	return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

/** With `~` for the home folder. */
export function shortenHome(path: string, home: string): string {
	return home !== "/" && isInside(path, home) ? `~${path.slice(home.length)}` : path;
}

/** The policy for one command that may also read these places. */
export function withReads(policy: Policy, paths: readonly string[]): Policy {
	if (paths.length === 0) return policy;
	return { ...policy, filesystem: [...policy.filesystem, ...paths.map((path) => entryAt(path, "read"))] };
}

/** The note for the model: how to ask, if asking is possible. */
export function closedReadsNote(places: readonly ClosedRead[], policy: Policy): string {
	const verdict = decide({ kind: "closedRead", places }, policy);
	if (verdict.kind !== "ask") return verdict.reason.text;
	const read = JSON.stringify(places.map(({ shown }) => shown));
	return `${verdict.reason.text} If the task needs it, run the same command again with read: ${read}; the user is asked for approval.`;
}
