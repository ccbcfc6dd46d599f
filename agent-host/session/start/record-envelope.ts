import type { InstructionFile, TurnEnvelope } from "../../envelope/envelope.ts";
import { createMergePatch, type Json } from "../../store/records/merge-patch.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";

/**
 * The envelope as a thread stores it: the changes since the previous turn. If that one is unknown, or not this host's
 * own, a complete envelope is stored.
 */
export function envelopeRecords(thread: LiveThread, envelope: TurnEnvelope): readonly Draft[] {
	const { envelope: before = null, written } = thread.state();
	const { turnId } = envelope.identity;
	const patch = createMergePatch(before, withoutFixedTexts(envelope)) ?? {};
	const begun = written && before === null ? [{ kind: "envelope", turnId, patch: null } as const] : [];
	return [...begun, { kind: "envelope", turnId, patch }];
}

/**
 * The base instructions are in the header, and the text of instruction files is in the fragment that stated them; names
 * and stamps are enough here. A JSON round trip drops undefined values.
 */
function withoutFixedTexts(envelope: TurnEnvelope): Json {
	const { base: _, ...instructions } = envelope.instructions;
	const files = instructions.files.map(asNamed);
	const nested = { ...instructions.nested, files: instructions.nested.files.map(asNamed) };
	return JSON.parse(JSON.stringify({ ...envelope, instructions: { ...instructions, files, nested } }));
}

function asNamed({ path, stamp }: InstructionFile): Pick<InstructionFile, "path" | "stamp"> {
	return { path, stamp };
}
