import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { isAsWindows } from "./as-windows/drive-paths.ts";
import type { RecordedRequest } from "./fake-model-request.ts";

const Part = z.looseObject({ text: z.string().optional(), image_url: z.string().optional() });

/** An entry of a Responses request, as far as a page shows it. */
export const InputItem = z.looseObject({
	type: z.string().default("message"),
	role: z.string().optional(),
	content: z.union([z.string(), z.array(Part)]).optional(),
	call_id: z.string().optional(),
	name: z.string().optional(),
	arguments: z.string().optional(),
	output: z.unknown().optional(),
	summary: z.array(Part).optional(),
});
export type InputItem = z.infer<typeof InputItem>;

const Body = z.looseObject({
	model: z.string().optional(),
	instructions: z.string().optional(),
	input: z.union([
		z.string().transform((content): InputItem[] => [{ type: "message", role: "user", content }]),
		z.array(InputItem),
	]),
	tools: z.array(z.looseObject({ name: z.string().optional(), type: z.string().default("function") })).default([]),
});
export type RequestBody = z.infer<typeof Body>;

/** What a page shows of a request, whichever way it was sent. */
export type ShownRequest = Pick<RecordedRequest, "method" | "path" | "body">;

export function bodyOf({ body }: Pick<RecordedRequest, "body">): RequestBody {
	const { messages, ...fields } = Object(body) as Readonly<Record<string, unknown>>;
	return Body.parse(messages === undefined ? body : { ...fields, input: messages });
}

/** What the model was sent in one request, one line an entry. */
export function inputLines(
	request: Pick<RecordedRequest, "body">,
	/** Replaced before a line is cut: a longer path must not move the cut. */
	volatile: readonly Volatile[] = [],
): readonly string[] {
	const oneLine = (text: string): string => asOneLine(replaceVolatile(text, volatile));
	return bodyOf(request).input.map((item) => renderItem(item, oneLine));
}

/** The same without what the first turn states of the world. */
export function spokenLines(request: Pick<RecordedRequest, "body">): readonly string[] {
	return inputLines(request).filter((line) => !/^(?:developer\/permissions|user\/environment)\b/.test(line));
}

/** A value that differs from run to run, and the name that stands for it on a page. */
export type Volatile = readonly [value: string | RegExp, name: string];

const DIGESTS = [/(?<=digest=")[0-9a-f]{64}(?=")/g, "<DIGEST>"] as const;

const ALWAYS_VOLATILE: readonly Volatile[] = [
	[/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<ID>"],
	[/(?<=Machine: )[^⏎\n]+(?= ⏎|$)/gm, "<MACHINE>"],
	[/(?<=Time zone: )[^⏎\n]+(?= ⏎|$)/gm, "<ZONE>"],
	DIGESTS,
	[/\b20\d\d-\d\d-\d\d\b/g, "<DATE>"],
];

/** Renders requests as one readable page. Entries that a request shares with the one before are only counted. */
export function renderPage(
	requests: readonly { readonly label: string; readonly request: ShownRequest }[],
	volatile: readonly Volatile[] = [],
): string {
	let before: readonly string[] = [];
	const sections = requests.map(({ label, request }) => {
		const { model = "none", instructions = "", tools } = bodyOf(request);
		const lines = inputLines(request, volatile);
		const shared = lines.findIndex((line, index) => line !== before[index]);
		const kept = shared < 0 ? lines.length : shared;
		const dropped = before.length - kept;
		before = lines;
		return [
			`${label}: ${request.method} ${request.path}`,
			`  model ${model}, instructions ${instructions === "" ? "none" : "present"}`,
			`  tools ${tools.map((tool) => tool.name ?? tool.type).join(", ") || "none"}`,
			...(kept > 0 ? [`  … the first ${kept} as in the request before`] : []),
			...(dropped > 0 ? [`  … without its last ${dropped}`] : []),
			...lines.slice(kept).map((line, index) => `  ${String(kept + index + 1).padStart(2, "0")} ${line}`),
		].join("\n");
	});
	return `${replaceCallIds(replaceVolatile(sections.join("\n\n"), [...volatile, ...ALWAYS_VOLATILE]))}\n`;
}

/** Compares a page with its committed file; `UPDATE=1` writes the file instead. */
export function matchesPage(name: string, page: string): void {
	const file = join(import.meta.dirname, "../host/scenarios", `${name}.txt`);
	if (process.env.UPDATE === "1") writeFileSync(file, page);
	const kept = readFileSync(file, "utf8");
	if (isAsWindows()) assert.equal(withoutMachine(page), withoutMachine(kept));
	else assert.equal(page, kept);
}

/** Without what is true of one system only: its shell, and what it can enforce. */
function withoutMachine(page: string): string {
	const told = /^( +\d\d )(?:\w+\/(?:permissions|environment):|user: \[[^\]]+\] ⏎ <permissions\b).*$/gm;
	return page.replaceAll(told, "$1 <MACHINE>");
}

function renderItem(item: InputItem, oneLine: (text: string) => string): string {
	switch (item.type) {
		case "message":
			return renderMessage(item.role ?? "none", textOf(item.content), oneLine);
		case "function_call":
			return `call ${item.call_id} ${item.name} ${oneLine(item.arguments ?? "")}`;
		case "function_call_output":
			return `output ${item.call_id} ${oneLine(typeof item.output === "string" ? item.output : JSON.stringify(item.output))}`;
		case "reasoning":
			return `reasoning: ${oneLine(textOf(item.summary))}`;
		default:
			return `${item.type} ${oneLine(JSON.stringify(item))}`;
	}
}

function renderMessage(role: string, text: string, oneLine: (text: string) => string): string {
	// `<environment_context cwd="…">` is shown as `user/environment`, with what stands in the tag and below it.
	const tag = /^<([a-z_]+)([^>]*)>\n([\s\S]*)\n<\/\1>$/.exec(text);
	if (!tag) return `${role}: ${oneLine(text)}`;
	const [, name = "", attributes = "", body = ""] = tag;
	const kind = name.replace(/_context$/, "").replaceAll("_", "-");
	return `${role}/${kind}:${attributes === "" ? "" : `${attributes} ⏎`} ${oneLine(body)}`;
}

function textOf(content: InputItem["content"]): string {
	if (content === undefined) return "";
	return typeof content === "string" ? content : content.map(textOfPart).join("");
}

function textOfPart({ text, image_url: image }: z.infer<typeof Part>): string {
	return image === undefined ? (text ?? "") : ` [${image.slice(0, image.indexOf(","))}, ${image.length} characters]`;
}

function asOneLine(text: string): string {
	const line = text.replaceAll(/\r?\n/g, " ⏎ ").replaceAll(...DIGESTS);
	return line.length <= 600 ? line : `${line.slice(0, 600)} … (${line.length} characters)`;
}

function replaceVolatile(page: string, volatile: readonly Volatile[]): string {
	return volatile.reduce((text, [value, name]) => text.replaceAll(value, name), page);
}

function replaceCallIds(page: string): string {
	const names = new Map<string, string>();
	return page.replaceAll(/\bcall_\d+\b/g, (id) => {
		const name = names.get(id) ?? `#${names.size + 1}`;
		names.set(id, name);
		return name;
	});
}
