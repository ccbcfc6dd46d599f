import { oneLine } from "../../permissions/words/one-line.ts";
import { defineFragment } from "../fragment.ts";

/** Length limit of a command shown on one line. */
const MAX_SUMMARY_CHARS = 200;

/** Context that a user's hook adds to a turn. */
export const hookContext = defineFragment<{ readonly hook: string; readonly text: string }>({
	kind: "hook-context",
	// What a program of a workspace says never counts as much as what the host says.
	role: "user",
	tag: "hook_context",
	origin: "workspace",
	maxChars: 20_000,
	about: "Text added by a hook.",
	summary: ({ hook }) => `hook: ${hook}`,
	attributes: ({ hook }) => ({ hook }),
	body: ({ text }) => text,
});

/** A hook's reason to continue the turn. */
export const hookPrompt = defineFragment<{ readonly hook: string; readonly text: string }>({
	kind: "hook-prompt",
	role: "user",
	tag: "hook_prompt",
	origin: "workspace",
	maxChars: 20_000,
	about: "Why a hook wants the turn to continue.",
	summary: ({ hook }) => `hook: ${hook} continues the turn`,
	attributes: ({ hook }) => ({ hook }),
	body: ({ text }) => text,
});

/** The full text of a skill that was invoked. */
export const skill = defineFragment<{ readonly name: string; readonly text: string }>({
	kind: "skill",
	role: "user",
	tag: "skill",
	origin: "workspace",
	maxChars: 60_000,
	about: "The text of an invoked skill.",
	summary: ({ name }) => `skill: ${name}`,
	attributes: ({ name }) => ({ name }),
	body: ({ text }) => text,
});

/** The text of an MCP server's prompt that the user invoked. */
export const serverPrompt = defineFragment<{ readonly server: string; readonly name: string; readonly text: string }>({
	kind: "server-prompt",
	role: "user",
	tag: "server_prompt",
	origin: "server",
	maxChars: 60_000,
	about: "The text of an MCP server's prompt that the user invoked.",
	summary: ({ server, name }) => `prompt of ${server}: ${name}`,
	attributes: ({ server, name }) => ({ server, name }),
	body: ({ text }) => text,
});

/** A sub-agent's change of state. */
export const subagentNotification = defineFragment<{
	readonly agent: string;
	readonly state: string;
	readonly text: string;
}>({
	kind: "subagent-notification",
	role: "user",
	tag: "subagent_notification",
	origin: "tool",
	maxChars: 20_000,
	about: "A sub-agent changed state.",
	summary: ({ agent, state }) => `${agent}: ${state}`,
	attributes: ({ agent, state }) => ({ agent, state }),
	body: ({ text }) => text,
});

/** The user's reaction to the agent's edits. */
export const userEdits = defineFragment<{
	readonly hunks: readonly {
		readonly path: string;
		readonly did: "kept" | "rejected" | "changed" | "commented";
		readonly diff: string;
		readonly comment?: string | undefined;
	}[];
}>({
	kind: "user-edits",
	role: "user",
	tag: "user_edits",
	origin: "user",
	maxChars: 40_000,
	about: "The agent's hunks that the user kept, rejected, edited or commented on.",
	summary: ({ hunks }) => `${hunks.length} edits reviewed`,
	body: ({ hunks }) =>
		[
			"The user reviewed your edits. Do not propose rejected edits again; build on their changes.",
			...hunks.map(({ path, did, diff, comment }) => {
				const said = comment === undefined ? "" : `\nThe user says: ${comment}`;
				return `${oneLine(path)} (${did}):\n${diff}${said}`;
			}),
		].join("\n"),
});

/** A command the user ran, with its output, which is untrusted. */
export const userShellCommand = defineFragment<{
	readonly command: string;
	readonly exit: string;
	readonly output: string;
}>({
	kind: "user-shell-command",
	role: "user",
	tag: "user_shell_command",
	origin: "tool",
	maxChars: 40_000,
	about: "A command the user ran with `!`, and its output.",
	summary: ({ command }) => `! ${command}`.slice(0, MAX_SUMMARY_CHARS),
	attributes: ({ exit }) => ({ exit }),
	body: ({ command, output }) => `$ ${command}\n${output}`,
});
