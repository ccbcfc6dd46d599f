import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import type { VitrineEvent } from "./vitrine-api.ts";

/** Tells what happens in a thread in the few words of the API. */
export interface ThreadFollower {
	/** A piece of text that comes twice is told once. */
	readonly tell: (event: ThreadEvent) => readonly VitrineEvent[];
	/** A host that has ended runs no turns. */
	readonly tellHostEnded: () => readonly VitrineEvent[];
}

export function createThreadFollower(): ThreadFollower {
	const told = new Map<string, number>();
	/** The first message of a turn has no gap before it. */
	let turnWithText: string | undefined;
	let running: string | undefined;
	const tellText = (turnId: string, itemId: string, offset: number, text: string): readonly VitrineEvent[] => {
		const known = told.get(itemId) ?? 0;
		const fresh = text.slice(Math.max(0, known - offset));
		if (fresh === "" || offset > known) return [];
		told.set(itemId, known + fresh.length);
		const gap = known === 0 && turnWithText === turnId ? "\n\n" : "";
		turnWithText = turnId;
		return [{ type: "text", turnId, text: gap + fresh }];
	};
	const tell = (event: ThreadEvent): readonly VitrineEvent[] => {
		if ("turnId" in event) running = event.turnId;
		switch (event.type) {
			case "itemDelta":
				return event.itemKind === "agentMessage" ? tellText(event.turnId, event.itemId, event.offset, event.text) : [];
			case "itemCompleted":
				return event.item.kind === "agentMessage" ? tellText(event.turnId, event.item.id, 0, event.item.text) : [];
			case "approvalRequested":
			case "questionAsked":
				return [{ type: "waiting", turnId: event.turnId }];
			case "turnCompleted": {
				told.clear();
				running = undefined;
				const { turnId, status, error } = event;
				return [{ type: "ended", turnId, status, ...(error === undefined ? {} : { message: error.message }) }];
			}
			default:
				return [];
		}
	};
	return {
		tell,
		tellHostEnded: () => {
			if (running === undefined) return [];
			const turnId = running;
			running = undefined;
			return [{ type: "ended", turnId, status: "interrupted" }];
		},
	};
}
