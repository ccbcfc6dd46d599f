import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { createMergePatch, type Json } from "../../store/merge-patch.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";

/** The envelope as a thread keeps it: what is new in it since the turn before. */
export function envelopeRecord(thread: LiveThread, envelope: TurnEnvelope): Draft {
	const patch = createMergePatch(thread.state().envelope, withoutFixedTexts(envelope)) ?? {};
	return { kind: "envelope", turnId: envelope.identity.turnId, patch };
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
