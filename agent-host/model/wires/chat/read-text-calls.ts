import * as z from "zod";
import type { ToolSpecification } from "../../port.ts";

/** Calls at the end of an answer that a model has written as text. */
export interface TextCalls {
	/** The answer before them. */
	readonly before: string;
	readonly calls: readonly {
		readonly name: string;
		readonly arguments: string /** As written. */;
		readonly text: string;
	}[];
}

type TextCall = TextCalls["calls"][number];

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";
const FUNCTION_CLOSE = "</function>";
/** What a call in text begins with, always at the start of a line. */
export const STARTS: readonly string[] = [OPEN, "<function="];

/** Longer answers are texts. */
const MAX_CHARS = 400_000;
const MAX_CALLS = 32;

/**
 * Reads an answer that ends in calls of known tools in one of the two common forms: `<tool_call>` around JSON, or
 * `<function=name>` with `<parameter=name>` in it. Everything from the first such line on must be calls, and none of it may
 * be in a code fence: otherwise it is text about calls.
 */
export function readTextCalls(answer: string, tools: readonly ToolSpecification[]): TextCalls | undefined {
	const text = answer.trimEnd();
	if (text.length > MAX_CHARS || !(text.endsWith(CLOSE) || text.endsWith(FUNCTION_CLOSE))) return undefined;
	const start = findStart(text);
	const calls = start === undefined ? undefined : readBlocks(text.slice(start), tools);
	return calls === undefined ? undefined : { before: text.slice(0, start), calls };
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Where the first line outside of code fences begins with a call. */
function findStart(text: string): number | undefined {
	let fence: string | undefined;
	let offset = 0;
	for (const line of text.split("\n")) {
		const mark = FENCE.exec(line)?.[1];
		if (fence === undefined && mark === undefined && STARTS.some((start) => line.startsWith(start))) return offset;
		if (fence === undefined) fence = mark;
		else if (mark?.startsWith(fence)) fence = undefined;
		offset += line.length + 1;
	}
	return undefined;
}

function readBlocks(text: string, tools: readonly ToolSpecification[]): readonly TextCall[] | undefined {
	const calls: TextCall[] = [];
	let rest = text;
	while (rest !== "") {
		const isWrapped = rest.startsWith(OPEN);
		const close = isWrapped ? CLOSE : FUNCTION_CLOSE;
		const end = rest.indexOf(close);
		if (end < 0 || calls.length === MAX_CALLS) return undefined;
		const inner = rest.slice(isWrapped ? OPEN.length : 0, isWrapped ? end : end + close.length).trim();
		const call = readCall(inner, tools);
		if (call === undefined) return undefined;
		calls.push(call);
		rest = rest.slice(end + close.length).trimStart();
	}
	return calls;
}

const JsonCall = z
	.object({
		name: z.string(),
		arguments: z.record(z.string(), z.unknown()).optional(),
		parameters: z.record(z.string(), z.unknown()).optional(),
	})
	.strict();

function readCall(text: string, tools: readonly ToolSpecification[]): TextCall | undefined {
	const said = text.startsWith("{") ? readJson(text) : readFunction(text, tools);
	if (said === undefined || !tools.some(({ name }) => name === said.name)) return undefined;
	return { name: said.name, arguments: JSON.stringify(said.arguments), text };
}

interface Said {
	readonly name: string;
	readonly arguments: Readonly<Record<string, unknown>>;
}

function readJson(text: string): Said | undefined {
	const { name, arguments: args, parameters } = JsonCall.safeParse(parse(text)).data ?? {};
	return name === undefined ? undefined : { name, arguments: args ?? parameters ?? {} };
}

const FUNCTION = /^<function=([\w.-]{1,100})>(.*)<\/function>$/s;
const PARAMETER = /^\s*<parameter=([\w.-]{1,100})>\n?(.*?)\n?<\/parameter>\s*/s;

function readFunction(text: string, tools: readonly ToolSpecification[]): Said | undefined {
	const [, name = "", body = ""] = FUNCTION.exec(text) ?? [];
	const types = typesIn(tools.find((tool) => tool.name === name));
	const values: [string, unknown][] = [];
	let rest = body.trim();
	while (rest !== "") {
		const [whole = "", key = "", value = ""] = PARAMETER.exec(rest) ?? [];
		if (whole === "" || values.length > MAX_CALLS) return undefined;
		values.push([key, types.get(key) === "string" ? value : (parse(value) ?? value)]);
		rest = rest.slice(whole.length);
	}
	return name === "" ? undefined : { name, arguments: Object.fromEntries(values) };
}

const Parameters = z.object({ properties: z.record(z.string(), z.looseObject({ type: z.unknown() })) });

/** The types of a tool's arguments: in this form of a call every value is text. */
function typesIn(tool: ToolSpecification | undefined): ReadonlyMap<string, unknown> {
	const { properties = {} } = Parameters.safeParse(tool?.parameters).data ?? {};
	return new Map(Object.entries(properties).map(([name, { type }]) => [name, type]));
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
