import type { ModelRequest } from "../../port.ts";
import { askInWords } from "../host-text.ts";
import { limitOutput, type Quirks, withoutRefused } from "../refusals/quirks.ts";
import { takesSystemMessages, thinkingFor } from "./claude.ts";
import { type Block, lacksThought, type Message, type Reader, toMessages } from "./messages-turns.ts";

/** Thinking counts as output too. All current models can write this much, and few answers are longer. */
export const OUTPUT_TOKENS = 32_000;

const KEPT = { cache_control: { type: "ephemeral" } } as const;

interface EarlyInput {
	/** Whether the server can be asked to send arguments while they are written. */
	readonly sendsEarly: boolean;
}

/** The body of a Messages request: the same history gives the same bytes, up to the marks of the cache. */
export function toMessagesBody(
	request: ModelRequest,
	quirks: Quirks,
	/** Who can read the thinking blocks of this request, and which of them it cannot. */
	{ source, refusedSeals, sendsEarly }: Pick<Reader, "source" | "refusedSeals"> & EarlyInput,
): object {
	const words = schemaInWords(request, quirks);
	const system = [request.instructions, ...words].filter((text) => text !== "");
	const messages = toMessages(request.input, {
		source,
		refusedSeals,
		systemMessages: takesSystemMessages(request.model) && !quirks.has("no-system-role"),
	});
	const isEarly = sendsEarly && !quirks.has("no-eager_input_streaming");
	const tools = quirks.has("no-tools") ? [] : request.tools.map((tool) => toTool(tool, isEarly));
	const body = {
		model: request.model,
		max_tokens: limitOutput(OUTPUT_TOKENS, quirks),
		...(system.length === 0 ? {} : { system: withLast(system.map(toText)) }),
		messages: withMarks(messages),
		...(tools.length === 0 ? {} : { tools: withLast(tools) }),
		...options(request, quirks, messages),
		stream: true,
	};
	return withoutRefused(body, quirks);
}

/**
 * The server keeps the prefix up to each mark and looks for a kept one there. One mark is at the end, for the next
 * request; one is where the previous request ended, for this one.
 */
function withMarks(messages: readonly Message[]): readonly Message[] {
	const last = messages.findLastIndex(({ role }) => role === "user");
	const answer = messages.findLastIndex(({ role }) => role === "assistant");
	const before = messages.slice(0, Math.max(answer, 0)).findLastIndex(({ role }) => role === "user");
	return messages.map((message, index) =>
		index === last || index === before ? { ...message, content: withLast(message.content) } : message,
	);
}

/** The same with a mark on the last one. */
function withLast<T extends object>(all: readonly T[]): readonly T[] {
	return all.map((one, index) => (index === all.length - 1 ? { ...one, ...KEPT } : one));
}

function toText(text: string): Block {
	return { type: "text", text };
}

function toTool({ name, description, parameters, freeForm }: ModelRequest["tools"][number], isEarly: boolean): object {
	// Long texts such as patches are shown while they are written, so they are sent as they are written.
	const early = isEarly && freeForm !== undefined ? { eager_input_streaming: true } : {};
	return { name, description, input_schema: { ...parameters }, ...early };
}

function options(request: ModelRequest, quirks: Quirks, messages: readonly Message[]): object {
	const most = limitOutput(OUTPUT_TOKENS, quirks);
	const { thinking, output_config } = thinkingFor(request, quirks, most, lacksThought(messages));
	const { outputSchema } = request;
	const format =
		outputSchema === undefined || quirks.has("no-json_schema")
			? {}
			: { format: { type: "json_schema", schema: { ...outputSchema.schema } } };
	const config = { ...output_config, ...format };
	return {
		...(thinking === undefined ? {} : { thinking }),
		...(Object.keys(config).length === 0 ? {} : { output_config: config }),
	};
}

function schemaInWords({ outputSchema }: ModelRequest, quirks: Quirks): readonly string[] {
	const cannot = quirks.has("no-json_schema") || quirks.has("no-output_config");
	return outputSchema === undefined || !cannot ? [] : [askInWords(outputSchema)];
}
