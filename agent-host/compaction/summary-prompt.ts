import { SUMMARY_TOKENS } from "./plan-compaction.ts";
import { RECENT_END, RECENT_START, REQUEST_END, REQUEST_START } from "./verbatim.ts";

/** The shape of the answer, for wires that can enforce one. */
export const SUMMARY_SCHEMA = {
	name: "compaction",
	schema: {
		type: "object",
		properties: { intent_user_message: { type: "string" }, summary: { type: "string" } },
		required: ["intent_user_message", "summary"],
		additionalProperties: false,
	},
} as const;

/** What a model is asked for. `own` replaces the part about contents; the form is not the user's to change, as it is checked. */
export function compactionPrompt(own: string): string {
	return [own.trim() === "" ? CONTENTS : own.trim(), FORM, SELF_CHECK].join("\n\n");
}

const CONTENTS = `The context window is filling up. Everything above will be dropped and you will go on from what you write now, so write down what you need to go on as if nothing had happened. Do no other work and call no tool.

Which task
- Reconstruct the single active task: the one with work in progress (edits, plans, tests, ids, state of the environment).
- An incidental question in between does not change the active task.
- When you cannot tell which task is active, name the candidates with their context and mark what is not known.

"summary" is for you, to go on from. Write:
- the current status and phase
- authoritative excerpts: files, functions, diffs, snippets, as they are now
- internal state and intermediate values
- pending steps and design notes
- the environment: paths, branches, configuration, ids of runs
- the state of tests and of anything that is running
- every unknown, marked UNKNOWN; never a guess
- one short note on other threads of work, only where it helps`;

const FORM = `Form of the answer
- One valid JSON object and nothing else: no Markdown, no fences, no comment before or after it. UTF-8. It must parse as it stands.
- Exactly two keys, each once, both with string values: "intent_user_message" and "summary".
- About ${SUMMARY_TOKENS} tokens in all, the quotes of the user not counted.

"intent_user_message" is what the user wants, for re-reading after the reset:
1. the least context needed to understand the task: paths, interfaces, configuration, constraints, design notes
2. the original request that defined the active task, word for word:
${REQUEST_START}
the user's text
${REQUEST_END}
3. the latest messages of the user that matter for going on (clarifications, corrections, follow-ups, changed parameters, sub-tasks), about 2 to 6 of them, more where needed, word for word:
${RECENT_START}
the user's texts, oldest first
${RECENT_END}
Both blocks hold the exact raw text, with no quotes or escapes beyond JSON's own. Each of the four tags stands alone on its line, not indented.

The last line of "summary" is RESUME_AT: followed by the next concrete action.`;

const SELF_CHECK = `Before you answer, check without writing it down:
- Is it one valid JSON object and nothing else?
- Does intent_user_message hold both blocks, ${REQUEST_START} … ${REQUEST_END} and ${RECENT_START} … ${RECENT_END}?
- Is there enough detail to go on without any of the messages above?
- Does summary end with a concrete RESUME_AT line?`;
