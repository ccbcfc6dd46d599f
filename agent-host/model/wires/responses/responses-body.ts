import type {
	ResponseCreateParamsStreaming,
	ResponseInputContent,
	ResponseInputItem,
} from "openai/resources/responses/responses";
import { effortFor } from "../../../envelope/effort.ts";
import { foldGrowing } from "../../../history/fold-growing.ts";
import type { HistoryItem, UserImage } from "../../../history/history-item.ts";
import { isReasoner, writesFreeForm } from "../../abilities.ts";
import type { ModelRequest, ToolSpecification } from "../../port.ts";
import { imageUrl } from "../exchanges.ts";
import { askInWords } from "../host-text.ts";
import { wireArguments, wireCallId, wireName } from "../names.ts";
import { acceptedEfforts, type Quirks, withoutRefused } from "../refusals/quirks.ts";
import { readPlainText } from "./responses-items.ts";

/** The body of a Responses request. Nothing is stored at the provider: the recorded thread is always sufficient. */
export function toResponsesBody(
	request: ModelRequest,
	quirks: Quirks,
	/** Identifies who can read the sealed reasoning of this request. */
	source: string,
	/** Sealed reasoning that the server cannot read. */
	refusedSeals: ReadonlySet<string> = new Set(),
): ResponseCreateParamsStreaming {
	const freeForm = takesFreeForm(request.model, quirks);
	const body = {
		model: request.model,
		instructions: request.instructions,
		input: [
			...toInput(withFollowed(withoutSeals(request.input, refusedSeals)), source, freeForm),
			...schemaInWords(request, quirks),
		],
		...(quirks.has("no-tools") ? {} : { tools: request.tools.map((tool) => toTool(tool, freeForm)) }),
		tool_choice: "auto",
		parallel_tool_calls: true,
		store: false,
		stream: true,
		include: ["reasoning.encrypted_content"],
		prompt_cache_key: request.cacheKey,
		...reasoningOptions(request, quirks),
		...textOptions(request, quirks),
		...serviceTier(request.serviceTier),
	};
	// The library's enums are a release or two behind the settings'; the server decides about both.
	return withoutRefused(body, quirks) as ResponseCreateParamsStreaming;
}

export function serviceTier(tier: string): { readonly service_tier?: "flex" | "priority" } {
	switch (tier) {
		case "fast":
			return { service_tier: "priority" };
		case "flex":
			return { service_tier: "flex" };
		default:
			return {};
	}
}

function takesFreeForm(model: string, quirks: Quirks): boolean {
	return writesFreeForm(model) && !quirks.has("no-free_form");
}

function withoutSeals(items: readonly HistoryItem[], refused: ReadonlySet<string>): readonly HistoryItem[] {
	if (refused.size === 0) return items;
	return items.filter((item) => item.kind !== "reasoning" || !refused.has(item.encrypted ?? ""));
}

/** The API refuses reasoning that no answer or call follows, as some models give when their calls have done the work. */
function withFollowed(items: readonly HistoryItem[]): readonly HistoryItem[] {
	return items.some(isLone) ? items.filter((item, index) => !isLone(item, index, items)) : items;
}

function isLone({ kind }: HistoryItem, index: number, items: readonly HistoryItem[]): boolean {
	if (kind !== "reasoning") return false;
	let next = index + 1;
	while (items[next]?.kind === "reasoning") next += 1;
	const follower = items[next]?.kind;
	return follower !== "agentMessage" && follower !== "toolCall";
}

interface Input {
	readonly sent: ResponseInputItem[];
	/**
	 * Calls in free form. Depends only on the model's abilities and the record, so that a request never changes what an
	 * earlier one contained.
	 */
	readonly asText: Set<string>;
	/** The parts of the last message, while images may still join it. */
	message: readonly ResponseInputContent[] | undefined;
}

/** By source and whether calls may be in free form: few models answer in one host. */
const known = new Map<string, (items: readonly HistoryItem[]) => Input>();

/** The same objects as in the request before, as far as it is repeated. */
function toInput(items: readonly HistoryItem[], source: string, freeForm: boolean): readonly ResponseInputItem[] {
	const key = `${freeForm} ${source}`;
	const fold = known.get(key) ?? foldInput(source, freeForm);
	known.set(key, fold);
	return fold(items).sent;
}

function foldInput(source: string, freeForm: boolean): (items: readonly HistoryItem[]) => Input {
	return foldGrowing<HistoryItem, Input>(
		() => ({ sent: [], asText: new Set(), message: undefined }),
		(input, item) => {
			if (item.kind === "userMessage" || item.kind === "userImage") addToMessage(input, item);
			else {
				if (freeForm && item.kind === "toolCall" && item.freeForm) input.asText.add(item.callId);
				input.sent.push(...toInputItem(item, source, input.asText));
				input.message = undefined;
			}
			return input;
		},
		// A call with a large patch is checked once, and encoded once because it stays the same object.
		1,
	);
}

