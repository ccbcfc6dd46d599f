/**
 * Left out of what models are shown. Servers with grammars refuse long repetitions and many patterns, which is what
 * these bounds become, and some gateways refuse a schema that names its dialect. The tool itself checks every
 * bound.
 */
const UNSENT = new Set(
	[
		"$schema maxLength minLength maxItems minItems minimum maximum exclusiveMinimum exclusiveMaximum",
		"pattern patternProperties format propertyNames",
		// Without the bounds in them, these would mean something else.
		"not if then else",
	].flatMap((keys) => keys.split(" ")),
);

/** Below these, the keys are names of arguments or types, whatever they are called. */
const NAMES = new Set(["properties", "$defs", "definitions", "dependencies", "dependentSchemas"]);
/** These hold values, whatever they look like. */
const VALUES = new Set(["enum", "const", "default", "examples", "required", "dependentRequired"]);

/** The JSON schema of a tool's arguments, as every server accepts it. */
export function withoutBounds(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	const kept = Object.entries(schema).filter(([key, value]) => !(UNSENT.has(key) || saysNothing(key, value, schema)));
	return Object.fromEntries(kept.map(([key, value]) => [key, partWithoutBounds(key, value)]));
}

function partWithoutBounds(key: string, value: unknown): unknown {
	if (VALUES.has(key)) return value;
	if (Array.isArray(value)) return value.map((part) => (isRecord(part) ? withoutBounds(part) : part));
	if (!isRecord(value)) return value;
	if (!NAMES.has(key)) return withoutBounds(value);
	return Object.fromEntries(
		Object.entries(value).map(([name, part]) => [name, isRecord(part) ? withoutBounds(part) : part]),
	);
}

/** Values that may be anything, and defaults that a reader expects. */
function saysNothing(key: string, value: unknown, { patternProperties }: Readonly<Record<string, unknown>>): boolean {
	if (key === "default" && EXPECTED.has(value)) return true;
	if (key !== "additionalProperties" && key !== "default") return false;
	// The names that the patterns allow are not to be forbidden without them.
	if (key === "additionalProperties" && patternProperties !== undefined) return true;
	return isRecord(value) && Object.keys(value).length === 0;
}

const EXPECTED: ReadonlySet<unknown> = new Set(["", ".", false, 0]);

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
