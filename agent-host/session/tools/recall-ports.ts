import { pageMatches, pageTurn, pageTurns, type SaidInTurn, toText } from "../../compaction/recall-items.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { RecallRequest, ToolOutcome, ToolPorts } from "../../tools/tool-ports.ts";
import type { LiveThread } from "../thread/live-thread.ts";

/** Events that are read from the log at a time. */
const READ_AT_ONCE = 2_000;

/** The recall tool's access to what a thread's compactions dropped: one page at a time, and nothing else of the log. */
export function createRecall(thread: LiveThread, tokens: number): ToolPorts["recall"] {
	return async (request, signal) => {
		const { droppedTurns } = thread.state();
		if (droppedTurns.length === 0) return refuse("Nothing was dropped: the whole conversation is in your context.");
		const { turnId } = request;
		const wanted = turnId === undefined ? droppedTurns : droppedTurns.filter((id) => id === turnId);
		if (wanted.length === 0)
			return refuse(`No dropped turn has the id ${turnId}. Without arguments recall lists them.`);
		const turns = await readTurns(thread, new Set(wanted), signal);
		return { ok: true, text: pageFor(request, turns, tokens) };
	};
}

function pageFor({ query, turnId, from }: RecallRequest, turns: readonly SaidInTurn[], tokens: number): string {
	if (query !== undefined) return pageMatches(turns, query, from, tokens);
	const [turn] = turns;
	return turnId !== undefined && turn !== undefined ? pageTurn(turn, from, tokens) : pageTurns(turns, from, tokens);
}

async function readTurns(
	{ events }: LiveThread,
	wanted: ReadonlySet<TurnId>,
	signal: AbortSignal,
): Promise<readonly SaidInTurn[]> {
	const said = new Map<TurnId, string[]>([...wanted].map((turnId) => [turnId, []]));
	for (let after = 0; after < events.last(); after += READ_AT_ONCE) {
		signal.throwIfAborted();
		for (const { event } of await events.read({ after, limit: READ_AT_ONCE })) {
			if (event.type !== "itemCompleted") continue;
			const text = toText(event.item);
			if (text !== undefined) said.get(event.turnId)?.push(text);
		}
	}
	return [...said].map(([turnId, texts]) => ({ turnId, texts }));
}

function refuse(reason: string): ToolOutcome {
	return { ok: false, reason };
}
