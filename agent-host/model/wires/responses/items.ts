import * as z from "zod";
import type { HistoryItem } from "../../../history/item.ts";
import type { ToolSpecification } from "../../port.ts";
import { argumentsOfText } from "./free-form.ts";

/** One whole piece of output as history keeps it, or undefined when it is nothing that we know. */
export function readItem(raw: unknown, source: string, tools: readonly ToolSpecification[]): HistoryItem | undefined {
	const parsed = OutputItem.safeParse(raw);
	if (!parsed.success) return undefined;
	const item = parsed.data;
	switch (item.type) {
		case "message":
			return { kind: "agentMessage", text: item.content.map((part) => part.text ?? part.refusal ?? "").join("") };
		case "reasoning":
			return {
				kind: "reasoning",
				providerId: item.id,
				summary: item.summary.map((part) => part.text),
				...(item.encrypted_content ? { encrypted: item.encrypted_content } : {}),
				source,
			};
		case "function_call":
			return asCall(item, textOf(item.arguments));
		case "custom_tool_call": {
			const call = asCall(item, argumentsOfText(item.name, item.input, tools));
			return call && { ...call, freeForm: true };
		}
	}
}

function asCall({ call_id, id, name }: z.infer<typeof Call>, args: string): ToolCall | undefined {
	const callId = call_id || id;
	return callId ? { kind: "toolCall", callId, name, arguments: args } : undefined;
}

/** Arguments are JSON in a string; a few servers leave out the string. */
function textOf(args: unknown): string {
	return typeof args === "string" ? args : JSON.stringify(args ?? {});
}

type ToolCall = Extract<HistoryItem, { kind: "toolCall" }>;

// What of a server's items we read. Servers differ, so everything is optional that we can do without.
const Said = z.object({ text: z.string().nullish(), refusal: z.string().nullish() });
const Call = z.object({ call_id: z.string().nullish(), id: z.string().nullish(), name: z.string() });

const OutputItem = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("message"),
		content: z.union([z.array(Said), z.string().transform((text) => [{ text, refusal: undefined }])]),
	}),
	z.object({
		type: z.literal("reasoning"),
		id: z.string().default(""),
		summary: z.array(z.object({ text: z.string() })).default([]),
		encrypted_content: z.string().nullish(),
	}),
	Call.extend({ type: z.literal("function_call"), arguments: z.unknown() }),
	Call.extend({ type: z.literal("custom_tool_call"), input: z.string() }),
]);
