import * as z from "zod";

/** The JSON objects of a file with one on each line. A line that is none is skipped: the last one may be cut off. */
export function readJsonLines(text: string): readonly Readonly<Record<string, unknown>>[] {
	return text.split("\n").flatMap((line) => {
		try {
			const value: unknown = JSON.parse(line);
			return typeof value === "object" && value !== null && !Array.isArray(value) ? [{ ...value }] : [];
		} catch {
			return [];
		}
	});
}

/** Milliseconds since 1970 of an ISO time; 0 if there is none. */
export function readTime(value: unknown): number {
	const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
	return Number.isNaN(at) || at < 0 ? 0 : at;
}

const Block = z.looseObject({ text: z.string() });

/** The text in what agents write as content: a string, or blocks of which some have a text. */
export function readText(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.flatMap((block) => Block.safeParse(block).data?.text ?? []).join("\n");
}

/** Context that an agent put before the user's words: a tag or the text of an instructions file. */
export function isInjected(text: string): boolean {
	return /^\s*(?:<[a-z][\w-]*>|# AGENTS\.md instructions|Caveat: The messages below)/.test(text);
}
