import { isDeepStrictEqual } from "node:util";
import {
	type ApprovalPolicy,
	lower,
	NetworkMode,
	PermissionMode,
	stricterApproval,
} from "../protocol/settings/policy-settings.ts";
import type { PartialSettings } from "../protocol/settings/settings.ts";

/** A permission with an order: which of two values is stricter. */
interface Right<T> {
	readonly in: (settings: PartialSettings) => T | undefined;
	readonly as: (value: T) => PartialSettings;
	/** The values that both allow. */
	readonly both: (one: T, other: T) => T;
}

/** The outcome for one right; a part is absent if nothing changed. */
export interface Followed {
	readonly held: PartialSettings;
	readonly own: PartialSettings;
	readonly offered: PartialSettings;
}

interface RightValues {
	/** The client's settings when the thread adopted them, and now. */
	readonly held: PartialSettings;
	readonly now: PartialSettings;
	/** The user's choices for the thread. */
	readonly own: PartialSettings;
	/** No choice for the thread is wider than the client's settings, also not one that was made when they were the same. */
	readonly isCeiling: boolean;
}

type Follow = (sides: RightValues) => Followed;

/** How each right of a thread follows the client's settings: stricter values apply, wider values are offered. */
export const RIGHTS: readonly Follow[] = [
	followRight<PermissionMode>({
		in: ({ permissions }) => permissions?.mode,
		as: (mode) => ({ permissions: { mode } }),
		both: lower(PermissionMode.options),
	}),
	followRight<NetworkMode>({
		in: ({ permissions }) => permissions?.network,
		as: (network) => ({ permissions: { network } }),
		both: lower(NetworkMode.options),
	}),
	followRight<string[]>({
		in: ({ permissions }) => permissions?.writableRoots,
		as: (writableRoots) => ({ permissions: { writableRoots } }),
		both: (one, other) => one.filter((root) => other.includes(root)),
	}),
	followRight<ApprovalPolicy>({
		in: ({ approval }) => approval,
		as: (approval) => ({ approval }),
		both: stricterApproval,
	}),
];

function followRight<T>(right: Right<T>): Follow {
	return ({ held, now, own, isCeiling }) => {
		const wanted = right.in(now);
		const before = right.in(held) ?? wanted;
		const chosen = right.in(own);
		if (wanted === undefined || before === undefined) return { held: {}, own: {}, offered: {} };
		const kept = right.both(before, wanted);
		const isStricter = isCeiling || !isDeepStrictEqual(kept, before);
		const inForce = chosen === undefined ? kept : isStricter ? right.both(chosen, wanted) : chosen;
		const isNews = !isDeepStrictEqual(wanted, before) && !isDeepStrictEqual(right.both(inForce, wanted), wanted);
		return {
			held: right.as(kept),
			own: chosen === undefined ? {} : right.as(inForce),
			offered: isNews ? right.as(wanted) : {},
		};
	};
}
