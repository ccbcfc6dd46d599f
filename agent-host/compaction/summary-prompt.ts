import { SUMMARY_TOKENS } from "./plan-compaction.ts";
import { RECENT_END, RECENT_START, REQUEST_END, REQUEST_START } from "./verbatim.ts";

/** JSON schema of the answer, for wires that can enforce one. */
export const SUMMARY_SCHEMA = {
	name: "compaction",
	schema: {
		type: "object",
		properties: { intent_user_message: { type: "string" }, summary: { type: "string" } },
		required: ["intent_user_message", "summary"],
		additionalProperties: false,
	},
} as const;

/** The prompt for a summary. `own` replaces the part about its contents; the form is fixed, because it is checked. */
export function compactionPrompt(own: string): string {
	return [own.trim() === "" ? CONTENTS : own.trim(), FORM, SELF_CHECK].join("\n\n");
}

const CONTENTS = `The context window is filling up. Everything above will be dropped and you will continue from the summary you write now, so include everything you need to continue seamlessly. Do no other work and call no tool.

Which task
- Reconstruct the single active task: the one with work in progress (edits, plans, tests, ids, state of the environment).
- An incidental question in between does not change the active task.
- If you cannot tell which task is active, name the candidates with their context and mark unknowns.

"summary" is for you, to continue from. Write:
- the current status and phase
- authoritative excerpts in their current state: files, functions, diffs, snippets
- internal state and intermediate values
- pending steps and design notes
- the environment: paths, branches, configuration, run ids
- the state of tests and of running processes
- every unknown, marked UNKNOWN; never a guess
- one short note on other threads of work, only where it helps`;

const FORM = `Form of the answer
- One valid JSON object and nothing else: no Markdown, no fences, no comment before or after it. UTF-8. It must parse without changes.
- Exactly two keys, each once, both with string values: "intent_user_message" and "summary".
- About ${SUMMARY_TOKENS} tokens in total, not counting the user's quoted messages.

"intent_user_message" is what the user wants, for re-reading after the reset:
1. the minimum context needed to understand the task: paths, interfaces, configuration, constraints, design notes
2. the original request that defined the active task, verbatim:
${REQUEST_START}
the user's text
${REQUEST_END}
3. the user's latest messages that are relevant for continuing (clarifications, corrections, follow-ups, changed parameters, sub-tasks), about 2 to 6, more if needed, verbatim:
${RECENT_START}
the user's texts, oldest first
${RECENT_END}
Both blocks contain the exact raw text, with no quotes or escapes beyond JSON's own. Each of the four tags is on its own line, not indented.

The last line of "summary" is RESUME_AT: followed by the next concrete action.`;

const SELF_CHECK = `Before you answer, check without writing it down:
- Is it one valid JSON object and nothing else?
- Does intent_user_message contain both blocks, ${REQUEST_START} … ${REQUEST_END} and ${RECENT_START} … ${RECENT_END}?
- Is there enough detail to continue without any of the messages above?
- Does summary end with a concrete RESUME_AT line?`;
