import { estimateTokens, mostTokens } from "../history/tokens.ts";
import type { ModelRequest, ToolSpecification } from "./port.ts";

const known = new WeakMap<readonly ToolSpecification[], string>();

/** The tools of a request as one text. Needed several times per request, so cached per list. */
export function toolsText(tools: readonly ToolSpecification[]): string {
	const found = known.get(tools) ?? JSON.stringify(tools);
	known.set(tools, found);
	return found;
}

let last: { readonly text: string; readonly tokens: number } = { text: "", tokens: 0 };

/** Tokens of a request before its input. Most requests of a host begin the same, so the last count is cached. */
export function countFixed({ instructions, tools }: Pick<ModelRequest, "instructions" | "tools">): number {
	const text = instructions + toolsText(tools);
	if (text !== last.text) last = { text, tokens: estimateTokens(text) };
	return last.tokens;
}

/** At least as many, without looking at the text. */
export function mostFixed({ instructions, tools }: Pick<ModelRequest, "instructions" | "tools">): number {
	return mostTokens(instructions.length + toolsText(tools).length);
}
