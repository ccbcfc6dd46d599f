import type { Refusal } from "./refusal.ts";

/** Something a server does not accept, or needs differently. Persisted: never renamed. */
export type Quirk = (typeof QUIRKS)[number];

/** Options that a request can omit, by their name in its body. */
const OPTIONS = [
	"stream_options",
	"reasoning_effort",
	"reasoning",
	"service_tier",
	"verbosity",
	"text",
	"prompt_cache_key",
	"parallel_tool_calls",
	"include",
	"store",
	"tool_choice",
	"thinking",
	"output_config",
] as const;

export const QUIRKS = [
	...OPTIONS.map((option) => `no-${option}` as const),
	"no-json_schema",
	"no-json_object",
	"no-tools",
	"no-free_form",
	"no-compact",
	"no-developer-role",
	"no-system-role",
	"roles-alternate",
	"reasoning-back",
	"no-thinking-back",
] as const;

export type Quirks = ReadonlySet<Quirk>;

/** What a refusal teaches about a server, with a text for the user. */
export interface Lesson {
	readonly quirk: Quirk;
	readonly about: string;
}

type Body = Readonly<Record<string, unknown>>;

// Servers with strict templates answer a wrong role with status 500.
const TEACHES = new Set([400, 404, 415, 422, 500, 501]);

/** The body without the options that the server refuses. */
export function withoutRefused<B extends object>(body: B, quirks: Quirks): B {
	if (quirks.size === 0) return body;
	const kept = Object.entries(body).filter(([key]) => !quirks.has(`no-${key}` as Quirk));
	// Only options that are optional in the API have such a quirk.
	return Object.fromEntries(kept) as B;
}

/** What to change in the next attempt, if the refusal names something that this body can omit. */
export function lessonFrom(refusal: Refusal, body: Body, quirks: Quirks): Lesson | undefined {
	if (!TEACHES.has(refusal.status ?? 0)) return undefined;
	const lesson =
		lessonOfFreeForm(refusal, body) ??
		lessonOfTools(refusal, body) ??
		lessonOfRoles(refusal, body) ??
		lessonOfReasoning(refusal) ??
		lessonOfThinking(refusal, body) ??
		lessonOfSchema(refusal, body) ??
		lessonOfOptions(refusal, body);
	return lesson !== undefined && !quirks.has(lesson.quirk) ? lesson : undefined;
}

function lessonOfFreeForm({ text, param }: Refusal, body: Body): Lesson | undefined {
	const offered =
		Array.isArray(body.tools) && body.tools.some((tool: { readonly type?: unknown }) => tool.type === "custom");
	if (!offered || !/\bcustom\b|grammar|tools\[\d+\]/i.test(`${param} ${text}`)) return undefined;
	return { quirk: "no-free_form", about: "does not support plain-text tool calls, so patches are sent as arguments" };
}

function lessonOfTools({ text }: Refusal, body: Body): Lesson | undefined {
	const cannot =
		/not support (?:tool|function)s?|(?:tool|function)s?(?: (?:use|calling|calls))? (?:is|are) not supported|enable-auto-tool-choice|requires? --jinja/i;
	if (body.tools === undefined || !cannot.test(text)) return undefined;
	return { quirk: "no-tools", about: "does not support tools with this model, so none are sent" };
}

function lessonOfRoles({ text }: Refusal, body: Body): Lesson | undefined {
	if (/alternat/i.test(text)) {
		return {
			quirk: "roles-alternate",
			about: "requires alternating user and assistant messages, so messages are merged",
		};
	}
	if (!/\brole|system message|developer/i.test(text)) return undefined;
	const roles = listRoles(body);
	if (roles.has("developer") && /developer|should be|unexpected|unknown|invalid|unsupported/i.test(text)) {
		return { quirk: "no-developer-role", about: "does not support the developer role, so “system” is used" };
	}
	if (roles.has("system") && /system/i.test(text)) {
		return {
			quirk: "no-system-role",
			about: "does not support system messages there, so labelled user messages are used",
		};
	}
	return undefined;
}

function lessonOfReasoning({ text }: Refusal): Lesson | undefined {
	if (!/reasoning_content/.test(text) || !/must|missing|required|pass/i.test(text)) return undefined;
	return { quirk: "reasoning-back", about: "requires its reasoning, so it is sent back" };
}

/** Thinking blocks are sealed for what was said before them, which a compaction changes. */
function lessonOfThinking({ text }: Refusal, body: Body): Lesson | undefined {
	const sentBack = JSON.stringify(body.messages ?? []).includes('"type":"thinking"');
	if (!sentBack || !/signature|thinking[`'"]? blocks?|redacted_thinking/i.test(text)) return undefined;
	return { quirk: "no-thinking-back", about: "no longer accepts its earlier thinking, so it is left out" };
}

function lessonOfSchema({ text, param }: Refusal, body: Body): Lesson | undefined {
	const format = (body.response_format ?? readFormat(body.text) ?? readFormat(body.output_config)) as
		| { readonly type?: unknown }
		| undefined;
	if (
		format === undefined ||
		!/response_format|json_schema|json_object|text\.format|output_config\.format/.test(`${param} ${text}`)
	) {
		return undefined;
	}
	return format.type === "json_schema"
		? { quirk: "no-json_schema", about: "does not support JSON schemas, so the format is described in the prompt" }
		: { quirk: "no-json_object", about: "does not support JSON mode, so the format is described in the prompt" };
}

function lessonOfOptions({ text, param }: Refusal, body: Body): Lesson | undefined {
	const option = OPTIONS.find(
		(name) => body[name] !== undefined && (param?.split(/[.[]/)[0] === name || names(text, name)),
	);
	return option && { quirk: `no-${option}`, about: `does not support “${option}”, so it is not sent` };
}

// "text" and "reasoning" are ordinary words too; as options they are in quotes or before a dot.
function names(text: string, option: string): boolean {
	return new RegExp(option.includes("_") ? `\\b${option}\\b` : `(?:^|['"\`])${option}['"\`.:]`).test(text);
}

function listRoles(body: Body): ReadonlySet<unknown> {
	const messages = body.messages ?? body.input;
	return new Set(Array.isArray(messages) ? messages.map((message: { readonly role?: unknown }) => message.role) : []);
}

function readFormat(text: unknown): unknown {
	return typeof text === "object" && text !== null && "format" in text ? text.format : undefined;
}
