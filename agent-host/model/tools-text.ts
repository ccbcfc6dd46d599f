import type { ToolSpecification } from "./port.ts";

const known = new WeakMap<readonly ToolSpecification[], string>();

/** The tools of a request as one text. Several ask for it at each request, so it is made once for each list. */
export function toolsText(tools: readonly ToolSpecification[]): string {
	const found = known.get(tools) ?? JSON.stringify(tools);
	known.set(tools, found);
	return found;
}