/** Images go into the message that they belong to. */
function addToMessage(input: Input, item: Extract<HistoryItem, { kind: "userMessage" | "userImage" }>): void {
	const isMore = item.kind === "userImage" && input.message !== undefined;
	if (isMore) input.sent.pop();
	const part = item.kind === "userMessage" ? ({ type: "input_text", text: item.text } as const) : toImagePart(item);
	const content = [...(isMore ? (input.message ?? []) : []), part];
	input.message = content;
	input.sent.push({ type: "message", role: "user", content });
}

function toImagePart(image: UserImage): ResponseInputContent {
	return { type: "input_image", detail: "auto", image_url: imageUrl(image) };
}

function toInputItem(
	item: Exclude<HistoryItem, { kind: "userMessage" | "userImage" }>,
	source: string,
	asText: ReadonlySet<string>,
): readonly ResponseInputItem[] {
	switch (item.kind) {
		case "fragment":
			return [{ type: "message", role: item.role, content: [{ type: "input_text", text: item.text }] }];
		case "agentMessage":
			// Without an id, because some servers refuse an id that they have not stored.
			return [{ role: "assistant", content: item.text, ...phaseOf(item, source) } as ResponseInputItem];
		case "reasoning":
			// Only its author can read it, and the rest is useless to a server that stores nothing.
			if (item.encrypted === undefined || (item.source !== undefined && item.source !== source)) return [];
			return [
				{
					type: "reasoning",
					id: item.providerId,
					summary: item.summary.map((text) => ({ type: "summary_text", text })),
					encrypted_content: item.encrypted,
				},
			];
		case "sealedSummary":
			return item.source === source ? [{ type: "compaction", encrypted_content: item.encrypted }] : [];
		case "toolCall": {
			const call = { call_id: wireCallId(item.callId), name: wireName(item.name) };
			return asText.has(item.callId)
				? [{ type: "custom_tool_call", ...call, input: readPlainText(item.arguments) }]
				: [{ type: "function_call", ...call, arguments: wireArguments(item.arguments) }];
		}
		case "toolOutput": {
			const type = asText.has(item.callId) ? "custom_tool_call_output" : "function_call_output";
			return [{ type, call_id: wireCallId(item.callId), output: item.output }];
		}
	}
}

/** Goes back to the server that set it, also to another model of that server's. */
function phaseOf(item: Extract<HistoryItem, { kind: "agentMessage" }>, source: string): { readonly phase?: string } {
	if (item.phase === undefined) return {};
	return item.source?.split(" ")[0] === source.split(" ")[0] ? { phase: item.phase } : {};
}

function toTool({ name, description, parameters, freeForm }: ToolSpecification, takesText: boolean): object {
	if (takesText && freeForm !== undefined) {
		return {
			type: "custom",
			name,
			description,
			format: { type: "grammar", syntax: "lark", definition: freeForm.grammar },
		};
	}
	return { type: "function", name, description, parameters: { ...parameters }, strict: false };
}

function reasoningOptions({ model, reasoningEffort, reasoningSummary }: ModelRequest, quirks: Quirks): object {
	if (reasoningEffort === undefined && !isReasoner(model)) return {};
	const effort = effortFor(reasoningEffort, acceptedEfforts(quirks));
	const reasoning = {
		...(effort === undefined ? {} : { effort }),
		...(reasoningSummary === "none" ? {} : { summary: reasoningSummary }),
	};
	return Object.keys(reasoning).length === 0 ? {} : { reasoning };
}

function textOptions({ verbosity, outputSchema }: ModelRequest, quirks: Quirks): object {
	const format =
		outputSchema === undefined || quirks.has("no-json_schema")
			? {}
			: { format: { type: "json_schema", name: outputSchema.name, schema: { ...outputSchema.schema }, strict: true } };
	const text = { ...(verbosity === undefined ? {} : { verbosity }), ...format };
	return Object.keys(text).length === 0 ? {} : { text };
}

function schemaInWords({ outputSchema }: ModelRequest, quirks: Quirks): readonly ResponseInputItem[] {
	if (outputSchema === undefined || !(quirks.has("no-json_schema") || quirks.has("no-text"))) return [];
	const content = [{ type: "input_text" as const, text: askInWords(outputSchema) }];
	return [{ type: "message", role: "developer", content }];
}
