import type { HistoryItem } from "../../history/item.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { HostError } from "../../protocol/errors.ts";
import type { TurnPurpose } from "../../protocol/events.ts";
import { ItemId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import type { turnSteer } from "../../protocol/turn.ts";
import type { ThreadState } from "../../store/thread-state.ts";
import type { Ports } from "../ports/ports.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import type { Turn } from "./turn.ts";
import { promptOf } from "./turn-input.ts";

type Steer = ParsedParamsOf<typeof turnSteer>;

/** Records what the user says to the running turn. Resolves when it is durable; the turn takes it at its next step. */
export async function steerTurn(thread: LiveThread, steer: Steer, ports: Ports): Promise<void> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const text = promptOf(steer.input);
	const id = ItemId.parse(ports.newId());
	// Decided where the records are put in order: the turn may end while this waits for its place.
	await thread.commit((state) => {
		if (wasTaken(state, steer)) return [];
		refuseUnlessOpen(state, steer);
		refuseUnlessFits(thread, text);
		const { turnId, clientId } = steer;
		const own = clientId === undefined ? {} : { clientId };
		const item = { kind: "userMessage", id, messageKind: "plain", text, steered: true, ...own } as const;
		return [{ kind: "event", event: { type: "itemCompleted", turnId, item } }];
	}, "synced");
}

/** What the user said in the open turn and the model was not sent yet, in order. */
export function unsaidIn({ openTurn }: ThreadState): readonly HistoryItem[] {
	return openTurn?.unrecordedInput ?? [];
}

/** Between two steps, when every call has its result: what was said meanwhile becomes history. Whether there was anything. */
export async function takeSteered({ thread, envelope }: Turn): Promise<boolean> {
	if (unsaidIn(thread.state()).length === 0) return false;
	await thread.commit((state) => unsaidRecords(state, envelope.identity.turnId), "synced");
	return true;
}

export function unsaidRecords(state: ThreadState, turnId: Steer["turnId"]): readonly Draft[] {
	const items = unsaidIn(state);
	return items.length === 0 ? [] : [{ kind: "items", turnId, items: [...items] }];
}

function wasTaken({ inputs }: ThreadState, { turnId, clientId }: Steer): boolean {
	return inputs.some((input) => input.turnId === turnId && input.clientId === clientId);
}

const DEAF: Readonly<Record<TurnPurpose, string>> = {
	compaction: "The conversation is being compacted and takes no message. Send it when that is done.",
	userCommand: "A command of your own is running and takes no message. Send it when that is done.",
};

function refuseUnlessOpen({ openTurn }: ThreadState, { turnId }: Steer): void {
	if (openTurn?.turnId !== turnId) throw refuse("That turn does not run any more. Send the message as a new turn.");
	if (openTurn.purpose !== undefined) throw refuse(DEAF[openTurn.purpose]);
}

function refuseUnlessFits({ running }: LiveThread, text: string): void {
	const most = running?.budgets.input ?? Number.POSITIVE_INFINITY;
	const tokens = estimateTokens(text);
	if (tokens <= most) return;
	const message = `The message has about ${tokens} tokens, more than this model's window has room for (${most}). Put the text in a file and name it.`;
	throw new HostError("input-refused", message, { tokens, most });
}

function refuse(message: string): HostError {
	return new HostError("steer-refused", message);
}
