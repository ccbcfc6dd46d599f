import type { RecordedRequest } from "./fake-model-request.ts";
import type { Usage } from "./fake-model-steps.ts";

/** The conversation of a request, and everything else in it, without the marks of the cache. */
export function splitRequest(text: string): { readonly said: readonly unknown[]; readonly rest: string } {
	const unmarked = (key: string, value: unknown) => (key === "cache_control" || key === "streamId" ? undefined : value);
	const { input, messages, contents, ...rest } = JSON.parse(text, unmarked);
	return { said: input ?? messages ?? contents, rest: JSON.stringify(rest) };
}

/** Counts as a server with a cache does: what an earlier request began with is read from there. */
export function createPrefixCache(): (request: Pick<RecordedRequest, "text">) => Usage {
	const seen: (readonly string[])[] = [];
	return ({ text }) => {
		const { said, rest } = splitRequest(text);
		const parts = [rest, ...said.map((item) => JSON.stringify(item))];
		const known = Math.max(0, ...seen.map((before) => lengthInCommon(before, parts)));
		seen.push(parts);
		return { input: tokens(parts), cached: tokens(parts.slice(0, known)), output: 10, reasoning: 0 };
	};
}

function lengthInCommon(before: readonly string[], parts: readonly string[]): number {
	const end = parts.findIndex((part, index) => part !== before[index]);
	return end < 0 ? parts.length : end;
}

/** One for each character: enough that every provider would cache them. */
function tokens(parts: readonly string[]): number {
	return parts.join("").length;
}
