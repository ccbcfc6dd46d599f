import { HostError } from "../protocol/errors.ts";
import type { PublishedEvent } from "../protocol/events.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import { type Home, threadPath } from "./home.ts";
import { decodeRecord, encodeRecord } from "./record.ts";
import { segmentPaths } from "./segments.ts";

/** Bytes of a thread that can be brought in. */
const MAX_IMPORT_BYTES = 200_000_000;

/** The records of a thread as they stand on disk, every segment, for another machine to bring in. */
export async function exportRecords(home: Home, threadId: ThreadId): Promise<string> {
	const segments = await segmentPaths(home.disk, threadPath(home, threadId));
	const contents = await Promise.all(segments.map((path) => home.disk.read(path)));
	return Buffer.concat(contents).toString("utf8");
}

/**
 * Makes a thread of another one as it was at the end of a turn, the newest that ended when none is named. Says whether there
 * was such a turn.
 */
export async function forkRecords(
	home: Home,
	from: ThreadId,
	to: ThreadId,
	throughTurnId: TurnId | undefined,
): Promise<boolean> {
	const lines = (await exportRecords(home, from)).split("\n");
	const end = lines.findLastIndex((line) => {
		if (!line.includes('"turnCompleted"')) return false;
		const decoded = decodeRecord(line);
		if (decoded.state !== "good" || decoded.record.body.kind !== "event") return false;
		const { event } = decoded.record.body;
		return event.type === "turnCompleted" && (throughTurnId === undefined || event.turnId === throughTurnId);
	});
	if (end < 0) return false;
	await importRecords(home, to, lines.slice(0, end + 1).join("\n"), "fork");
	return true;
}

/** Brings in what `exportRecords` gave, under a new id. All of it is intact and understood, or nothing is written. */
export async function importRecords(
	home: Home,
	threadId: ThreadId,
	text: string,
	source: "import" | "fork",
): Promise<void> {
	if (text.length > MAX_IMPORT_BYTES) throw refuse(`it has more than ${MAX_IMPORT_BYTES} characters`);
	const records = text
		.split("\n")
		.filter((line) => line !== "")
		.map((line, index) => {
			const decoded = decodeRecord(line);
			if (decoded.state === "good") return decoded.record;
			throw refuse(
				decoded.state === "damaged" ? `line ${index + 1} is damaged` : `line ${index + 1} is from a newer Vitrine`,
			);
		});
	const [first, ...rest] = records;
	if (first?.body.kind !== "thread") throw refuse("it does not begin with a thread's header");
	const own = [{ ...first, body: { ...first.body, threadId, source } }, ...rest];
	await home.disk.create(threadPath(home, threadId), Buffer.from(own.map(encodeRecord).join("")));
	await home.disk.syncFolder(home.threads);
}

/** A thread as a person would write it down. */
export function toMarkdown(title: string, events: readonly PublishedEvent[]): string {
	const parts = events.flatMap(({ event }) => {
		if (event.type !== "itemCompleted") return [];
		const { item } = event;
		switch (item.kind) {
			case "userMessage":
				return item.messageKind === "plain" ? [`## You\n\n${item.text}`] : [];
			case "agentMessage":
				return [`## Vitrine${item.cut === true ? " (cut off)" : ""}\n\n${item.text}`];
			case "toolCall":
				return [`- ${item.title} (${item.status})`];
			case "reasoning":
			case "notice":
				return [];
		}
		return [];
	});
	return `# ${title}\n\n${parts.join("\n\n")}\n`;
}

function refuse(reason: string): HostError {
	return new HostError("input-refused", `The file cannot be brought in: ${reason}. Nothing was changed.`);
}
