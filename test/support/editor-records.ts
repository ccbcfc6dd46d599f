import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { decodeRecord } from "../../agent-host/store/records/record.ts";

/** Of each text in a description. */
const MAX_CHARS = 160;

/** An event that a thread's file holds. */
export interface RecordedEvent {
	readonly seq: number;
	readonly event: ThreadEvent;
}

/**
 * What the threads of an editor hold, read from their files: the state behind every page, which stays when the page has
 * scrolled on. With the number of the newest event that a page has drawn (`data-seq`) it says what a page must show by now.
 */
export class ThreadRecords {
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Every event of a thread in order; none for a thread that is not there. */
	eventsOf(threadId: string): readonly RecordedEvent[] {
		if (threadId === "") return [];
		return this.#filesOf(threadId).flatMap((file) => readEvents(join(this.#folder, file)));
	}

	/** The number of the newest event, 0 before the first. */
	lastOf(threadId: string): number {
		return this.eventsOf(threadId).at(-1)?.seq ?? 0;
	}

	/** The texts of the prompts that a thread holds. */
	promptsOf(threadId: string): readonly string[] {
		return this.eventsOf(threadId).flatMap(({ event }) => promptIn(event) ?? []);
	}

	/** The event that ended the newest turn; undefined while that runs. */
	endOf(threadId: string): RecordedEvent | undefined {
		const ofTurns = ({ event: { type } }: RecordedEvent) => type === "turnStarted" || type === "turnCompleted";
		const newest = this.eventsOf(threadId).findLast(ofTurns);
		return newest?.event.type === "turnCompleted" ? newest : undefined;
	}

	/** Name of the oldest question that waits for an answer. */
	questionOf(threadId: string): string | undefined {
		const waiting = new Set<string>();
		for (const { event } of this.eventsOf(threadId)) {
			if (event.type === "approvalRequested") waiting.add(event.request.approvalId);
			if (event.type === "approvalResolved") waiting.delete(event.approvalId);
		}
		return [...waiting][0];
	}

	/** The newest events in a line each, for whoever has to find out why a test failed. */
	describe(threadId: string, count: number): readonly string[] {
		return this.eventsOf(threadId)
			.slice(-count)
			.map(({ seq, event }) => `${seq} ${JSON.stringify(event, shorten)}`);
	}

	/** A log whose disk failed goes on in another file. */
	#filesOf(threadId: string): readonly string[] {
		try {
			return readdirSync(this.#folder).filter((name) => new RegExp(`^${threadId}\\.jsonl(\\.\\d+)?$`).test(name));
		} catch {
			// The first thread makes the folder.
			return [];
		}
	}
}

function shorten(key: string, value: unknown): unknown {
	if (key === "envelope" || key === "turnId" || key === "spent") return undefined;
	return typeof value === "string" && value.length > MAX_CHARS ? `${value.slice(0, MAX_CHARS)}…` : value;
}

export function promptIn(event: ThreadEvent): string | undefined {
	return event.type === "itemCompleted" && event.item.kind === "userMessage" ? event.item.text : undefined;
}

/** The last line may be half written. */
function readEvents(file: string): readonly RecordedEvent[] {
	return readFileSync(file, "utf8")
		.split("\n")
		.flatMap((line) => {
			const decoded = decodeRecord(line);
			return decoded.state === "good" && decoded.record.body.kind === "event" ? [decoded.record.body] : [];
		});
}
