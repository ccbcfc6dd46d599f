export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * The patch that turns `before` into `after`, as in RFC 7396: only changes, with null for removals. Neither value may
 * contain null. Undefined if nothing changed.
 */
export function createMergePatch(before: Json | undefined, after: Json): Json | undefined {
	if (before === after) return undefined;
	if (!isObject(before) || !isObject(after)) return isEqual(before, after) ? undefined : after;
	const changes: [string, Json][] = [];
	for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) changes.push([key, null]);
	for (const [key, value] of Object.entries(after)) {
		const patch = createMergePatch(Object.hasOwn(before, key) ? before[key] : undefined, value);
		if (patch !== undefined) changes.push([key, patch]);
	}
	return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

export function applyMergePatch(before: Json | undefined, patch: Json): Json {
	if (!isObject(patch)) return patch;
	const result = isObject(before) ? { ...before } : {};
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) delete result[key];
		else define(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value));
	}
	return result;
}

/** Assigning to `__proto__` would change what the object is. */
function define(object: { [key: string]: Json }, key: string, value: Json): void {
	if (key === "__proto__")
		Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
	else object[key] = value;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEqual(a: Json | undefined, b: Json): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
