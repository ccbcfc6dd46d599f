import { describeImage } from "../../history/image-facts.ts";
import type { ApprovalRequest } from "../../protocol/approval/approval.ts";
import type { QuestionRequest } from "../../protocol/approval/question.ts";
import { describeCallEnd } from "../../protocol/call-end.ts";
import { nameAttached } from "../../protocol/thread/attached.ts";
import { createDeniedCalls } from "../../protocol/thread/denied-calls.ts";
import { describeCompaction } from "../../protocol/thread/describe-compaction.ts";
import type { PublishedEvent, ThreadEvent } from "../../protocol/thread/events.ts";
import type { CallItem, Item, UserMessageItem } from "../../protocol/thread/item.ts";
import { asPlain, fitBelow } from "../../protocol/thread/markdown-text.ts";
import { nameAsker, renderAnswer, renderDecision, renderQuestion } from "./asked-markdown.ts";

/** A part of the document. Calls that follow each other are one list. */
interface Part {
	readonly kind: "text" | "call";
	readonly text: string;
}

/** The level of the headings for who speaks. */
const LEVEL = 2;

/**
 * A thread as a readable document: what both sides said, asked and decided, what was done, what a compaction put in its
 * place, and how it ended where it did not end well.
 */
export function toMarkdown(title: string, events: readonly PublishedEvent[]): string {
	const denied = createDeniedCalls();
	const asked: Asked = { approvals: new Map(), questions: new Map() };
	const parts = events.flatMap(({ event }): readonly Part[] => {
		denied.hear(event);
		if (event.type === "approvalRequested") asked.approvals.set(event.request.approvalId, event.request);
		if (event.type === "questionAsked") asked.questions.set(event.request.questionId, event.request);
		return event.type === "itemCompleted" ? renderItem(event.item, denied.has) : renderEvent(event, asked);
	});
	return `# ${asPlain(title)}${parts.map(join).join("")}\n`;
}

/** What was asked so far, by its ids. */
interface Asked {
	readonly approvals: Map<string, ApprovalRequest>;
	readonly questions: Map<string, QuestionRequest>;
}

function renderEvent(event: ThreadEvent, asked: Asked): readonly Part[] {
	switch (event.type) {
		case "turnCompleted":
			return event.status === "completed" ? [] : [remark(asPlain(event.error?.message ?? "Stopped"))];
		case "rolledBack":
			return [remark(event.turnIds.length === 1 ? ROLLED_BACK : `The ${event.turnIds.length} ${ROLLED_BACK_MORE}`)];
		case "rollbackUndone":
			return [remark(event.turnIds.length === 1 ? RESTORED : `${event.turnIds.length} ${RESTORED_MORE}`)];
		case "compactionUndone":
			return [remark("The compaction was undone.")];
		case "approvalResolved":
			return [remark(renderDecision(event, asked.approvals.get(event.approvalId)))];
		case "questionAsked":
			return [said(nameAsker(event.request), renderQuestion(event.request))];
		case "questionAnswered":
			return [remark(renderAnswer(event, asked.questions.get(event.questionId)))];
		default:
			return [];
	}
}

const ROLLED_BACK = "The turn above was rolled back.";
const ROLLED_BACK_MORE = "turns above were rolled back.";
const RESTORED = "1 removed turn was restored.";
const RESTORED_MORE = "removed turns were restored.";

function join({ kind, text }: Part, index: number, all: readonly Part[]): string {
	return `${kind === "call" && all[index - 1]?.kind === "call" ? "\n" : "\n\n"}${text}`;
}

function renderItem(item: Item, isDenied: (callId: string) => boolean): readonly Part[] {
	switch (item.kind) {
		case "userMessage":
			return item.messageKind === "plain" ? [said(item.steered ? STEERED : "You", renderPrompt(item))] : [];
		case "agentMessage":
			return [said(`Vitrine${markCut(item)}`, fitBelow(LEVEL, item.text))];
		case "command":
		case "fileChange":
		case "plan":
		case "toolCall":
		case "hook":
			return [{ kind: "call", text: renderCall(item, isDenied(item.callId)) }];
		case "reasoning":
			return item.text.trim() === "" ? [] : [said(`Reasoning${markCut(item)}`, fitBelow(LEVEL, item.text))];
		case "contextCompaction":
			return [said(describeCompaction(item), fitBelow(LEVEL, item.summary))];
		case "notice":
			return [remark(asPlain(item.text))];
	}
}

const STEERED = "You (while the agent was working)";

function markCut({ cut }: { readonly cut?: boolean | undefined }): string {
	return cut === true ? " (cut off)" : "";
}

function said(who: string, text: string): Part {
	return { kind: "text", text: text === "" ? `## ${who}` : `## ${who}\n\n${text}` };
}

/** Markdown in a quote. */
function remark(text: string): Part {
	return { kind: "text", text: text.replaceAll(/^/gm, "> ") };
}

function renderPrompt({ text, images = [], attached = [] }: UserMessageItem): string {
	const names = attached.flatMap(nameAttached).map(asPlain);
	const lines = [...(names.length === 0 ? [] : [`Attached: ${names.join(", ")}`]), ...images.map(describeImage)];
	return [fitBelow(LEVEL, text), ...lines.map((line) => `*${line}*`)].join("\n\n");
}

function renderCall(item: CallItem, isDenied: boolean): string {
	const notes = [...(item.by === "user" ? ["run by you"] : []), describeCallEnd(item, isDenied)?.message ?? ""];
	const shown = notes.filter((note) => note !== "").join(", ");
	return `- ${asPlain(item.title)}${shown === "" ? "" : ` (${shown})`}`;
}
