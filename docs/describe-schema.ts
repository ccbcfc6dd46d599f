import * as z from "zod";

interface JsonSchema {
	readonly $ref?: string;
	readonly $defs?: Readonly<Record<string, JsonSchema>>;
	readonly type?: string;
	readonly const?: unknown;
	readonly enum?: readonly unknown[];
	readonly anyOf?: readonly JsonSchema[];
	readonly oneOf?: readonly JsonSchema[];
	readonly allOf?: readonly JsonSchema[];
	readonly items?: JsonSchema;
	readonly properties?: Readonly<Record<string, JsonSchema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: JsonSchema | boolean;
	readonly default?: unknown;
}

const WIDTH = 110;

/** Describes schemas as a reader of TypeScript would write their types; schemas in `names` go by their name. */
export function createDescriber(names: ReadonlyMap<z.ZodType, string>): {
	readonly describe: (schema: z.ZodType) => string;
	/** The type itself, also when it has a name. */
	readonly define: (schema: z.ZodType) => string;
} {
	const metadata = z.registry<{ readonly id: string }>();
	for (const [schema, id] of names) metadata.add(schema, { id });
	// The JSON form is plain data; only the fields named above are read.
	const toJson = (schema: z.ZodType) =>
		z.toJSONSchema(schema, { io: "input", unrepresentable: "any", metadata }) as JsonSchema;
	return {
		describe: (schema) => names.get(schema) ?? describe(toJson(schema)),
		define: (schema) => {
			const json = toJson(schema);
			return describe(json.$defs?.[names.get(schema) ?? ""] ?? json);
		},
	};
}

function describe(schema: JsonSchema): string {
	if (schema.$ref !== undefined) return schema.$ref.replace("#/$defs/", "");
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
	const choices = schema.anyOf ?? schema.oneOf;
	if (choices !== undefined) return joinChoices(choices.map(describe));
	if (schema.allOf !== undefined) return schema.allOf.map(describe).join(" & ");
	switch (schema.type) {
		case "array":
			return `${bracket(describe(schema.items ?? {}))}[]`;
		case "object":
			return describeObject(schema);
		case "integer":
			return "number";
		case undefined:
			return "unknown";
		default:
			return schema.type;
	}
}

function describeObject({ properties, required = [], additionalProperties }: JsonSchema): string {
	const fields = Object.entries(properties ?? {}).map(([name, value]) => {
		const optional = required.includes(name) ? "" : "?";
		const standard = value.default === undefined ? "" : ` = ${JSON.stringify(value.default)}`;
		return `${name}${optional}: ${describe(value)}${standard}`;
	});
	if (fields.length > 0) return wrap(fields);
	return typeof additionalProperties === "object" ? `Record<string, ${describe(additionalProperties)}>` : "{}";
}

function wrap(fields: readonly string[]): string {
	const line = `{ ${fields.join(", ")} }`;
	if (line.length <= WIDTH && !line.includes("\n")) return line;
	return `{\n${fields.map((field) => `\t${field.replaceAll("\n", "\n\t")},`).join("\n")}\n}`;
}

function joinChoices(choices: readonly string[]): string {
	const line = choices.join(" | ");
	if (line.length <= WIDTH && !line.includes("\n")) return line;
	return choices.map((choice) => `\n| ${choice}`).join("");
}

function bracket(type: string): string {
	return type.includes(" | ") ? `(${type})` : type;
}
