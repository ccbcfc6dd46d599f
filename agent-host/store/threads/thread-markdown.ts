import { describeImage } from "../../history/image-facts.ts";
import { describeCallEnd } from "../../protocol/call-end.ts";
import { nameAttached } from "../../protocol/thread/attached.ts";
import { createDeniedCalls } from "../../protocol/thread/denied-calls.ts";
import type { PublishedEvent } from "../../protocol/thread/events.ts";
import type { CallItem, Item, UserMessageItem } from "../../protocol/thread/item.ts";
import { asPlain, fitBelow } from "../../protocol/thread/markdown-text.ts";

/** A part of the document. Calls that follow each other are one list. */
interface Part {
	readonly kind: "text" | "call";
	readonly text: string;
}

/** The level of the headings for who speaks. */
const LEVEL = 2;

/** A thread as a readable document: what both sides said, what was done, and how it ended where it did not end well. */
export function toMarkdown(title: string, events: readonly PublishedEvent[]): string {
	const denied = createDeniedCalls();
	const parts = events.flatMap(({ event }): readonly Part[] => {
		denied.hear(event);
		switch (event.type) {
			case "itemCompleted":
				return renderItem(event.item, denied.has);
			case "turnCompleted":
				return event.status === "completed" ? [] : [remark(event.error?.message ?? "Stopped")];
			case "rolledBack":
				return [remark(event.turnIds.length === 1 ? ROLLED_BACK : `The ${event.turnIds.length} ${ROLLED_BACK_MORE}`)];
			default:
				return [];
		}
	});
	return `# ${asPlain(title)}${parts.map(join).join("")}\n`;
}

const ROLLED_BACK = "The turn above was rolled back.";
const ROLLED_BACK_MORE = "turns above were rolled back.";

function join({ kind, text }: Part, index: number, all: readonly Part[]): string {
	return `${kind === "call" && all[index - 1]?.kind === "call" ? "\n" : "\n\n"}${text}`;
}

function renderItem(item: Item, isDenied: (callId: string) => boolean): readonly Part[] {
	switch (item.kind) {
		case "userMessage":
			return item.messageKind === "plain" ? [said(item.steered ? STEERED : "You", renderPrompt(item))] : [];
		case "agentMessage":
			return [said(`Vitrine${item.cut === true ? " (cut off)" : ""}`, fitBelow(LEVEL, item.text))];
		case "command":
		case "fileChange":
		case "plan":
		case "toolCall":
		case "hook":
			return [{ kind: "call", text: renderCall(item, isDenied(item.callId)) }];
		case "reasoning":
		case "contextCompaction":
		case "notice":
			return [];
	}
}

const STEERED = "You (while the agent was working)";

function said(who: string, text: string): Part {
	return { kind: "text", text: `## ${who}\n\n${text}` };
}

function remark(text: string): Part {
	return { kind: "text", text: `> ${asPlain(text)}` };
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
