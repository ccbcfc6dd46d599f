import { estimateTokens, mostTokens } from "../history/tokens.ts";
import type { ModelRequest, ToolSpecification } from "./port.ts";

const known = new WeakMap<readonly ToolSpecification[], string>();

/** The tools of a request as one text. Needed several times per request, so cached per list. */
export function toolsText(tools: readonly ToolSpecification[]): string {
	const found = known.get(tools) ?? JSON.stringify(tools);
	known.set(tools, found);
	return found;
}

let last = { instructions: "", tools: "", tokens: 0 };

/** Tokens of a request before its input. Most requests of a host begin the same, so the last count is cached. */
export function countFixed({ instructions, tools }: Pick<ModelRequest, "instructions" | "tools">): number {
	const text = toolsText(tools);
	// Both are the same objects from turn to turn, which comparing them apart finds out without looking inside.
	if (instructions !== last.instructions || text !== last.tools)
		last = { instructions, tools: text, tokens: estimateTokens(instructions + text) };
	return last.tokens;
}

/** At least as many, without looking at the text. */
export function mostFixed({ instructions, tools }: Pick<ModelRequest, "instructions" | "tools">): number {
	return mostTokens(instructions.length + toolsText(tools).length);
}
