import type { PatchedFile } from "../../../agent-host/protocol/thread/patched-files.ts";
import { countOf, listOf, type Message, t } from "../../../l10n/t.ts";
import type { Entry, MessageEntry, ToolEntry } from "./entry.ts";
import { readTitles } from "./thought-titles.ts";
import { readPath, readToolFacts } from "./tool-facts.ts";

/** What a group of steps did, most important first, and how many lines its edits changed. */
export interface StepsSummary {
	readonly words: string;
	readonly lines: { readonly added: number; readonly removed: number } | undefined;
}

type Deed = "edit" | "command" | "serverTool" | "read" | "search" | "list" | "hook" | "other";

const WORDS: Readonly<Record<Deed, readonly [one: Message, other: Message]>> = {
	edit: ["edited {0} file", "edited {0} files"],
	command: ["ran {0} command", "ran {0} commands"],
	serverTool: ["called {0} MCP tool", "called {0} MCP tools"],
	read: ["read {0} file", "read {0} files"],
	search: ["searched {0} time", "searched {0} times"],
	list: ["listed {0} folder", "listed {0} folders"],
	hook: ["ran {0} hook", "ran {0} hooks"],
	other: ["{0} other step", "{0} other steps"],
};

const DEEDS: Readonly<Record<string, Deed>> = {
	read_file: "read",
	view_image: "read",
	search_files: "search",
	recall: "search",
	list_files: "list",
	find_server_tools: "search",
	call_server_tool: "serverTool",
};

/** Longest name of a single edited file in the line of its group. */
const MAX_NAME_CHARS = 40;

export function describeSteps(entries: readonly Entry[]): StepsSummary {
	const calls = entries.filter((entry) => entry.kind === "toolCall");
	const patched = calls.flatMap(readPatched);
	const done = new Map<Deed, Set<string>>();
	for (const [index, call] of calls.entries()) {
		const deed = readDeed(call);
		if (deed === undefined) continue;
		// A file that was read twice is one file.
		const what = (deed === "read" || deed === "list" ? readPath(call) : undefined) ?? String(index);
		done.set(deed, (done.get(deed) ?? new Set()).add(what));
	}
	const files = new Set(patched.map(({ path }) => path));
	const parts = (Object.keys(WORDS) as Deed[]).flatMap((deed) => {
		const count = deed === "edit" ? files.size : (done.get(deed)?.size ?? 0);
		return count === 0 ? [] : [deed === "edit" ? nameEdits(files) : countOf(count, ...WORDS[deed])];
	});
	const words = parts.length > 0 ? listOf(parts) : describeThoughts(entries);
	// In some languages the sentence begins with the file, whose name stays as it is.
	const startsWithName = [...files].some((name) => words.startsWith(name));
	return { words: startsWithName ? words : capitalize(words), lines: sumLines(patched) };
}

function nameEdits(files: ReadonlySet<string>): string {
	const [only = ""] = files;
	const isShort = files.size === 1 && only.length <= MAX_NAME_CHARS;
	return isShort ? t("edited {0}", only) : countOf(files.size, ...WORDS.edit);
}

/** Undefined for a plan or findings, which do nothing. */
function readDeed(call: ToolEntry): Deed | undefined {
	if (call.isHook) return "hook";
	switch (readToolFacts(call).kind) {
		case "plan":
		case "findings":
			return undefined;
		case "patch":
			return "edit";
		case "command":
			return "command";
		case "other":
			return DEEDS[call.name] ?? (call.name.startsWith("mcp__") ? "serverTool" : "other");
	}
}

function readPatched(call: ToolEntry): readonly PatchedFile[] {
	const facts = readToolFacts(call);
	return facts.kind === "patch" ? facts.files : [];
}

function sumLines(files: readonly PatchedFile[]): StepsSummary["lines"] {
	if (files.length === 0) return undefined;
	const sum = (key: "added" | "removed"): number => files.reduce((total, file) => total + file[key], 0);
	return { added: sum("added"), removed: sum("removed") };
}

/** For steps that did nothing: the titles of the thoughts, or their number. */
function describeThoughts(entries: readonly Entry[]): string {
	const thoughts = entries.filter((entry): entry is MessageEntry => entry.kind === "reasoning");
	const titles = thoughts.flatMap(({ text }) => readTitles(text));
	if (titles.length > 0) return titles.join(" · ");
	return thoughts.length === 0 ? t("Plan") : countOf(thoughts.length, "thought {0} time", "thought {0} times");
}

function capitalize(words: string): string {
	return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}
