import type { TurnEnvelope } from "../../agent-host/envelope/envelope.ts";
import { summarizeEnvelope } from "../../agent-host/envelope/summary.ts";
import { ItemId, ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { DurableEvent, PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { RECORD_VERSION, type RecordBody, type ThreadRecord } from "../../agent-host/store/records/record.ts";
import { anEnvelope } from "./an-envelope.ts";
import { writeSealed } from "./sealed-thread.ts";

export interface LongThread {
	readonly threadId: ThreadId;
	readonly path: string;
	readonly records: readonly ThreadRecord[];
	readonly events: readonly PublishedEvent[];
}

const START = 1_700_000_000_000;
const TURN_MS = 60_000;
/** Every so many turns one that reads a file first. */
const CALL_EVERY = 4;

/** Writes a thread of so many finished turns, as hosts would have written it, in one go. */
export function writeLongThread(home: string, id: string, turns: number): LongThread {
	const threadId = ThreadId.parse(id);
	const records: ThreadRecord[] = [];
	const events: PublishedEvent[] = [];
	const add = (at: number, body: RecordBody) => records.push({ v: RECORD_VERSION, n: records.length + 1, at, body });
	const publish = (at: number, event: DurableEvent) => {
		const seq = events.length + 1;
		events.push({ seq, at, event });
		add(at, { kind: "event", seq, event });
	};
	// It holds nothing of its own: whoever goes on with it does so in their folder and with their model.
	add(START, { kind: "thread", threadId, settings: {}, held: {}, baseInstructions: "Be helpful." });
	// The same in every turn, and dear to resolve.
	const turnId = TurnId.parse("turn-0");
	const envelope = anEnvelope({ request: { threadId, turnId }, workspace: { roots: [] } });
	for (let turn = 0; turn < turns; turn += 1) addTurn(threadId, envelope, turn, add, publish);

	const path = writeSealed(home, threadId, records);
	return { threadId, path, records, events };
}

export function titleOf(id: string): string {
	return `What is in ${id}?`;
}

function addTurn(
	threadId: ThreadId,
	envelope: TurnEnvelope,
	turn: number,
	add: (at: number, body: RecordBody) => void,
	publish: (at: number, event: DurableEvent) => void,
): void {
	const at = START + turn * TURN_MS;
	const turnId = TurnId.parse(`turn-${turn}`);
	const { instructions: _, ...sealed } = envelope;
	const prompt = turn === 0 ? titleOf(threadId) : `Question ${turn}: what comes next?`;
	const answer = `Answer ${turn}. ${"The clock is read twice here, which a test can see. ".repeat(1 + (turn % 5))}`;
	const [asked, said] = [ItemId.parse(`asked-${turn}`), ItemId.parse(`said-${turn}`)];

	add(at, {
		kind: "envelope",
		turnId,
		patch: turn === 0 ? JSON.parse(JSON.stringify(sealed)) : { identity: { turnId } },
	});
	if (turn === 0) publish(at, { type: "titleChanged", title: prompt });
	publish(at, { type: "turnStarted", turnId, envelope: summarizeEnvelope(envelope) });
	const question = { kind: "userMessage", id: asked, messageKind: "plain", text: prompt } as const;
	publish(at, { type: "itemCompleted", turnId, item: question });
	add(at, { kind: "items", turnId, items: [{ kind: "userMessage", text: prompt }] });
	if (turn % CALL_EVERY === CALL_EVERY - 1) addCall(turnId, turn, at, add, publish);
	publish(at, { type: "itemStarted", turnId, item: { kind: "agentMessage", id: said, text: "" } });
	publish(at, { type: "itemCompleted", turnId, item: { kind: "agentMessage", id: said, text: answer } });
	add(at, { kind: "items", turnId, items: [{ kind: "agentMessage", text: answer }] });
	const last = { input: 100, cached: 0, output: 10, reasoning: 0, total: 110 };
	const total = { input: 100 * (turn + 1), cached: 0, output: 10 * (turn + 1), reasoning: 0, total: 110 * (turn + 1) };
	const usage = {
		type: "usage",
		turnId,
		last,
		total,
		window: 16_000,
		percentLeft: 90,
		estimated: false,
		baseline: 500,
	} as const;
	publish(at, usage);
	publish(at, { type: "turnCompleted", turnId, status: "completed" });
}

function addCall(
	turnId: TurnId,
	turn: number,
	at: number,
	add: (at: number, body: RecordBody) => void,
	publish: (at: number, event: DurableEvent) => void,
): void {
	const callId = `call-${turn}`;
	const call = { kind: "toolCall", callId, name: "read_file", arguments: '{"path":"README.md"}' } as const;
	const item = { ...call, id: ItemId.parse(`called-${turn}`), title: "Read README.md" } as const;
	const output = "1: # A small project\n".repeat(20);
	add(at, { kind: "items", turnId, items: [call] });
	publish(at, { type: "itemStarted", turnId, item: { ...item, status: "running" } });
	publish(at, { type: "itemCompleted", turnId, item: { ...item, status: "completed", output } });
	add(at, { kind: "items", turnId, items: [{ kind: "toolOutput", callId, output }] });
}
