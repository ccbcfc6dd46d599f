import { t } from "../../../l10n/t.ts";
import { type ComposerState, canSend, getDraft, markSent, refuse, typeText } from "./composer-state.ts";
import { moveQueued, type Queued, withoutQueued, withQueue } from "./queue-state.ts";

/** Maximum number of queued messages per thread. */
export const MAX_QUEUED = 20;

export function getQueue({ queues, key }: ComposerState): readonly Queued[] {
	return queues[key] ?? [];
}

/** Appends the draft with its attachments to the queue. */
export function queueDraft(
	state: ComposerState,
	id: string,
	along: Pick<Queued, "attached" | "images"> = {},
): ComposerState {
	if (!canSend(state)) return state;
	const queue = getQueue(state);
	if (queue.length >= MAX_QUEUED) return refuse(state, t("The queue can hold up to {0} messages.", MAX_QUEUED));
	const queues = withQueue(state.queues, state.key, [...queue, { id, text: getDraft(state), ...along }]);
	return { ...typeText(state, ""), queues };
}

export function dropQueued(state: ComposerState, id: string): ComposerState {
	return state.sent?.id === id ? state : { ...state, queues: withoutQueued(state.queues, id) };
}

/** Moves a queued message back into the composer, before the current draft. */
export function editQueued(state: ComposerState, id: string): ComposerState {
	const queued = getQueue(state).find((one) => one.id === id);
	if (queued === undefined || state.sent?.id === id) return state;
	const draft = getDraft(state);
	return typeText(dropQueued(state, id), draft === "" ? queued.text : `${queued.text}\n\n${draft}`);
}

export function reorderQueue(state: ComposerState, id: string, direction: "up" | "down"): ComposerState {
	const queue = getQueue(state);
	const moved = moveQueued(queue, id, direction);
	return moved === queue ? state : { ...state, queues: withQueue(state.queues, state.key, moved) };
}

/** Marks a queued message as sent; it stays in the queue until it is accepted. */
export function sendQueued(state: ComposerState, id: string): ComposerState {
	const queued = getQueue(state).find((one) => one.id === id);
	if (queued === undefined || state.sent !== undefined) return state;
	return markSent(state, { id, key: state.key, text: queued.text, from: "queue" });
}

/** The message to send automatically after a turn: the first one, unless it was refused. */
export function findNextQueued(state: ComposerState): Queued | undefined {
	const first = getQueue(state)[0];
	return first === undefined || first.held || state.sent !== undefined ? undefined : first;
}
