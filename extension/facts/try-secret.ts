import type { Keys, Secret, Stored } from "./keys.ts";

/** Stores a secret for a check that needs it, and puts back what was there if the check fails. */
export async function trySecret<T>(
	keys: Pick<Keys, "get" | "set" | "remove">,
	{ stored, secret, check }: { readonly stored: Stored; readonly secret: Secret; readonly check: () => Promise<T> },
): Promise<T> {
	const before = await keys.get(stored);
	await keys.set(stored, secret);
	try {
		return await check();
	} catch (error) {
		if (before === undefined) await keys.remove(stored);
		else await keys.set(stored, before);
		throw error;
	}
}
