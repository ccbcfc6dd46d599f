import { repeatedCall } from "../../context/fragments/repeated-call.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { ModelFailure } from "../../model/port.ts";
import type { QuestionChoice, QuestionRequest } from "../../protocol/approval/question.ts";
import { asContextUpdate } from "../thread/due-fragments.ts";
import type { Turn } from "../thread/running-turn.ts";
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
	readonly repeat: Pick<Repeat, "title" | "times">;

	constructor(repeat: Repeat) {
		super("loop", describe(repeat), { retryable: false });
		const { title, times } = repeat;
		this.repeat = { title, times };
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
async function askUser(turn: Turn, { name, title, times }: Repeat): Promise<QuestionChoice | undefined> {
	const { thread, envelope, ports, signal } = turn;
	const { threadId, turnId } = envelope.identity;
	if (envelope.policy.value.approval === "never") return undefined;
	const questionId = ports.newId();
	const subject = { kind: "loop", name, title, times } as const;
	const request: QuestionRequest = { threadId, turnId, questionId, subject, choices: ["continue", "stop"] };
	await thread.commit([{ kind: "event", event: { type: "questionAsked", turnId, request } }], "synced");
	const answer = await ports.question(request, signal).catch(() => undefined);
	const choice = answer === undefined ? {} : { choice: answer.choice };
	await thread.commit(
		[{ kind: "event", event: { type: "questionAnswered", turnId, questionId, ...choice } }],
		"synced",
	);
	signal.throwIfAborted();
	return answer?.choice;
}

function describe({ title, times }: Repeat): string {
	return `The agent made the same call ${times} times with the same result (${title}). No user was available to confirm, so the turn was ended. Nothing was lost.`;
}
