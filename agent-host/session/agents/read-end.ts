import type { LiveThread } from "../thread/live-thread.ts";
import { type AgentEnd, NOTHING_CHANGED } from "./agent-end.ts";

/** Events at the end of a thread among which its last turn's end and files are. */
const LAST_EVENTS = 20;

/** How the last turn of a sub-agent's thread ended. */
export async function readEnd(thread: LiveThread): Promise<AgentEnd> {
	const { events } = thread;
	const last = (await events.read({ after: 0, before: events.last() + 1, limit: LAST_EVENTS })).map(
		({ event }) => event,
	);
	const completed = last.findLast((event) => event.type === "turnCompleted");
	const files = last.findLast((event) => event.type === "filesChanged" && event.turnId === completed?.turnId);
	const state = completed?.status ?? "interrupted";
	const said = lastMessage(thread);
	return {
		state,
		text: state === "completed" ? said : [completed?.error?.message ?? "It was stopped.", said].join(" ").trim(),
		changed: files?.type === "filesChanged" ? files : NOTHING_CHANGED,
	};
}

function lastMessage(thread: LiveThread): string {
	const { history, turnStarts } = thread.state();
	const inTurn = history.slice(turnStarts.at(-1)?.at ?? 0);
	const message = inTurn.findLast((item) => item.kind === "agentMessage");
	return message?.kind === "agentMessage" ? message.text : "";
}
