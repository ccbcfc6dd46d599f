import type { TestContext } from "node:test";
import type { TurnEnvelope } from "../../../agent-host/envelope/envelope.ts";

const GROUPS: { readonly [G in keyof TurnEnvelope]: true } = {
	identity: true,
	workspace: true,
	instructions: true,
	policy: true,
	capabilities: true,
	modes: true,
	telemetry: true,
};

/** What makes an envelope reads it, too. */
const MAKER = "envelope/resolve-envelope.ts";

/**
 * Notes which file of the host reads which field of any envelope that is sealed in this process. An envelope is frozen when
 * it is sealed: that is when its fields are replaced by getters, which are frozen with it.
 */
export function watchEnvelopes(t: TestContext, read: (field: string, file: string) => void): void {
	const freeze = Object.freeze;
	t.mock.method(Object, "freeze", (value: unknown) => {
		if (isEnvelope(value))
			for (const group of Object.keys(GROUPS)) watchGroup(value, group as keyof TurnEnvelope, read);
		return freeze(value);
	});
}

function isEnvelope(value: unknown): value is TurnEnvelope {
	return typeof value === "object" && value !== null && Object.keys(GROUPS).every((group) => group in value);
}

function watchGroup(
	envelope: TurnEnvelope,
	group: keyof TurnEnvelope,
	read: (field: string, file: string) => void,
): void {
	// Of an envelope that is sealed again, only other groups are new.
	if (Object.isFrozen(envelope[group])) return;
	for (const [field, { get: watched, value }] of Object.entries(Object.getOwnPropertyDescriptors(envelope[group]))) {
		const get = (): unknown => {
			const file = /\/agent-host\/(\S+?\.ts):/.exec(new Error().stack ?? "")?.[1];
			if (file !== undefined && file !== MAKER) read(`${group}.${field}`, file);
			// A group of settings that is sealed as it is may be watched already.
			return watched === undefined ? value : watched();
		};
		Object.defineProperty(envelope[group], field, { get, enumerable: true });
	}
}
