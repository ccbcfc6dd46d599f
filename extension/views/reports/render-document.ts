import type { LedgerEntry } from "../../../agent-host/protocol/approval/ledger.ts";
import { describeCallEnd } from "../../../agent-host/protocol/call-end.ts";
import { nameAttached } from "../../../agent-host/protocol/thread/attached.ts";
import { createDeniedCalls } from "../../../agent-host/protocol/thread/denied-calls.ts";
import type { DurableEvent, PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { Goal } from "../../../agent-host/protocol/thread/goal.ts";
import type { ImageFacts } from "../../../agent-host/protocol/thread/image.ts";
import type { CallItem, Item, UserMessageItem } from "../../../agent-host/protocol/thread/item.ts";
import { asPlain, fitBelow } from "../../../agent-host/protocol/thread/markdown-text.ts";
import { nameContext } from "../../../l10n/context.ts";
import { describePause, nameGoalState } from "../../../l10n/goal-words.ts";
import { sayHost, sayNamed } from "../../../l10n/host-words.ts";
import { describeAnswer, describeQuestion } from "../../../l10n/question-words.ts";
import { countOf, t } from "../../../l10n/t.ts";
import type { PolicyShown } from "../../host/policy-watch.ts";
import { describeDecision, explainDecision } from "../activity/activity-words.ts";
import { asCode } from "./markdown-page.ts";

/** The policy as a document. */
export function renderPolicy(policy: {
	readonly name: string;
	readonly nameSaid: PolicyShown["nameSaid"];
	readonly words: PolicyShown["words"];
	readonly digest: string;
	readonly sandbox: string;
	/** Whether commands can run at all. */
	readonly commands: boolean;
	/** The compiled sandbox options. */
	readonly compiled?: readonly string[] | undefined;
}): string {
	return [
		`# ${t("Permissions for the next turn: {0}", asPlain(sayNamed(policy.name, policy.nameSaid)))}`,
		policy.words.map((one) => `- ${asPlain(sayHost(one))}`).join("\n"),
		`## ${t("Enforcement")}`,
		describeEnforcement(policy),
		...(policy.compiled === undefined ? [] : [asCommandLine(policy.compiled)]),
		t("The model reads the same in English. Policy digest: {0}", `\`${policy.digest}\``),
		"",
	].join("\n\n");
}

/** One option per line, in a code block. */
function asCommandLine(words: readonly string[]): string {
	const whole = words.map((word) => word.replaceAll(/[\r\n]/g, " "));
	const lines = whole.map((word, index) => (index > 0 && word.startsWith("--") ? `\n  ${word}` : word));
	return `\`\`\`\`text\n${lines.join(" ").replaceAll(" \n", "\n")}\n\`\`\`\``;
}

function describeEnforcement({ sandbox, commands }: { readonly sandbox: string; readonly commands: boolean }): string {
	if (commands && sandbox === "none") {
		return t(
			"Commands run without a sandbox, with your rights. The agent host applies this policy when it opens files.",
		);
	}
	if (!commands) return t("Commands can't run. The agent host applies this policy when it opens files.");
	return t("Commands run in {0}. The agent host applies the same policy when it opens files.", sandbox);
}

/** The decisions of a thread as a document, newest first. */
export function renderLedger(entries: readonly LedgerEntry[], isCut: boolean): string {
	const rows = entries.map((entry) => {
		const [what, ...facts] = explainDecision(entry);
		return `- ${asCode(what ?? "")}\n${facts.map((fact) => `  - ${asPlain(fact)}`).join("\n")}`;
	});
	const none = entries.length === 0 ? [t("No decisions in this thread yet.")] : [];
	const more = isCut ? [t("Older decisions are not shown.")] : [];
	return `${[`# ${t("Permission Decisions")}`, ...none, ...rows, ...more].join("\n\n")}\n`;
}

/** A thread as Markdown: a heading for every prompt, so that the outline is a table of contents. */
export function renderThread(title: string, events: readonly PublishedEvent[]): string {
	let turns = 0;
	const denied = createDeniedCalls();
	const parts = events.flatMap(({ event }) => {
		denied.hear(event);
		if (event.type === "turnStarted") turns += 1;
		return event.type === "itemDelta" ? [] : renderEvent(event, turns, denied.has);
	});
	// Calls that follow each other are one list.
	const joined = parts.map((part, index) => {
		const isListed = part.startsWith(CALL) && parts[index - 1]?.startsWith(CALL) === true;
		return `${isListed ? "\n" : "\n\n"}${part}`;
	});
	return `# ${asPlain(title)}${joined.join("")}\n`;
}

type IsDenied = (callId: string) => boolean;

/** Begins the line of a call, and nothing else. */
const CALL = "- ";
/** Headings of an answer are below that of its part. */
const LEVEL = 3;
const MAX_HEADING = 100;

function renderEvent(event: DurableEvent, turn: number, isDenied: IsDenied): readonly string[] {
	switch (event.type) {
		case "itemCompleted":
			return renderItem(event.item, turn, isDenied);
		case "contextUpdated":
			return [
				`*${t("Context sent: {0}", event.fragments.map(({ kind, summary }) => `${nameContext(kind)} (${toOneLine(summary)})`).join("; "))}*`,
			];
		case "warning":
			return [`> ${t("Warning: {0}", toOneLine(sayHost(event)))}`];
		case "rolledBack":
			return [
				`> ${countOf(event.turnIds.length, "The turn above was rolled back.", "The {0} turns above were rolled back.")}`,
			];
		case "rollbackUndone":
			return [
				`> ${countOf(event.turnIds.length, "{0} removed turn was restored.", "{0} removed turns were restored.")}`,
			];
		case "approvalResolved":
			return [
				`*${t("Approval: {0}", describeDecision(event))}*`,
				...(event.note === undefined ? [] : [`*${t("Note: {0}", asPlain(event.note))}*`]),
			];
		case "questionAsked":
			return [`*${toOneLine(describeQuestion(event.request.subject))}*`];
		case "questionAnswered":
			return [`*${toOneLine(describeAnswer(event.choice, event.answers))}*`];
		case "turnCompleted":
			return event.status === "completed" ? [] : [`> ${asPlain(describeTurnEnd(event))}`];
		case "turnDiff":
			return [
				`*${t("Changed: {0}", event.files.map(({ path, added, removed }) => `${toOneLine(path)} (+${added} −${removed})`).join(", "))}*`,
			];
		case "restored":
			return [
				`> ${t(event.redone ? "Restore undone: {0}" : "Restored files: {0}", event.files.map(({ path }) => toOneLine(path)).join(", "))}`,
			];
		case "reviewed":
			return [`*${t("Reviewed: {0}", event.edits.map(({ path, did }) => `${toOneLine(path)} (${did})`).join(", "))}*`];
		case "compactionUndone":
			return [`> ${t("The compaction was undone.")}`];
		case "muteChanged":
			return [`> ${describeMute(event)}`];
		case "agentChanged":
			return event.agent.summary === undefined
				? []
				: [`> ${t("Agent {0}: {1}", event.agent.name, toOneLine(event.agent.summary))}`];
		case "goalChanged":
			return event.goal.state === "active" ? [] : [`> ${toOneLine(describeGoal(event.goal))}`];
		case "decided":
		case "grantRevoked":
		case "filesChanged":
		case "turnStarted":
		case "compactionStarted":
		case "compactionCompleted":
		case "compactionSkipped":
		case "pinChanged":
		case "retrying":
		case "itemStarted":
		case "usage":
		case "approvalRequested":
		case "settingsChanged":
		case "titleChanged":
		case "archivedChanged":
			return [];
	}
}

function describeGoal(goal: Goal): string {
	return [nameGoalState(goal), describePause(goal), goal.report ?? ""].filter((part) => part !== "").join(": ");
}

function describeMute({ itemKind, chars, muted }: Extract<DurableEvent, { type: "muteChanged" }>): string {
	const length = countOf(chars, "{0} character", "{0} characters");
	if (itemKind === "toolOutput") {
		return t(muted ? "A tool output was muted ({0})." : "A tool output was unmuted ({0}).", length);
	}
	return t(muted ? "An answer was muted ({0})." : "An answer was unmuted ({0}).", length);
}

function renderItem(item: Item, turn: number, isDenied: IsDenied): readonly string[] {
	switch (item.kind) {
		case "userMessage":
			if (item.messageKind !== "plain") return [];
			return [
				`## ${turn}. ${asPlain(toHeadline(item.text))}`,
				quote(item.text),
				...attachedLine(item),
				...(item.images ?? []).map(imageLine),
			];
		case "agentMessage":
			return [`### ${item.cut === true ? t("Answer (cut off)") : t("Answer")}`, fitBelow(LEVEL, item.text)];
		case "reasoning":
			return item.text.trim() === "" ? [] : [`### ${t("Reasoning")}`, fitBelow(LEVEL, item.text)];
		case "command":
		case "fileChange":
		case "plan":
		case "toolCall":
		case "hook":
			return [`${CALL}${asPlain(sayNamed(item.title, item.titleSaid))}${noteCall(item, isDenied(item.callId))}`];
		case "contextCompaction":
			return [`### ${describeCompaction(item)}`, ...(item.summary === "" ? [] : [fitBelow(LEVEL, item.summary)])];
		case "notice":
			return [`> ${toOneLine(item.text)}`];
	}
}

/** As in the panel. */
function describeTurnEnd({ status, error }: Extract<DurableEvent, { type: "turnCompleted" }>): string {
	if (error === undefined) return t("Stopped");
	return status === "interrupted" ? t("Interrupted. {0}", sayHost(error)) : sayHost(error);
}

function noteCall(item: CallItem, isDenied: boolean): string {
	const end = describeCallEnd(item, isDenied);
	const notes = [...(item.by === "user" ? [t("run by you")] : []), ...(end === undefined ? [] : [sayHost(end)])];
	return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}

function describeCompaction({ before, after }: Extract<Item, { readonly kind: "contextCompaction" }>): string {
	return after < before
		? t("Compacted: {0} → {1} tokens", before, after)
		: t("Context not smaller: from {0} to {1} tokens", before, after);
}

function attachedLine({ attached = [] }: UserMessageItem): readonly string[] {
	const names = attached.flatMap(nameAttached).map(asPlain);
	return names.length === 0 ? [] : [`*${t("Attached: {0}", names.join(", "))}*`];
}

function imageLine({ mediaType, width, height }: ImageFacts): string {
	return `*${mediaType}, ${width} × ${height}*`;
}

function toHeadline(text: string): string {
	const line = toOneLine(text);
	return line.length <= MAX_HEADING ? line : `${line.slice(0, MAX_HEADING - 1)}…`;
}

function quote(text: string): string {
	return text
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n");
}

function toOneLine(text: string): string {
	return text.replaceAll(/\s+/g, " ").trim();
}
