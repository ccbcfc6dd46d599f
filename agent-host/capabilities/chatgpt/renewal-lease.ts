import * as z from "zod";

/** Longer than a renewal takes at most: one that was left behind by a window that is gone ends on its own. */
const LEASE_MS = 30_000;
/** Until every window sees what one of them has stored. */
const SETTLE_MS = 400;
/** After that many looks somebody holds it who should not; a second renewal is then the smaller harm. */
const MAX_LOOKS = Math.ceil(LEASE_MS / SETTLE_MS) + 1;

const Lease = z.object({ owner: z.string(), until: z.number() });

export interface LeaseEffects {
	readonly load: (name: string) => Promise<string | undefined>;
	readonly save: (name: string, value: string | undefined) => Promise<void>;
	readonly pause: (ms: number) => Promise<void>;
	readonly newId: () => string;
	readonly now: () => number;
}

/**
 * Lets one window at a time do what a service takes only once. The windows share nothing but the editor's secret
 * storage, which has no lock: who still stands there after a moment has it.
 */
export function createLease({ load, save, pause, newId, now }: LeaseEffects) {
	const take = async (name: string): Promise<string | undefined> => {
		for (let look = 0; look < MAX_LOOKS; look += 1) {
			const held = parseLease(await load(name));
			// One from a clock far ahead of ours ends, too.
			const isFree = held === undefined || held.until <= now() || held.until > now() + 2 * LEASE_MS;
			const owner = newId();
			if (isFree) await save(name, JSON.stringify({ owner, until: now() + LEASE_MS }));
			await pause(SETTLE_MS);
			if (isFree && parseLease(await load(name))?.owner === owner) return owner;
		}
		return undefined;
	};
	return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
		const owner = await take(name);
		try {
			return await work();
		} finally {
			if (owner !== undefined && parseLease(await load(name))?.owner === owner) await save(name, undefined);
		}
	};
}

function parseLease(stored: string | undefined): z.infer<typeof Lease> | undefined {
	try {
		return Lease.safeParse(JSON.parse(stored ?? "")).data;
	} catch {
		return undefined;
	}
}
