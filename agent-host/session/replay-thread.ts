import type { TurnEnvelope } from "../envelope/envelope.ts";
import { buildRequest } from "../model/request.ts";
import { compareDigests, digestRequest } from "../model/request-digest.ts";
import { HostError } from "../protocol/errors.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import { type Home, threadPath } from "../store/home.ts";
import { applyRecord, type ThreadState } from "../store/replay.ts";
import { loadThread } from "../store/segments.ts";
import { TOOLS } from "../tools/catalog.ts";

export interface ReplayReport {
	/** Requests that were made again from the records and came out the same. */
	readonly same: number;
	readonly difference?: { readonly turnId: TurnId; readonly request: number; readonly parts: readonly string[] };
}

/** Makes every request of a thread again from its records alone, and stops at the first that comes out differently. */
export async function replayThread(home: Home, threadId: ThreadId): Promise<ReplayReport> {
	const { records } = await loadThread(home.disk, threadPath(home, threadId)).catch(() => {
		throw new HostError("thread-not-found", `There is no thread ${threadId}.`);
	});
	let state: ThreadState | undefined;
	let same = 0;
	for (const record of records) {
		const { body } = record;
		if (body.kind === "request" && state !== undefined) {
			const parts = compareDigests(digestRequest(requestFrom(state)), body.digest);
			if (parts.length > 0) return { same, difference: { turnId: body.turnId, request: same + 1, parts } };
			same += 1;
		}
		state = applyRecord(state, record);
	}
	return { same };
}

function requestFrom(state: ThreadState) {
	// What the records leave out of an envelope is what stands in the header; the rest was sealed by this program.
	const stored = state.envelope as unknown as TurnEnvelope;
	const envelope = { ...stored, instructions: { ...stored.instructions, base: state.baseInstructions } };
	return buildRequest(envelope, state.history, TOOLS);
}
