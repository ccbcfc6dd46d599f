import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { Session } from "../session/session.ts";

/** After the last event of a turn: waits until its thread can begin another one. */
export async function settleTurn(
	{ threads }: Pick<Session, "threads">,
	threadId: ThreadId,
	turnId: TurnId,
): Promise<void> {
	const { running } = await threads.open(threadId);
	if (running?.turnId === turnId) await running.ended;
}
