import {
	MAX_ASIDE_CHARS,
	MAX_FOCUS_CHARS,
	MAX_GOAL_CHARS,
	MAX_REMEMBERED_CHARS,
} from "../../../agent-host/protocol/limits.ts";
import { type Message, t } from "../../../l10n/t.ts";
import { isGitRef } from "../../wire/git-ref.ts";
import type { PanelCommand, PromptOffer } from "../../wire.ts";

/** What a draft is: text for the model, one of our commands, or a misspelled command. */
export type Slash =
	| { readonly kind: "text" }
	| { readonly kind: "help" }
	| { readonly kind: "run"; readonly command: PanelCommand }
	| { readonly kind: "review"; readonly of: "branch" | "commit"; readonly ref: string }
	| { readonly kind: "aside"; readonly question: string }
	| { readonly kind: "goal"; readonly text: string }
	| { readonly kind: "compact"; readonly options: { readonly focus?: string } }
	| { readonly kind: "remember"; readonly text: string }
	| { readonly kind: "refused"; readonly reason: string };

export interface SlashCommand {
	readonly name: string;
	/** Placeholder for the argument, if the command takes one. */
	readonly argument?: Message;
	readonly about: Message;
}

/** A suggestion: a command of ours, or a skill or command that people brought along. */
export type SlashOption = SlashCommand | PromptOffer;

const RUNS: Readonly<Record<string, PanelCommand>> = {
	cd: "changeFolder",
	context: "showContext",
	doctor: "doctor",
	effort: "changeEffort",
	export: "exportThread",
	fork: "forkThread",
	model: "changeModel",
	new: "newThread",
	permissions: "changePermissions",
	live: "toggleLive",
	plan: "togglePlan",
	policy: "showPolicy",
	probe: "runProbe",
	status: "showStatus",
	undo: "restoreCheckpoint",
};

/** All commands in display order. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
	{ name: "compact", argument: "[focus]", about: "replace earlier turns with a summary" },
	{ name: "context", about: "show the next request" },
	{ name: "model", about: "change the model" },
	{ name: "effort", about: "change the reasoning effort" },
	{ name: "permissions", about: "change permissions" },
	{ name: "policy", about: "show permissions" },
	{ name: "probe", about: "test the sandbox" },
	{ name: "plan", about: "toggle plan mode" },
	{ name: "live", about: "toggle live mode" },
	{ name: "goal", argument: "[goal]", about: "work over several turns until a goal is reached" },
	{
		name: "review",
		argument: "[branch|commit] [name]",
		about: "review uncommitted changes, this branch (since another one) or a commit",
	},
	{ name: "btw", argument: "[question]", about: "ask a side question that is not kept" },
	{ name: "undo", about: "restore files or conversation" },
	{ name: "remember", argument: "[line]", about: "add a line to your instructions" },
	{ name: "cd", about: "change the folder" },
	{ name: "fork", about: "continue in a copy" },
	{ name: "export", about: "save this thread" },
	{ name: "new", about: "start a new thread" },
	{ name: "status", about: "show status" },
	{ name: "doctor", about: "run diagnostics" },
];

/** `prompts`: what people brought along; the host reads those, so they are text. Our own commands win. */
export function readSlash(draft: string, prompts: readonly PromptOffer[]): Slash {
	const [, name, rest = ""] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(draft.trimEnd()) ?? [];
	if (name === undefined) return { kind: "text" };
	if (name === "help") return rest === "" ? { kind: "help" } : refuseArguments(name);
	if (name === "compact") return readCompact(rest);
	if (name === "remember") return readRemember(rest);
	if (name === "goal") return readGoal(rest);
	if (name === "btw") return readAside(rest);
	if (name === "review") return readReview(rest);
	const command = Object.hasOwn(RUNS, name) ? RUNS[name] : undefined;
	if (command === undefined && prompts.some((prompt) => prompt.name === name)) return { kind: "text" };
	if (command === undefined) {
		const words = "Unknown command /{0}. Type / to see all commands, or start with a space to send as text.";
		return { kind: "refused", reason: t(words, name) };
	}
	return rest === "" ? { kind: "run", command } : refuseArguments(name);
}

function refuseArguments(name: string): Slash {
	return { kind: "refused", reason: t("/{0} takes no arguments.", name) };
}

/** The shell command in a draft that starts with `!`. A leading space makes the draft plain text. */
export function readShellCommand(draft: string): string | undefined {
	return /^!\s*(\S.*)$/s.exec(draft.trimEnd())?.[1];
}

/**
 * What is handed over comes after the draft. A command that the user has begun becomes text, as it does after a space: its
 * words would else be part of it, and a link may have brought them.
 */
export function addToDraft(draft: string, text: string): string {
	if (draft === "") return text;
	return `${/^[/!]/.test(draft) ? " " : ""}${draft}\n\n${text}`;
}

/** Commands to suggest while the name is being typed. */
export function suggestCommands(draft: string, prompts: readonly PromptOffer[]): readonly SlashOption[] {
	const [, start] = /^\/([\w:/-]*)$/.exec(draft) ?? [];
	if (start === undefined) return [];
	const own = new Set(["help", ...SLASH_COMMANDS.map(({ name }) => name)]);
	const others = prompts.filter(({ name }) => !own.has(name));
	return [...SLASH_COMMANDS, ...others].filter(({ name }) => name.startsWith(start));
}

const REVIEWS: Readonly<Record<string, PanelCommand>> = {
	"": "reviewUncommitted",
	branch: "reviewBranch",
	commit: "reviewCommit",
};

function readReview(what: string): Slash {
	const command = Object.hasOwn(REVIEWS, what) ? REVIEWS[what] : undefined;
	if (command !== undefined) return { kind: "run", command };
	const [, of, ref = ""] = /^(branch|commit)\s+(\S+)$/.exec(what) ?? [];
	if (of === undefined)
		return { kind: "refused", reason: t("Type /review, /review branch [name] or /review commit [name].") };
	if (isGitRef(ref)) return { kind: "review", of: of === "branch" ? "branch" : "commit", ref };
	return { kind: "refused", reason: t("“{0}” can’t be the name of a commit or branch.", ref) };
}

function readGoal(text: string): Slash {
	if (text === "") return { kind: "refused", reason: t("Type the goal after /goal.") };
	if (text.length <= MAX_GOAL_CHARS) return { kind: "goal", text };
	return { kind: "refused", reason: t("A goal can have up to {0} characters.", MAX_GOAL_CHARS) };
}

function readAside(question: string): Slash {
	if (question === "") return { kind: "refused", reason: t("Type your question after /btw.") };
	if (question.length <= MAX_ASIDE_CHARS) return { kind: "aside", question };
	return { kind: "refused", reason: t("A side question can have up to {0} characters.", MAX_ASIDE_CHARS) };
}

function readCompact(focus: string): Slash {
	if (focus.length > MAX_FOCUS_CHARS) {
		return { kind: "refused", reason: t("The focus can have up to {0} characters.", MAX_FOCUS_CHARS) };
	}
	return { kind: "compact", options: focus === "" ? {} : { focus } };
}

function readRemember(text: string): Slash {
	if (text === "") return { kind: "refused", reason: t("Type what to remember after {0}.", "/remember") };
	if (text.length > MAX_REMEMBERED_CHARS) {
		return { kind: "refused", reason: t("An instruction can have up to {0} characters.", MAX_REMEMBERED_CHARS) };
	}
	return { kind: "remember", text };
}
