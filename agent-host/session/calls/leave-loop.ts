import { repeatedCall } from "../../context/fragments/repeated-call.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { ModelFailure } from "../../model/port.ts";
import type { QuestionChoice } from "../../protocol/approval/question.ts";
import { asContextUpdate } from "../thread/due-fragments.ts";
import type { Turn } from "../thread/running-turn.ts";
import { askQuestion } from "./ask-question.ts";
import type { MadeCall, Repeat, Repeats } from "./repeats.ts";

/** Ends or warns a turn that keeps making the same call with the same result. */
export async function leaveLoop(turn: Turn, repeats: Repeats, made: readonly MadeCall[]): Promise<void> {
	const repeat = repeats.note(made);
	if (repeat === undefined) return;
	if (repeat.due === "tell") return tell(turn, repeat);
	const choice = await askUser(turn, repeat);
	if (choice === undefined) throw new Repeated(repeat);
	if (choice === "stop") {
		turn.stop();
		turn.signal.throwIfAborted();
	}
	repeats.forget();
}

/** A repeating turn for which the user could not be asked. */
export class Repeated extends ModelFailure {
	readonly repeat: Pick<Repeat, "title" | "titleSaid" | "times">;

	constructor(repeat: Repeat) {
		super("loop", describe(repeat), { retryable: false });
		const { title, titleSaid, times } = repeat;
		this.repeat = { title, ...(titleSaid && { titleSaid }), times };
	}
}

/** The user sees what the model is told, as always. */
function tell({ thread, envelope }: Turn, { name, times }: Repeat): Promise<void> {
	const { turnId } = envelope.identity;
	const fragment = repeatedCall.of({ name, times });
	return thread.commit(
		[
			{ kind: "event", event: asContextUpdate(turnId, [fragment]) },
			{ kind: "items", turnId, items: [asHistoryItem(fragment)] },
		],
		"synced",
	);
}

/** Undefined if the user cannot or must not be asked. */
async function askUser(turn: Turn, { due: _, ...repeat }: Repeat): Promise<QuestionChoice | undefined> {
	if (turn.envelope.policy.value.approval === "never") return undefined;
	const answer = await askQuestion(turn, { kind: "loop", ...repeat }, ["continue", "stop"]);
	return answer?.choice;
}

function describe({ title, times }: Repeat): string {
	return `The agent made the same call ${times} times with the same result (${title}). No user was available to confirm, so the turn was ended. Nothing was lost.`;
}
