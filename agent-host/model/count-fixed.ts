import { estimateTokens } from "../history/tokens.ts";
import type { ModelRequest } from "./port.ts";
import { toolsText } from "./tools-text.ts";

let last: { readonly text: string; readonly tokens: number } = { text: "", tokens: 0 };

/** Tokens of a request before its input. Most requests of a host begin the same, so the last count is kept. */
export function countFixed({ instructions, tools }: Pick<ModelRequest, "instructions" | "tools">): number {
	const text = instructions + toolsText(tools);
	if (text !== last.text) last = { text, tokens: estimateTokens(text) };
	return last.tokens;
}
