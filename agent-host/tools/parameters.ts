import * as z from "zod";

/**
 * Left out of what models are shown. Servers with grammars refuse long repetitions, which is what these bounds become,
 * and some gateways refuse a schema that names its dialect. Our own check of the arguments keeps every bound.
 */
const UNSENT = new Set(
	"$schema maxLength minLength maxItems minItems minimum maximum pattern format propertyNames".split(" "),
);

/** A number that is moved into its range, since models are not told the range. */
export function clampedInt(min: number, max: number) {
	return z.int().transform((value) => Math.min(Math.max(value, min), max));
}

/** The JSON schema of a tool's arguments, as every server accepts it. */
export function toParameters(input: z.ZodType): Readonly<Record<string, unknown>> {
	return withoutBounds(z.toJSONSchema(input, { io: "input" })) as Readonly<Record<string, unknown>>;
}

function withoutBounds(schema: unknown, isNames = false): unknown {
	if (Array.isArray(schema)) return schema.map((part) => withoutBounds(part));
	if (typeof schema !== "object" || schema === null) return schema;
	const kept = Object.entries(schema).filter(
		([key, value]) => isNames || !(UNSENT.has(key) || saysNothing(key, value)),
	);
	// Below `properties` the keys are names of arguments, whatever they are called.
	return Object.fromEntries(kept.map(([key, value]) => [key, withoutBounds(value, key === "properties" && !isNames)]));
}

/** Values that may be anything, and defaults that a reader expects. */
function saysNothing(key: string, value: unknown): boolean {
	if (key === "default" && EXPECTED.has(value)) return true;
	if (key !== "additionalProperties" && key !== "default") return false;
	return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

const EXPECTED: ReadonlySet<unknown> = new Set(["", ".", false, 0]);
