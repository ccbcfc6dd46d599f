import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { localDate } from "../../platform/time-zone.ts";
import { asContextUpdate, dueFragments } from "../thread/due-fragments.ts";
import type { Turn } from "../thread/running-turn.ts";

/** What may change inside a turn, captured before each of its requests. Everything else stays as it was sealed. */
interface Step {
	readonly date: string;
}

/** Tells the model what has changed since it was last told: a turn may run past midnight. */
export async function tellStep(turn: Pick<Turn, "thread" | "envelope" | "ports">): Promise<void> {
	const { thread, envelope, ports } = turn;
	const step: Step = { date: localDate(ports.now(), envelope.workspace.timeZone) };
	if (step.date === envelope.workspace.date) return;
	const { fragments, snapshot } = dueFragments(thread.state(), at(envelope, step), undefined);
	if (fragments.length === 0) return;
	const { turnId } = envelope.identity;
	await thread.commit(
		[
			{ kind: "event", event: asContextUpdate(turnId, fragments) },
			{ kind: "items", turnId, items: fragments.map(asHistoryItem) },
			{ kind: "told", snapshot },
		],
		"synced",
	);
}

function at(envelope: TurnEnvelope, { date }: Step): TurnEnvelope {
	return { ...envelope, workspace: { ...envelope.workspace, date } };
}
