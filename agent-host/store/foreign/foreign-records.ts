import type { HistoryItem } from "../../history/history-item.ts";
import { ItemId, TurnId } from "../../protocol/ids.ts";
import type { DurableEvent } from "../../protocol/thread/events.ts";
import type { Item } from "../../protocol/thread/item.ts";
import { RECORD_VERSION, type RecordBody, type ThreadRecord } from "../records/record.ts";
import { titleFrom } from "../records/replay.ts";
import type { ForeignStep, ForeignThread, ForeignTurn } from "./foreign-turn.ts";

/** Characters of a call's output that are kept of another agent's: its beginning and its end. */
const MAX_OUTPUT_CHARS = 10_000;
/** Characters of a call's arguments in its title. */
const MAX_TITLE_CHARS = 80;

/** The records of a thread with this conversation, in order. The caller numbers records and events. */
export function toRecords({ agent, model, turns }: ForeignThread): readonly ThreadRecord[] {
	const envelope = { provider: agent, model: model ?? agent, window: 0, roots: [], trusted: false, tools: [] };
	const [first] = turns;
	const written = turns.flatMap((turn, index) => {
		const turnId = TurnId.parse(`imported-${index + 1}`);
		const items = listItems(turn, turnId);
		const events: readonly DurableEvent[] = [
			{ type: "turnStarted", turnId, envelope },
			...items.map((item) => ({ type: "itemCompleted", turnId, item }) as const),
			{ type: "turnCompleted", turnId, status: "completed" },
		];
		const said: RecordBody = { kind: "items", turnId, items: listHistory(turn) };
		const [started, ...rest] = events.map(asEvent);
		return [...(started === undefined ? [] : [started]), said, ...rest].map((body) => asRecord(turn.at, body));
	});
	if (first === undefined) return written;
	return [asRecord(first.at, asEvent({ type: "titleChanged", title: titleFrom(first.prompt) })), ...written];
}

function asEvent(event: DurableEvent): RecordBody {
	return { kind: "event", seq: 1, event };
}

function asRecord(at: number, body: RecordBody): ThreadRecord {
	return { v: RECORD_VERSION, n: 1, at, body };
}

function listItems({ prompt, steps }: ForeignTurn, turnId: TurnId): readonly Item[] {
	const idOf = (index: number): ItemId => ItemId.parse(`${turnId}-${index}`);
	const message: Item = { kind: "userMessage", id: idOf(0), messageKind: "plain", text: prompt };
	return [
		message,
		...steps.map((step, index): Item => {
			const id = idOf(index + 1);
			if (step.kind === "text") return { kind: "agentMessage", id, text: step.text };
			const { callId, name, output } = step;
			const title = `${name} ${step.arguments}`.slice(0, MAX_TITLE_CHARS);
			const call = { kind: "toolCall", id, callId, name, arguments: step.arguments, title } as const;
			if (output === undefined) return { ...call, status: "interrupted" };
			return { ...call, status: "completed", output: shorten(output) };
		}),
	];
}

function listHistory({ prompt, steps }: ForeignTurn): HistoryItem[] {
	return [{ kind: "userMessage", text: prompt }, ...steps.flatMap(describeStep)];
}

/** A call that was never answered gets an answer, because a server refuses one without. */
function describeStep(step: ForeignStep): readonly HistoryItem[] {
	if (step.kind === "text") return [{ kind: "agentMessage", text: step.text }];
	const { callId, name, output } = step;
	return [
		{ kind: "toolCall", callId, name, arguments: step.arguments },
		{ kind: "toolOutput", callId, output: output === undefined ? "The call was not finished." : shorten(output) },
	];
}

function shorten(output: string): string {
	if (output.length <= MAX_OUTPUT_CHARS) return output;
	const half = MAX_OUTPUT_CHARS / 2;
	return `${output.slice(0, half)}\n… ${output.length - MAX_OUTPUT_CHARS} characters left out …\n${output.slice(-half)}`;
}
