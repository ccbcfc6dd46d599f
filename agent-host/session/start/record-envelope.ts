import type { InstructionFile, TurnEnvelope } from "../../envelope/envelope.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import { createMergePatch, type Json } from "../../store/records/merge-patch.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";

/**
 * The envelope as a thread stores it: the changes since the previous turn. If that one is unknown, or not this host's
 * own, a complete envelope is stored.
 */
export function envelopeRecords(thread: LiveThread, envelope: TurnEnvelope): readonly Draft[] {
	const { envelope: before = null, written } = thread.state();
	const { turnId } = envelope.identity;
	const patch = createMergePatch(before, toStored(envelope, before)) ?? {};
	const begun = written && before === null ? [{ kind: "envelope", turnId, patch: null } as const] : [];
	return [...begun, { kind: "envelope", turnId, patch }];
}

/**
 * The base instructions are in the header, and the text of instruction files is in the fragment that stated them; names
 * and stamps are enough here. A JSON round trip drops undefined values.
 */
function toStored(envelope: TurnEnvelope, before: Json): Json {
	const { base: _, ...instructions } = envelope.instructions;
	const files = instructions.files.map(asNamed);
	const nested = { ...instructions.nested, files: instructions.nested.files.map(asNamed) };
	const { value, ...policy } = envelope.policy;
	const rest = { ...envelope, instructions: { ...instructions, files, nested }, policy };
	const stored = JSON.parse(JSON.stringify(rest));
	return { ...stored, policy: { ...stored.policy, value: storePolicy(value, before) } };
}

/** Policies that were found to be as recorded, by what is recorded. Both are replaced instead of changed. */
const asRecorded = new WeakMap<object, Policy>();

/** The policy is most of an envelope, and mostly that of the turn before: then what is recorded stands for it. */
function storePolicy(policy: Policy, before: Json): Json {
	const value = readPolicyValue(before);
	if (value !== undefined && asRecorded.get(value) === policy) return value;
	const stored: Json = JSON.parse(JSON.stringify(policy));
	if (value === undefined || createMergePatch(value, stored) !== undefined) return stored;
	asRecorded.set(value, policy);
	return value;
}

function readPolicyValue(envelope: Json): { [key: string]: Json } | undefined {
	const { policy } = Object(envelope) as { readonly policy?: unknown };
	const { value } = Object(policy) as { readonly value?: unknown };
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	return isObject ? (value as { [key: string]: Json }) : undefined;
}

function asNamed({ path, stamp }: InstructionFile): Pick<InstructionFile, "path" | "stamp"> {
	return { path, stamp };
}
