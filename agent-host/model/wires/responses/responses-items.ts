import * as z from "zod";
import type { HistoryItem } from "../../../history/history-item.ts";
import type { ToolSpecification } from "../../port.ts";
import { garbledCallFailure } from "../refusals/failure.ts";

/**
 * One complete piece of output as a history item, or undefined if its kind is unknown. A call without an id gets an
 * empty one; an unreadable call is a failure, because the answer would be incomplete without it.
 */
export function readItem(raw: unknown, source: string, tools: readonly ToolSpecification[]): HistoryItem | undefined {
	const parsed = OutputItem.safeParse(raw);
	if (!parsed.success) {
		if (AnyCall.safeParse(raw).success) throw garbledCallFailure();
		return undefined;
	}
	const item = parsed.data;
	switch (item.type) {
		case "message":
			return {
				kind: "agentMessage",
				text: (item.content ?? []).map((part) => part.text ?? part.refusal ?? "").join(""),
				...(item.phase ? { phase: item.phase, source } : {}),
			};
		case "reasoning":
			return {
				kind: "reasoning",
				providerId: item.id ?? "",
				summary: (item.summary ?? []).map((part) => part.text ?? ""),
				...(item.encrypted_content ? { encrypted: item.encrypted_content } : {}),
				source,
			};
		case "function_call":
			return asCall(item, toJsonText(item.arguments));
		case "custom_tool_call":
			return { ...asCall(item, wrapPlainText(item.name, item.input ?? "", tools)), freeForm: true };
	}
}

function asCall({ call_id, id, name }: z.infer<typeof Call>, args: string): ToolCall {
	return { kind: "toolCall", callId: call_id || id || "", name, arguments: args };
}

/** An empty call, filled with its streamed arguments. */
export function withWritten(
	item: HistoryItem | undefined,
	written: string,
	tools: readonly ToolSpecification[],
): HistoryItem | undefined {
	if (item?.kind !== "toolCall" || written === "") return item;
	if (item.freeForm !== true) return item.arguments === "{}" ? { ...item, arguments: written } : item;
	return readPlainText(item.arguments) === "" ? { ...item, arguments: wrapPlainText(item.name, written, tools) } : item;
}

/** Arguments are JSON in a string; a few servers send the object itself. */
function toJsonText(args: unknown): string {
	return typeof args === "string" && args !== "" ? args : JSON.stringify(args || {});
}

type ToolCall = Extract<HistoryItem, { kind: "toolCall" }>;

// The parts of a server's items that we read. Servers differ, so everything that we can do without is optional.
const Said = z.object({ text: z.string().nullish(), refusal: z.string().nullish() });
const Call = z.object({ call_id: z.string().nullish(), id: z.string().nullish(), name: z.string() });
const AnyCall = z.looseObject({ type: z.enum(["function_call", "custom_tool_call"]) });

const OutputItem = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("message"),
		phase: z.string().max(100).nullish().catch(undefined),
		content: z.union([z.array(Said), z.string().transform((text) => [{ text, refusal: undefined }])]).nullish(),
	}),
	z.object({
		type: z.literal("reasoning"),
		id: z.string().nullish(),
		summary: z.array(z.object({ text: z.string().nullish() })).nullish(),
		encrypted_content: z.string().nullish(),
	}),
	Call.extend({ type: z.literal("function_call"), arguments: z.unknown().optional() }),
	Call.extend({ type: z.literal("custom_tool_call"), input: z.string().nullish() }),
]);

// A plain-text call is recorded with arguments like any other, so that every other wire, tool and view can read it;
// only the wire that has such calls converts between the two.

/** The arguments of a plain-text call. */
export function wrapPlainText(name: string, text: string, tools: readonly ToolSpecification[]): string {
	const field = tools.find((tool) => tool.name === name)?.freeForm?.field ?? "input";
	return JSON.stringify({ [field]: text });
}

/** The plain text of such a call. */
export function readPlainText(json: string): string {
	const [text] = Object.values(JSON.parse(json) as Readonly<Record<string, string>>);
	return text ?? "";
}
