import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { ModelRequest } from "../../model/port.ts";
import { buildRequest } from "../../model/request.ts";
import { compareDigests, digestRequest } from "../../model/request-digest.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId, TurnId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { DurableEvent } from "../../protocol/thread/events.ts";
import { type Home, threadPath } from "../../store/home/home.ts";
import { openBlobs } from "../../store/log/blobs.ts";
import { readRecords } from "../../store/log/load-thread.ts";
import type { ThreadRecord } from "../../store/records/record.ts";
import { applyRecord } from "../../store/records/replay.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { readExport } from "../../store/threads/read-export.ts";
import { TOOLS } from "../../tools/catalog.ts";

export interface ReplayReport {
	/** Number of requests that were rebuilt identically from the records. */
	readonly same: number;
	/** Number of skipped records. */
	readonly unreadable: number;
	readonly difference?: { readonly turnId: TurnId; readonly request: number; readonly parts: string[] };
}

/** Rebuilds every request of a thread from its records alone, and stops at the first difference. */
export async function replayThread(home: Home, threadId: ThreadId): Promise<ReplayReport> {
	const path = threadPath(home, threadId);
	const replay = createReplay();
	const blobs = openBlobs(home.disk, path);
	const unreadable = await readRecords(home.disk, path, blobs, replay.take).catch((error: NodeJS.ErrnoException) => {
		throw error.code === "ENOENT" ? new HostError("thread-not-found", say("thread-gone", { threadId })) : error;
	});
	if (!replay.hasBegun()) throw new HostError("thread-unreadable", say("thread-damaged", { threadId }));
	return { unreadable, ...replay.report() };
}

/** A sent request of a thread, as far as its records tell. */
export interface RecordedRequest {
	readonly turnId: TurnId;
	readonly digest: string;
	readonly state: ThreadState;
	/** Rebuilds it. */
	readonly make: () => ModelRequest;
}

type UsageEvent = Extract<DurableEvent, { readonly type: "usage" }>;

/**
 * Goes through the requests of a thread, oldest first, and what was counted after each. The arguments of `see` are valid
 * only until it returns.
 */
export async function replayRequests(
	home: Home,
	threadId: ThreadId,
	see: (request: RecordedRequest) => void,
	seeUsage: (usage: UsageEvent) => void = () => undefined,
): Promise<void> {
	const path = threadPath(home, threadId);
	let state: ThreadState | undefined;
	await readRecords(home.disk, path, openBlobs(home.disk, path), (record) => {
		const { body } = record;
		const now = state;
		if (now !== undefined && body.kind === "request") {
			see({ turnId: body.turnId, digest: String(body.digest), state: now, make: () => requestFrom(now) });
		}
		if (body.kind === "event" && body.event.type === "usage") seeUsage(body.event);
		if (now !== undefined || body.kind === "thread") state = tryApply(now, record);
	}).catch((error: NodeJS.ErrnoException) => {
		// A thread is written with its first turn.
		if (error.code !== "ENOENT") throw error;
	});
}

/** Rebuilds every request of an exported thread without importing it. */
export async function replayExport(text: string): Promise<ReplayReport> {
	const { header, rest } = await readExport(text);
	const replay = createReplay();
	for (const record of [header, ...rest]) replay.take(record);
	return { unreadable: 0, ...replay.report() };
}

function createReplay() {
	let state: ThreadState | undefined;
	let same = 0;
	let difference: ReplayReport["difference"];
	return {
		take: (record: ThreadRecord): void => {
			const { body } = record;
			if (difference !== undefined || (state === undefined && body.kind !== "thread")) return;
			if (state !== undefined && body.kind === "request") {
				const parts = compareDigests(digestState(state), String(body.digest));
				if (parts.length > 0) difference = { turnId: body.turnId, request: same + 1, parts: [...parts] };
				else same += 1;
			}
			state = tryApply(state, record);
		},
		hasBegun: () => state !== undefined,
		report: () => ({ same, ...(difference && { difference }) }),
	};
}

function tryApply(state: ThreadState | undefined, record: ThreadRecord): ThreadState | undefined {
	try {
		return applyRecord(state, record);
	} catch {
		return state;
	}
}

/** Records that no host has written give no request to compare. */
function digestState(state: ThreadState): string {
	try {
		return digestRequest(requestFrom(state));
	} catch {
		return "";
	}
}

function requestFrom(state: ThreadState) {
	// The fields that records leave out of an envelope are in the header; the rest was sealed by this program.
	const stored = state.envelope as unknown as TurnEnvelope;
	const envelope = { ...stored, instructions: { ...stored.instructions, base: state.baseInstructions } };
	return buildRequest(envelope, state.history, TOOLS);
}
