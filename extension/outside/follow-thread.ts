import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { sayHost } from "../../l10n/host-words.ts";
import { t } from "../../l10n/t.ts";
import { createAgentTree } from "../host/agent-tree.ts";
import type { VitrineEvent } from "./vitrine-api.ts";

/** Tells what happens in a thread in the few words of the API. */
export interface ThreadFollower {
	/** A piece of text that comes twice is told once. */
	readonly tell: (event: ThreadEvent) => readonly VitrineEvent[];
	/** An event of another thread: a sub-agent that works for this one may wait for the user. */
	readonly tellOther: (threadId: ThreadId, event: ThreadEvent) => readonly VitrineEvent[];
	/** A host that has ended runs no turns. */
	readonly tellHostEnded: () => readonly VitrineEvent[];
}

/** What happens only while a turn runs. Files of an earlier turn, for one, can be restored at any time. */
const RUNNING: ReadonlySet<string> = new Set([
	...["turnStarted", "itemStarted", "itemDelta", "itemCompleted", "approvalRequested", "questionAsked"],
]);

export function createThreadFollower(threadId: ThreadId): ThreadFollower {
	const agents = createAgentTree();
	const told = new Map<string, number>();
	/** The first message of a turn has no gap before it. */
	let turnWithText: string | undefined;
	let running: string | undefined;
	/** The last turn that has ended: the next host reports the end of one that its predecessor ran. */
	let over: string | undefined;
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
		agents.note(threadId, event);
		if ("turnId" in event && RUNNING.has(event.type)) running = event.turnId;
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
				if (turnId === over) return [];
				over = turnId;
				return [{ type: "ended", turnId, status, ...(error === undefined ? {} : { message: sayHost(error) }) }];
			}
			default:
				return [];
		}
	};
	return {
		tell,
		tellOther: (other, event) => {
			agents.note(other, event);
			if (event.type !== "approvalRequested" && event.type !== "questionAsked") return [];
			return running !== undefined && agents.isBelow(event.request, threadId)
				? [{ type: "waiting", turnId: running }]
				: [];
		},
		tellHostEnded: () => {
			if (running === undefined) return [];
			const turnId = running;
			running = undefined;
			over = turnId;
			return [{ type: "ended", turnId, status: "interrupted", message: describeHostEnd() }];
		},
	};
}

/** Why an answer has no end. */
export function describeHostEnd(): string {
	return t("The agent host ended before it answered. Try again.");
}
