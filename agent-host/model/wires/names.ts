// Servers refuse a whole request because of one invalid name. A strange name that a model once called must not make its
// thread unusable, so names are sent in a form that every server accepts.

const MAX_NAME_CHARS = 64;

/** A tool's name as servers accept it. Names of our own tools stay unchanged. */
export function wireName(name: string): string {
	return name.slice(0, MAX_NAME_CHARS).replaceAll(/[^a-zA-Z0-9_-]/g, "_") || "unnamed";
}

/** Ids that are accepted: nearly any, only letters, digits, `_` and `-`, or exactly nine letters and digits. */
const ID_FORMS = { any: /^[\w.:-]{1,64}$/, plain: /^[\w-]{1,64}$/, short: /^[a-zA-Z0-9]{9}$/ } as const;

/** A call's id as servers accept it: unchanged, or a short unique substitute. */
export function wireCallId(callId: string, form: keyof typeof ID_FORMS = "any"): string {
	if (ID_FORMS[form].test(callId)) return callId;
	const substitute = hash(callId, 1) + hash(callId, 2);
	return form === "short" ? shorten(substitute) : `call_${substitute}`;
}

/** Sixteen hexadecimal digits in nine others, from which hardly anything is lost. */
function shorten(hex: string): string {
	return BigInt(`0x${hex}`).toString(36).padStart(9, "0").slice(-9);
}

/** A call's arguments as servers accept them: templates of local servers require an object. */
export function wireArguments(text: string): string {
	return isObject(text) ? text : JSON.stringify({ unreadable: text });
}

/** Gives calls unique ids: some servers omit ids, or number the calls of every answer from zero. */
export function nameCalls<C extends { readonly id: string }>(
	calls: readonly C[],
	taken: ReadonlySet<string>,
): readonly C[] {
	const used = new Set(taken);
	return calls.map((call) => {
		const base = call.id || "call";
		let id = base;
		for (let number = used.size; used.has(id) || id === ""; number += 1) id = `${base}-${number}`;
		used.add(id);
		return { ...call, id };
	});
}

function isObject(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value);
	} catch {
		return false;
	}
}

// FNV-1a. Two of them make a collision practically impossible, and causing one has no benefit.
function hash(text: string, seed: number): string {
	let value = Math.imul(0x811c9dc5, seed);
	for (let index = 0; index < text.length; index += 1) {
		value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
	}
	return (value >>> 0).toString(16).padStart(8, "0");
}
