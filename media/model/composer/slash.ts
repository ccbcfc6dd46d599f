import { type Message, t } from "../../../l10n/t.ts";
import { MAX_FOCUS_CHARS } from "../../wire/limits.ts";
import type { PanelCommand } from "../../wire.ts";

/** What a draft is: text for the model, one of our commands, or a misspelled command. */
export type Slash =
	| { readonly kind: "text" }
	| { readonly kind: "help" }
	| { readonly kind: "run"; readonly command: PanelCommand }
	| { readonly kind: "compact"; readonly options: { readonly focus?: string } }
	| { readonly kind: "refused"; readonly reason: string };

export interface SlashCommand {
	readonly name: string;
	/** Placeholder for the argument, if the command takes one. */
	readonly argument?: Message;
	readonly about: Message;
}

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
	plan: "togglePlan",
	policy: "showPolicy",
	probe: "runProbe",
	review: "reviewUncommitted",
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
	{ name: "review", about: "review uncommitted changes" },
	{ name: "undo", about: "restore files or conversation" },
	{ name: "cd", about: "change the folder" },
	{ name: "fork", about: "continue in a copy" },
	{ name: "export", about: "save this thread" },
	{ name: "new", about: "start a new thread" },
	{ name: "status", about: "show status" },
	{ name: "doctor", about: "run diagnostics" },
];

export function readSlash(draft: string): Slash {
	const [, name, rest = ""] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(draft.trimEnd()) ?? [];
	if (name === undefined) return { kind: "text" };
	if (name === "help") return { kind: "help" };
	if (name === "compact") return readCompact(rest);
	const command = Object.hasOwn(RUNS, name) ? RUNS[name] : undefined;
	if (command === undefined) {
		const words = "Unknown command /{0}. Type / to see all commands, or start with a space to send as text.";
		return { kind: "refused", reason: t(words, name) };
	}
	return rest === "" ? { kind: "run", command } : { kind: "refused", reason: t("/{0} takes no arguments.", name) };
}

/** The shell command in a draft that starts with `!`. A leading space makes the draft plain text. */
export function readShellCommand(draft: string): string | undefined {
	return /^!\s*(\S.*)$/s.exec(draft.trimEnd())?.[1];
}

/** Commands to suggest while the name is being typed. */
export function suggestCommands(draft: string): readonly SlashCommand[] {
	const [, start] = /^\/([a-z]*)$/.exec(draft) ?? [];
	return start === undefined ? [] : SLASH_COMMANDS.filter(({ name }) => name.startsWith(start));
}

function readCompact(focus: string): Slash {
	if (focus.length > MAX_FOCUS_CHARS) {
		return { kind: "refused", reason: t("The focus can have up to {0} characters.", MAX_FOCUS_CHARS) };
	}
	return { kind: "compact", options: focus === "" ? {} : { focus } };
}
