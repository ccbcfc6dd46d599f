import { isDeepStrictEqual } from "node:util";

/** The fields of a snapshot that are not as they were told. */
export function changedFields<S extends object>(before: S, now: S): Partial<S> {
	const changed = Object.entries(now).filter(([key, value]) => !isDeepStrictEqual(value, before[key as keyof S]));
	return Object.fromEntries(changed) as Partial<S>;
}
