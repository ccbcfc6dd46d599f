import * as z from "zod";

/**
 * Left out of what models are shown. Servers with grammars refuse long repetitions, which is what these bounds become,
 * and some gateways refuse a schema that names its dialect. Our own check of the arguments keeps every bound.
 */
const UNSENT = new Set(["$schema", "maxLength", "minLength", "maxItems", "pattern", "format"]);

/** The JSON schema of a tool's arguments, as every server accepts it. */
export function toParameters(input: z.ZodType): Readonly<Record<string, unknown>> {
	return withoutBounds(z.toJSONSchema(input, { io: "input" })) as Readonly<Record<string, unknown>>;
}

function withoutBounds(schema: unknown, isNames = false): unknown {
	if (Array.isArray(schema)) return schema.map((part) => withoutBounds(part));
	if (typeof schema !== "object" || schema === null) return schema;
	const kept = Object.entries(schema).filter(([key, value]) => isNames || !(UNSENT.has(key) || isIntegerLimit(value)));
	// Below `properties` the keys are names of arguments, whatever they are called.
	return Object.fromEntries(kept.map(([key, value]) => [key, withoutBounds(value, key === "properties" && !isNames)]));
}

/** The limits of whole numbers in JavaScript, which say nothing to a model. */
function isIntegerLimit(value: unknown): boolean {
	return value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
}
