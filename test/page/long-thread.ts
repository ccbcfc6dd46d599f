import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { type Item, isCall } from "../../agent-host/protocol/thread/item.ts";
import { AThread } from "./a-thread.ts";

const CODE_LINES = 2_000;
const ITEMS_PER_TURN = 4;

/** A thread of so many items, most of a line or a few, every now and then one of 2,000 lines. */
export function aLongThread(items: number): AThread {
	const thread = new AThread();
	for (let turn = 0; turn < items / ITEMS_PER_TURN; turn++) {
		thread.turn().ask(`Question ${turn}`);
		thread.item({ kind: "reasoning", text: "Short thought." });
		thread.item({ ...aToolCall(turn), status: "completed", output: "1: line\n".repeat(20) });
		thread.answer(turn % 50 === 7 ? aGiant(turn) : anAnswer(turn)).end();
	}
	return thread;
}

/** Lines of everything that was said, thought or put out. */
export function countLines(events: readonly PublishedEvent[]): number {
	return events.reduce((sum, { event }) => sum + (event.type === "itemCompleted" ? linesOf(event.item) : 0), 0);
}

function linesOf(item: Item): number {
	const text = isCall(item) ? item.output : "text" in item ? item.text : undefined;
	return (text ?? "").split("\n").length;
}

function aToolCall(turn: number) {
	return {
		kind: "toolCall",
		callId: `call-${turn}`,
		name: "read_file",
		arguments: `{"path":"src/file-${turn}.ts"}`,
		title: `Read src/file-${turn}.ts`,
	} as const;
}

function anAnswer(turn: number): string {
	const words = "The clock is read twice here, which a test can see. ".repeat(1 + (turn % 7));
	const list = "- one point\n- another point\n".repeat(turn % 5);
	return `Answer ${turn}. ${words}\n\n${list}\n\nThat is all about ${turn}.`;
}

function aGiant(turn: number): string {
	return `Before the code of ${turn}.\n\n\`\`\`ts\n${"const line = compute(1);\n".repeat(CODE_LINES)}\`\`\`\n\nAfter it.`;
}
