import { effortFor } from "../../../envelope/effort.ts";
import { type Said, say } from "../../../protocol/say.ts";
import { ReasoningEffort } from "../../../protocol/settings/model-values.ts";
import { lessonOfImages } from "./image-lessons.ts";
import { type Body, type Lesson, TEACHES, teach } from "./lesson.ts";
import { acceptedEfforts, OPTIONS, type Quirks } from "./quirks.ts";
import type { Refusal } from "./refusal.ts";
import { lessonOfRoles } from "./role-lessons.ts";

/** What to change in the next attempt, if the refusal names something that this body can omit or say differently. */
export function lessonFrom(refusal: Refusal, body: Body, quirks: Quirks): Lesson | undefined {
	if (!TEACHES.has(refusal.status ?? 0)) return undefined;
	const lesson =
		lessonOfFreeForm(refusal, body) ??
		lessonOfEarlyInput(refusal, body) ??
		lessonOfTools(refusal, body) ??
		lessonOfCalls(refusal) ??
		lessonOfImages(refusal, body, quirks) ??
		lessonOfRoles(refusal, body, quirks) ??
		lessonOfReasoning(refusal) ??
		lessonOfThoughts(refusal, body) ??
		lessonOfThinkingConfig(refusal, body) ??
		lessonOfSchema(refusal, body) ??
		lessonOfEffort(refusal, body, quirks) ??
		lessonOfOptions(refusal, body);
	return lesson?.quirks.some((quirk) => !quirks.has(quirk)) ? lesson : undefined;
}

/** Whether the server rejects the option that forbids it to store the conversation. */
export function refusesStore({ status, text, param }: Refusal): boolean {
	return TEACHES.has(status ?? 0) && (param === "store" || names(text, "store"));
}

function lessonOfFreeForm({ text, param }: Refusal, body: Body): Lesson | undefined {
	const offered =
		Array.isArray(body.tools) && body.tools.some((tool: { readonly type?: unknown }) => tool.type === "custom");
	if (!offered || !/\bcustom\b|grammar|tools\[\d+\]/i.test(`${param} ${text}`)) return undefined;
	return teach("no-free_form", "quirk-no-free-form");
}

/** An option of each tool. */
function lessonOfEarlyInput({ text }: Refusal, body: Body): Lesson | undefined {
	const option = "eager_input_streaming";
	const isSent = Array.isArray(body.tools) && body.tools.some((tool: object) => option in tool);
	if (!isSent || !text.includes(option)) return undefined;
	return { quirks: [`no-${option}`], describe: (origin) => say("quirk-no-option", { origin, option }) };
}

function lessonOfTools({ text }: Refusal, body: Body): Lesson | undefined {
	const wantsTools =
		/without `?tools=`? param|must define tools|expects the `?tools=|toolConfig field must be defined/i;
	const offers = Array.isArray(body.tools) && body.tools.length > 0;
	if (!offers && wantsTools.test(text)) return teach("tools-with-calls", "quirk-tools-with-calls");
	const cannot =
		/not support (?:tool|function)s?|(?:tool|function)s?(?: (?:use|calling|calls))? (?:is|are) not supported|enable-auto-tool-choice|requires? --jinja|endpoints found that support tool/i;
	if (body.tools === undefined || !cannot.test(text)) return undefined;
	return teach("no-tools", "quirk-no-tools");
}

function lessonOfCalls({ text }: Refusal): Lesson | undefined {
	if (/tool call id.{0,200}length of 9/is.test(text)) {
		return teach("short-call-ids", "quirk-short-ids");
	}
	if (/only supports? single tool[- ]calls?/i.test(text)) {
		return teach("single-calls", "quirk-single-calls");
	}
	if (/missing a? ?`?thought_signature/i.test(text)) {
		return teach("thought-signatures", "quirk-signatures");
	}
	return undefined;
}

function lessonOfReasoning({ text }: Refusal): Lesson | undefined {
	if (!/reasoning_content/.test(text) || !/must|missing|required|pass/i.test(text)) return undefined;
	return teach("reasoning-back", "quirk-reasoning");
}

/** The options that ask for thinking, one on each wire. */
const THINKING = ["thinking", "reasoning_effort", "reasoning"] as const;

/**
 * A model that cannot think, or Claude where its last calls need a thought that it does not get back: behind a gateway, or
 * under a name that does not tell its version.
 */
function lessonOfThoughts({ text }: Refusal, body: Body): Lesson | undefined {
	const option = THINKING.find((one) => body[one] !== undefined);
	const cannot =
		/must start with a thinking block|not support (?:\w{1,20} )?thinking\b|\bthink(?:ing)?\b[^.]{0,40} not supported/i;
	if (option === undefined || !cannot.test(text)) return undefined;
	return { quirks: [`no-${option}`], describe: (origin) => say("quirk-no-option", { origin, option }) };
}

