import * as z from "zod";
import type { Connection } from "./connection.ts";
import { plainText } from "./plain-text.ts";
import { readPrompts } from "./read-prompts.ts";
import { readResources } from "./read-resources.ts";
import { findUnusableName, modernizeSchema } from "./read-schema.ts";
import type { Catalogue, DescribedTool } from "./server.ts";

const MAX_TOOLS = 128;
const MAX_DESCRIPTION_CHARS = 2_000;
const MAX_SCHEMA_CHARS = 8_000;
const MAX_NAME_CHARS = 128;

/** Untrusted: a server may send anything. */
const ListedTool = z.looseObject({
	name: z.string().min(1).max(MAX_NAME_CHARS),
	description: z.string().nullish().catch(undefined),
	inputSchema: z.record(z.string(), z.unknown()).catch({}),
	execution: z.looseObject({ taskSupport: z.unknown().optional() }).nullish().catch(undefined),
});

/** Everything that a server lists, within our limits. */
export async function readLists(
	connection: Pick<Connection, "listTools" | "listPrompts" | "listResources">,
	signal: AbortSignal,
): Promise<Catalogue> {
	const [tools, prompts, resources] = await Promise.all([
		connection.listTools(signal),
		connection.listPrompts(signal),
		connection.listResources(signal),
	]);
	return readCatalogue(tools, prompts, resources);
}

/** What a server's lists come to: each tool within our limits, and a sentence for each that is left out. */
export function readCatalogue(
	listed: readonly unknown[],
	prompts: readonly unknown[] = [],
	resources: readonly unknown[] = [],
): Catalogue {
	const tools: DescribedTool[] = [];
	const notes: string[] = [];
	for (const raw of listed.slice(0, MAX_TOOLS)) {
		const tool = readTool(raw, tools);
		if (typeof tool === "string") notes.push(tool);
		else tools.push(tool);
	}
	if (listed.length > MAX_TOOLS) notes.push(`Only the first ${MAX_TOOLS} of ${listed.length} tools are used.`);
	return {
		tools: tools.sort((a, b) => (a.name < b.name ? -1 : 1)),
		prompts: readPrompts(prompts),
		resources: readResources(resources),
		notes,
	};
}

function readTool(raw: unknown, before: readonly DescribedTool[]): DescribedTool | string {
	const parsed = ListedTool.safeParse(raw);
	if (!parsed.success) return "A tool without a usable name is left out.";
	const { name, description, inputSchema, execution } = parsed.data;
	const shown = plainText(name, MAX_NAME_CHARS);
	if (before.some((other) => other.name === name)) return `${shown} is listed twice; the first one is used.`;
	if (execution?.taskSupport === "required") return `${shown} only runs as a task, so it is left out.`;
	const parameters = asObjectSchema(inputSchema);
	if (parameters === undefined) return `${shown} does not take an object, so it is left out.`;
	if (JSON.stringify(parameters).length > MAX_SCHEMA_CHARS)
		return `The arguments of ${shown} are too many to describe.`;
	const unusable = findUnusableName(parameters);
	if (unusable !== undefined)
		return `${shown} has an argument that models cannot be offered, ${plainText(unusable, MAX_NAME_CHARS)}, so it is left out.`;
	return { name, description: plainText(description ?? "", MAX_DESCRIPTION_CHARS), parameters };
}

/** Models need an object at the top; alternatives there are left to the server to check. */
function asObjectSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
	const { anyOf: _any, oneOf: _one, allOf: _all, $schema: _, ...rest } = schema;
	if (rest.type !== undefined && rest.type !== "object") return undefined;
	return modernizeSchema({ ...rest, type: "object", properties: rest.properties ?? {} });
}
