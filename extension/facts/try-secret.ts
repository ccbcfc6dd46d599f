import type { Keys, Secret, Stored } from "./keys.ts";

interface Trial<T> {
	readonly stored: Stored;
	readonly secret: Secret;
	readonly check: () => Promise<T>;
	/** The user no longer wants it. */
	readonly stop: AbortSignal;
}

/** Stores a secret for a check that needs it, and puts back what was there if the check fails, or at once if it is stopped. */
export async function trySecret<T>(
	keys: Pick<Keys, "get" | "set" | "remove">,
	{ stored, secret, check, stop }: Trial<T>,
): Promise<T> {
	const before = await keys.get(stored);
	await keys.set(stored, secret);
	try {
		return await Promise.race([check(), untilStopped(stop)]);
	} catch (error) {
		if (before === undefined) await keys.remove(stored);
		else await keys.set(stored, before);
		throw error;
	}
}

async function untilStopped(stop: AbortSignal): Promise<never> {
	const { promise, reject } = Promise.withResolvers<never>();
	stop.addEventListener("abort", () => reject(stop.reason), { once: true });
	stop.throwIfAborted();
	return promise;
}
