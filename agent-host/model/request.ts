import type { TurnEnvelope } from "../envelope/envelope.ts";
import { withoutBounds } from "../envelope/without-bounds.ts";
import type { HistoryItem } from "../history/history-item.ts";
import { normalizeHistory, projectHistory } from "../history/normalize.ts";
import type { ModelRequest, ToolSpecification } from "./port.ts";

/** A tool, with its description under a policy if that differs. */
interface OfferedTool extends ToolSpecification {
	readonly describeUnder?: (
		policy: TurnEnvelope["policy"]["value"],
	) => Pick<ToolSpecification, "description" | "parameters"> | undefined;
}

/** Offered where the tools of servers are not listed. */
const FINDS_TOOLS = "find_server_tools";

/** The request of a step: a function of the envelope, the history and the tools it names. */
export function buildRequest(
	envelope: TurnEnvelope,
	history: readonly HistoryItem[],
	tools: readonly OfferedTool[],
): ModelRequest {
	const { identity, instructions, capabilities, policy } = envelope;
	const { outputSchema } = instructions;
	const offered = new Set(capabilities.tools);
	return {
		model: identity.model,
		instructions: instructions.base,
		input: projectHistory(normalizeHistory(history), identity.abilities.images ? "images" : "text"),
		tools: [
			...tools
				.filter((tool) => offered.has(tool.name))
				.map((tool) => {
					const { name, freeForm, describeUnder } = tool;
					const { description, parameters } = describeUnder?.(policy.value) ?? tool;
					return { name, description, parameters, ...(freeForm === undefined ? {} : { freeForm }) };
				}),
			// Where they are too many, the model finds them. Threads of older releases have none.
			...(offered.has(FINDS_TOOLS) ? [] : (capabilities.serverTools ?? [])).map(
				({ name, description, parameters }) => ({
					name,
					description,
					parameters: withoutBounds(parameters),
				}),
			),
		],
		cacheKey: identity.threadId,
		...identity.request,
		...(outputSchema === undefined ? {} : { outputSchema: { name: "answer", schema: outputSchema } }),
	};
}
