import type { ResponseCreateParamsStreaming, ResponseInputItem } from "openai/resources/responses/responses";
import type { HistoryItem } from "../history/item.ts";
import type { ModelRequest } from "./port.ts";

/** The body of a Responses request. Nothing is stored at the provider: the recorded thread is always enough. */
export function toResponsesBody(request: ModelRequest): ResponseCreateParamsStreaming {
	const reasoning = {
		...(request.reasoningEffort === undefined ? {} : { effort: request.reasoningEffort }),
		...(request.reasoningSummary === "none" ? {} : { summary: request.reasoningSummary }),
	};
	return {
		model: request.model,
		instructions: request.instructions,
		input: request.input.map(toInputItem),
		tools: request.tools.map((tool) => ({
			type: "function" as const,
			name: tool.name,
			description: tool.description,
			parameters: { ...tool.parameters },
			strict: false,
		})),
		tool_choice: "auto",
		parallel_tool_calls: true,
		store: false,
		stream: true,
		include: ["reasoning.encrypted_content"],
		prompt_cache_key: request.cacheKey,
		...(request.reasoningEffort === undefined ? {} : { reasoning }),
		...serviceTier(request.serviceTier),
		// The library's enums trail the settings' by a release or two; the server has the last word on both.
	} as ResponseCreateParamsStreaming;
}

function toInputItem(item: HistoryItem): ResponseInputItem {
	switch (item.kind) {
		case "fragment":
			return { type: "message", role: item.role, content: [{ type: "input_text", text: item.text }] };
		case "userMessage":
			return { type: "message", role: "user", content: [{ type: "input_text", text: item.text }] };
		case "agentMessage":
			// Without an id, as some servers refuse an id they have not stored.
			return { role: "assistant", content: item.text };
		case "reasoning":
			return {
				type: "reasoning",
				id: item.providerId,
				summary: item.summary.map((text) => ({ type: "summary_text", text })),
				...(item.encrypted === undefined ? {} : { encrypted_content: item.encrypted }),
			};
		case "toolCall":
			return { type: "function_call", call_id: item.callId, name: item.name, arguments: item.arguments };
		case "toolOutput":
			return { type: "function_call_output", call_id: item.callId, output: item.output };
	}
}

function serviceTier(tier: string): { service_tier?: "default" | "flex" | "priority" } {
	switch (tier) {
		case "fast":
			return { service_tier: "priority" };
		case "flex":
			return { service_tier: "flex" };
		default:
			return {};
	}
}
