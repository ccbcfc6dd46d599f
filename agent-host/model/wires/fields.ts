// What comes with every delta is read without a schema: in the host, where schemas are interpreted, one costs more than
// everything else that is done for a delta.

/** What stands under the names of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

export const NO_FIELDS: Fields = {};

/** The fields of a JSON object; undefined if a value is something else. */
export function readFields(value: unknown): Fields | undefined {
	return isFields(value) ? value : undefined;
}

function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined if a value is no text. */
export function readText(value: unknown): string | undefined {
	return typeof value === "string" ? value : undefined;
}

/** Undefined if a value is no number, or too large for one. */
export function readNumber(value: unknown): number | undefined {
	return Number.isFinite(value) ? (value as number) : undefined;
}
