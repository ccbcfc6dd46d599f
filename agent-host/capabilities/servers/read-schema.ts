type Schema = Readonly<Record<string, unknown>>;

/** Providers refuse a request that has any other name of an argument in it. */
const NAME = /^[\w.-]{1,64}$/;

/** Keywords whose values are schemas by name, lists of schemas, and schemas. */
const NAMED = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTED = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE = [
	...["items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains"],
	...["not", "if", "then", "else"],
];
/** Numbers that were switches before. */
const BOUNDS = ["exclusiveMinimum", "exclusiveMaximum"];

/**
 * A schema in the form of JSON Schema 2020-12, since one that is not has the whole request refused. Servers often describe
 * tuples and bounds as older drafts did, leave out what a list holds, or have a list where there is nothing to name.
 */
export function modernizeSchema(schema: Schema): Schema {
	const { additionalItems, ...changed }: Record<string, unknown> = { ...schema };
	if (Array.isArray(changed.items)) {
		changed.prefixItems = changed.items;
		changed.items = additionalItems ?? {};
	}
	if (changed.type === "array" && changed.items === undefined) changed.items = {};
	for (const key of BOUNDS) if (typeof changed[key] === "boolean") delete changed[key];
	if ("required" in changed && !isListOfNames(changed.required)) delete changed.required;
	for (const key of NAMED) if (key in changed) changed[key] = modernizeAll(changed[key]);
	for (const key of LISTED) if (Array.isArray(changed[key])) changed[key] = changed[key].map(modernize);
	for (const key of SINGLE) if (key in changed) changed[key] = modernize(changed[key]);
	return changed;
}

/** An argument whose name no provider takes. */
export function findUnusableName({ properties }: Schema): string | undefined {
	return Object.keys(Object(properties)).find((name) => !NAME.test(name));
}

function modernize(value: unknown): unknown {
	if (typeof value === "boolean") return value;
	return isSchema(value) ? modernizeSchema(value) : {};
}

/** PHP writes an empty list where no name is. */
function modernizeAll(value: unknown): Schema {
	if (!isSchema(value)) return {};
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, modernize(one)]));
}

function isSchema(value: unknown): value is Schema {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOfNames(value: unknown): boolean {
	return Array.isArray(value) && value.every((name) => typeof name === "string");
}
