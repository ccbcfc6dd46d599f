import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { createMergePatch, type Json } from "../../store/records/merge-patch.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";

/**
 * The envelope as a thread keeps it: what is new in it since the turn before. When that one is unknown, or not this host's own, a
 * new one is begun.
 */
export function envelopeRecords(thread: LiveThread, envelope: TurnEnvelope): readonly Draft[] {
	const { envelope: before = null, written } = thread.state();
	const { turnId } = envelope.identity;
	const patch = createMergePatch(before, withoutFixedTexts(envelope)) ?? {};
	const begun = written && before === null ? [{ kind: "envelope", turnId, patch: null } as const] : [];
	return [...begun, { kind: "envelope", turnId, patch }];
}

/**
 * The base instructions stand in the header and the text of instruction files in the fragment that told them; names and
 * stamps are enough here. A JSON round trip leaves out what is undefined.
 */
function withoutFixedTexts(envelope: TurnEnvelope): Json {
	const { base: _, ...instructions } = envelope.instructions;
	const files = instructions.files.map(({ path, stamp }) => ({ path, stamp }));
	return JSON.parse(JSON.stringify({ ...envelope, instructions: { ...instructions, files } }));
}
