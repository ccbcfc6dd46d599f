import { type PolicyWords, policyLines } from "../../permissions/words/policy-words.ts";
import { defineFragment } from "../fragment.ts";

export interface PermissionFacts {
	readonly words: PolicyWords;
	/** The policy in a few words, now and as last stated. */
	readonly name: string;
	readonly before: string | undefined;
	readonly digest: string;
}

/** What the agent may do, in the words the user sees and the sandbox enforces. */
export const permissions = defineFragment<PermissionFacts>({
	kind: "permissions",
	role: "developer",
	tag: "permissions",
	origin: "host",
	maxChars: 6_000,
	about: "What can be read, written, run and connected to, and what needs the user's approval.",
	summary: ({ name, before }) => {
		if (before === undefined) return `permissions: ${name}`;
		return before === name ? `permissions changed: ${name}` : `permissions: ${before} → ${name}`;
	},
	attributes: ({ digest }) => ({ digest }),
	body: ({ words, before }) =>
		[...(before === undefined ? [] : ["This replaces the earlier permissions."]), ...policyLines(words)].join("\n"),
});
