import type { ModelRequest } from "../port.ts";
import { wireName } from "./names.ts";
import type { Quirks } from "./refusals/quirks.ts";

/**
 * The request with a placeholder for each tool that was called earlier, if it offers none: some gateways refuse calls in
 * a conversation without the tools that they belong to.
 */
export function withCalledTools(request: ModelRequest, quirks: Quirks): ModelRequest {
	if (request.tools.length > 0 || !quirks.has("tools-with-calls")) return request;
	const names = request.input.flatMap((item) => (item.kind === "toolCall" ? [wireName(item.name)] : []));
	return { ...request, tools: [...new Set(names)].map((name) => ({ name, ...PLACEHOLDER })) };
}

const PLACEHOLDER = {
	description: "Not available for this request. Answer in words.",
	parameters: { type: "object", properties: {} },
};
