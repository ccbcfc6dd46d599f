import type { ServerTool } from "../envelope/envelope.ts";

/** What a word counts for, by where it is. */
const IN_NAME = 4;
const IN_PARAMETERS = 1;
const IN_DESCRIPTION = 1;

/** The tools that a query is most likely about, best first; rare words count more than common ones. */
export function rankServerTools(tools: readonly ServerTool[], query: string, limit: number): readonly ServerTool[] {
	const asked = [...new Set(splitWords(query))];
	const known = tools.map((tool) => ({ tool, words: weighWords(tool) }));
	const rarity = new Map(
		asked.map((word) => [
			word,
			Math.log(1 + known.length / (1 + known.filter(({ words }) => find(words, word) > 0).length)),
		]),
	);
	return known
		.map(({ tool, words }) => ({
			tool,
			score: asked.reduce((sum, word) => sum + find(words, word) * (rarity.get(word) ?? 0), 0),
		}))
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
		.slice(0, limit)
		.map(({ tool }) => tool);
}

/** A word also finds longer ones that begin with it, such as "issue" in "issues". */
function find(words: ReadonlyMap<string, number>, asked: string): number {
	const exact = words.get(asked);
	if (exact !== undefined) return exact;
	const longer = [...words].filter(([word]) => word.startsWith(asked) || (word.length > 3 && asked.startsWith(word)));
	return Math.max(0, ...longer.map(([, weight]) => weight)) / 2;
}

function weighWords({ server, tool, description, parameters }: ServerTool): ReadonlyMap<string, number> {
	const weights = new Map<string, number>();
	const add = (text: string, weight: number): void => {
		for (const word of splitWords(text)) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
	};
	add(description, IN_DESCRIPTION);
	add(Object.keys(Object(parameters.properties)).join(" "), IN_PARAMETERS);
	add(`${server} ${tool}`, IN_NAME);
	return weights;
}

/** "listIssues" and "list_issues" are the same two words. */
function splitWords(text: string): readonly string[] {
	return (
		text
			.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? []
	);
}
