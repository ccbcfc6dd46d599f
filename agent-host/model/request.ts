import type { ServerTool, TurnEnvelope } from "../envelope/envelope.ts";
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
	return {
		model: identity.model,
		instructions: instructions.base,
		input: projectHistory(normalizeHistory(history), identity.abilities.images ? "images" : "text"),
		tools: specify(tools, policy.value, capabilities),
		cacheKey: identity.threadId,
		...identity.request,
		...(outputSchema === undefined ? {} : { outputSchema: { name: "answer", schema: outputSchema } }),
	};
}

type Capabilities = TurnEnvelope["capabilities"];
type Policy = TurnEnvelope["policy"]["value"];

interface Specified extends Pick<Capabilities, "tools" | "serverTools"> {
	readonly of: readonly OfferedTool[];
	readonly list: readonly ToolSpecification[];
}

/** The last list of each policy, which is the same object from turn to turn. */
const known = new WeakMap<Policy, Specified>();

/** The tools of a request; the same list as before if nothing that it depends on has changed. */
function specify(
	of: readonly OfferedTool[],
	policy: Policy,
	// Threads of older releases have no tools of servers.
	{ tools, serverTools = [] }: Capabilities,
): readonly ToolSpecification[] {
	const before = known.get(policy);
	const isSame =
		before?.of === of && areEqual(before.tools, tools) && areEqual(before.serverTools, serverTools, isSameTool);
	if (isSame) return before.list;
	const offered = new Set(tools);
	const list = [
		...of
			.filter((tool) => offered.has(tool.name))
			.map((tool) => {
				const { name, freeForm, describeUnder } = tool;
				const { description, parameters } = describeUnder?.(policy) ?? tool;
				return { name, description, parameters, ...(freeForm === undefined ? {} : { freeForm }) };
			}),
		// Where they are too many, the model finds them.
		...(offered.has(FINDS_TOOLS) ? [] : serverTools).map(({ name, description, parameters }) => ({
			name,
			description,
			parameters: withoutBounds(parameters),
		})),
	];
	known.set(policy, { of, tools, serverTools, list });
	return list;
}

function areEqual<T>(before: readonly T[], now: readonly T[], isSame = (a: T, b: T) => a === b): boolean {
	return before === now || (before.length === now.length && now.every((one, at) => isSame(before[at] as T, one)));
}

/** A digest covers everything that a server says about a tool. */
function isSameTool(a: ServerTool, b: ServerTool): boolean {
	return a === b || (a.name === b.name && a.digest === b.digest);
}
