import * as z from "zod";
import type { HistoryItem } from "../../../history/history-item.ts";
import type { ToolSpecification } from "../../port.ts";
import { garbledCall } from "../refusals/failure.ts";

/**
 * One whole piece of output as history keeps it, or undefined when it is nothing that we know. A call without an id has an
 * empty one; a call that cannot be read at all is a failure, since an answer without it would be another one.
 */
export function readItem(raw: unknown, source: string, tools: readonly ToolSpecification[]): HistoryItem | undefined {
	const parsed = OutputItem.safeParse(raw);
	if (!parsed.success) {
		if (AnyCall.safeParse(raw).success) throw garbledCall();
		return undefined;
	}
	const item = parsed.data;
	switch (item.type) {
		case "message":
			return {
				kind: "agentMessage",
				text: (item.content ?? []).map((part) => part.text ?? part.refusal ?? "").join(""),
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
			return asCall(item, textOf(item.arguments));
		case "custom_tool_call":
			return { ...asCall(item, argumentsOfText(item.name, item.input ?? "", tools)), freeForm: true };
	}
}

function asCall({ call_id, id, name }: z.infer<typeof Call>, args: string): ToolCall {
	return { kind: "toolCall", callId: call_id || id || "", name, arguments: args };
}

/** A call that says nothing, with what was streamed of it. */
export function withWritten(
	item: HistoryItem | undefined,
	written: string,
	tools: readonly ToolSpecification[],
): HistoryItem | undefined {
	if (item?.kind !== "toolCall" || written === "") return item;
	if (item.freeForm !== true) return item.arguments === "{}" ? { ...item, arguments: written } : item;
	return textOfCall(item.arguments) === "" ? { ...item, arguments: argumentsOfText(item.name, written, tools) } : item;
}

/** Arguments are JSON in a string; a few servers leave out the string. */
function textOf(args: unknown): string {
	return typeof args === "string" && args !== "" ? args : JSON.stringify(args || {});
}

type ToolCall = Extract<HistoryItem, { kind: "toolCall" }>;

// What of a server's items we read. Servers differ, so everything is optional that we can do without.
const Said = z.object({ text: z.string().nullish(), refusal: z.string().nullish() });
const Call = z.object({ call_id: z.string().nullish(), id: z.string().nullish(), name: z.string() });
const AnyCall = z.looseObject({ type: z.enum(["function_call", "custom_tool_call"]) });

const OutputItem = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("message"),
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

// A call that came as plain text is recorded with arguments like any other, so that every other wire, tool and view can
// read it; only the wire that has such calls turns one into the other.

/** The arguments of a call that came as plain text. */
export function argumentsOfText(name: string, text: string, tools: readonly ToolSpecification[]): string {
	const field = tools.find((tool) => tool.name === name)?.freeForm?.field ?? "input";
	return JSON.stringify({ [field]: text });
}

/** The plain text of such a call. */
export function textOfCall(json: string): string {
	const [text] = Object.values(JSON.parse(json) as Readonly<Record<string, string>>);
	return text ?? "";
}
