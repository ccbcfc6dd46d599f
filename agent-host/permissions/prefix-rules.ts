import type { CommandRule } from "../protocol/policy.ts";

/** Whether a command's words begin with the rule's, word for word. */
export function matchesRule(rule: CommandRule, words: readonly string[]): boolean {
	return rule.prefix.length <= words.length && rule.prefix.every((word, index) => word === words[index]);
}
