import { isAbsolute, resolve } from "node:path";
import type { CommandRule } from "../../protocol/settings/policy-settings.ts";
import { isInside } from "../reach/reach.ts";
import { plainChain } from "./command-chain.ts";
import { matchesRule, offerRule } from "./prefix-rules.ts";

export interface RunIn {
	readonly command: string | readonly string[];
	/** Absolute, with all links resolved. */
	readonly cwd: string;
	/** Where folders that it changes to really are, if links lead there. */
	readonly leads?: ReadonlyMap<string, string>;
}

/**
 * The rules that together cover a command: one for each part of `a && b` that is not harmless beside the others.
 * Undefined if a part has none, or if any of it is not plainly literal.
 */
export function coveringRules(rules: readonly CommandRule[], run: RunIn): readonly CommandRule[] | undefined {
	const parts = partsToCover(run);
	const found = parts?.map((part) => findRule(rules, part));
	const covering = found?.filter((rule) => rule !== undefined) ?? [];
	return covering.length > 0 && covering.length === found?.length ? withoutRepeats(covering) : undefined;
}

/**
 * The rules that would have to be saved so that a command needs no approval: none for what is harmless or covered
 * already. Undefined if no rule can cover some part.
 */
export function offerRules(rules: readonly CommandRule[], run: RunIn): readonly CommandRule[] | undefined {
	const uncovered = partsToCover(run)?.filter((part) => findRule(rules, part) === undefined) ?? [];
	const offered = uncovered.map(({ words, isMoved }) => (isMoved && isRelative(words) ? undefined : offerRule(words)));
	const complete = offered.filter((rule) => rule !== undefined);
	return complete.length > 0 && complete.length === offered.length ? withoutRepeats(complete) : undefined;
}

interface Part {
	readonly words: readonly string[];
	readonly cwd: string;
	/** A `cd` precedes it. */
	readonly isMoved: boolean;
}

function partsToCover({ command, cwd, leads }: RunIn): readonly Part[] | undefined {
	let folder = cwd;
	const parts = plainChain(command)?.flatMap((words): readonly Part[] => {
		const [program, target = ""] = words;
		if (program === "cd") folder = resolve(folder, target);
		return program === "cd" ? [] : [{ words, cwd: leads?.get(folder) ?? folder, isMoved: folder !== cwd }];
	});
	const telling = parts?.filter(({ words: [program = ""] }) => !HARMLESS.has(program)) ?? [];
	return telling.length > 0 ? telling : parts;
}

/** They only print words; alone they need a rule like every command. A `cd` only leads where a command could be run. */
const HARMLESS: ReadonlySet<string> = new Set(["echo", "pwd", "true"]);

function findRule(rules: readonly CommandRule[], { words, cwd, isMoved }: Part): CommandRule | undefined {
	// After `cd`, a relative path is another program than the one that was allowed.
	if (isMoved && isRelative(words)) return undefined;
	return rules.find((rule) => (rule.folder === undefined || isInside(cwd, rule.folder)) && matchesRule(rule, words));
}

function isRelative([program = ""]: readonly string[]): boolean {
	return program.includes("/") && !isAbsolute(program);
}

function withoutRepeats(rules: readonly CommandRule[]): readonly CommandRule[] {
	return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}