/** Gemini names no field when a model cannot think, or not that much. */
function lessonOfThinkingConfig({ text }: Refusal, body: Body): Lesson | undefined {
	const option = "generationConfig.thinkingConfig";
	if (partOf(body, option) === undefined || !/thinking/i.test(text)) return undefined;
	return {
		quirks: [`no-${option}`],
		describe: (origin) => say("quirk-no-option", { origin, option: "thinkingConfig" }),
	};
}

function lessonOfSchema({ text, param }: Refusal, body: Body): Lesson | undefined {
	if (
		partOf(body, "generationConfig.responseJsonSchema") !== undefined &&
		/response.?(?:mime|json|schema)/i.test(text)
	) {
		return teach("no-json_schema", "quirk-no-schema");
	}
	const format = (body.response_format ?? partOf(body, "text.format") ?? partOf(body, "output_config.format")) as
		| { readonly type?: unknown }
		| undefined;
	if (
		format === undefined ||
		!/response_format|json_schema|json_object|text\.format|output_config\.format/.test(`${param} ${text}`)
	) {
		return undefined;
	}
	return format.type === "json_schema"
		? teach("no-json_schema", "quirk-no-schema")
		: teach("no-json_object", "quirk-no-json");
}

/** Where the wires have it. */
const EFFORTS = ["reasoning.effort", "reasoning_effort", "output_config.effort"];

/** A refused value is not a refused option: the nearest effort that the model has is used instead. */
function lessonOfEffort({ text, param }: Refusal, body: Body, quirks: Quirks): Lesson | undefined {
	const sent = ReasoningEffort.safeParse(
		EFFORTS.map((path) => partOf(body, path)).find((value) => value !== undefined),
	).data;
	if (sent === undefined || !/reasoning[._ ]effort|\beffort\b|\b(?:reasoning|think) value\b/i.test(`${param} ${text}`))
		return undefined;
	if (!namesValue(text, sent) || !/\bvalues?\b|support|invalid|must be|should be|one of|expected/i.test(text)) {
		return undefined;
	}
	const list = text.split(/\b(?:values are|one of|should be|must be|expected|supported values|supports?)\b/i).slice(1);
	const listed = ReasoningEffort.options.filter((effort) => effort !== sent && namesValue(list.join(" "), effort));
	const refused = listed.length === 0 ? [sent] : ReasoningEffort.options.filter((effort) => !listed.includes(effort));
	const learned = refused.map((effort) => `no-effort-${effort}` as const);
	const instead = effortFor(sent, acceptedEfforts(new Set([...quirks, ...learned])));
	const describe = (origin: string): Said =>
		instead === undefined
			? say("quirk-no-effort", { origin, effort: sent })
			: say("quirk-other-effort", { origin, effort: sent, instead });
	return { quirks: learned, describe };
}

function lessonOfOptions({ text, param }: Refusal, body: Body): Lesson | undefined {
	// A refusal of something in the conversation is not one of an option, whatever words it uses.
	if (/^(?:input|messages|tools)\b/.test(param ?? "")) return undefined;
	const option =
		OPTIONS.find((path) => param === path && partOf(body, path) !== undefined) ??
		OPTIONS.find((path) => partOf(body, path) !== undefined && (param?.split(/[.[]/)[0] === path || names(text, path)));
	return option && { quirks: [`no-${option}`], describe: (origin) => say("quirk-no-option", { origin, option }) };
}

const SUMMARIES = /\breasoning summar(?:y|ies)\b/i;
/** Words for an option, without which a common word in quotes may be anything, such as the type of an item. */
const OPTION_WORDS = /parameter|argument|option|field|propert|extra|unrecognized|unknown|unexpected keyword/i;

// "reasoning" is an ordinary word, too; as an option it is in quotes, and the refusal calls it one.
function names(text: string, option: string): boolean {
	if (option === "reasoning.summary" && SUMMARIES.test(text)) return true;
	if (/[._]/.test(option)) {
		// Some servers name options as their own library does, such as reasoningEffort.
		const inLibrary = option.replaceAll(/[._](.)/g, (_, letter: string) => letter.toUpperCase());
		return new RegExp(`\\b(?:${option.replace(".", "\\.")}|${inLibrary})\\b`).test(text);
	}
	// Anthropic begins with the path.
	if (text.startsWith(`${option}.`) || text.startsWith(`${option}:`)) return true;
	return new RegExp(`(?<!type )['"\`]${option}['"\`]`).test(text) && OPTION_WORDS.test(text);
}

function namesValue(text: string, value: string): boolean {
	return text.split(/[^a-z]+/i).includes(value);
}

/** The value at a path of at most two steps. */
function partOf(body: Body, path: string): unknown {
	const [outer = "", inner] = path.split(".");
	const value = body[outer];
	if (inner === undefined) return value;
	return typeof value === "object" && value !== null ? (value as Body)[inner] : undefined;
}
