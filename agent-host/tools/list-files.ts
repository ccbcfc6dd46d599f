import * as z from "zod";
import { matchesGlob } from "../permissions/reach/glob.ts";
import { oneLine } from "../permissions/words/one-line.ts";
import { say } from "../protocol/say.ts";
import { clampedInt } from "./parameters.ts";
import { defineTool } from "./tool.ts";

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 5_000;
/** Limit for the files visited to fill a listing that a pattern filters. */
const MAX_VISITED = 100_000;
/** Paths matched against a pattern in one go: few enough that other work, such as Stop, gets its turn soon. */
const PATHS_AT_ONCE = 100;

export const listFiles = defineTool({
	name: "list_files",
	description: "List the files under a folder, without those in .gitignore.",
	needs: "read",
	input: z.object({
		path: z.string().min(1).max(4_096).default("."),
		pattern: z.string().min(1).max(500).optional().describe("Glob with *, ** and ?, such as src/**/*.ts"),
		limit: clampedInt(1, MAX_LIMIT).default(DEFAULT_LIMIT),
	}),
	title: ({ path, pattern }) => {
		if (path === ".")
			return pattern === undefined ? say("call-list-here") : say("call-list-matching-here", { pattern });
		return pattern === undefined ? say("call-list", { path }) : say("call-list-matching", { pattern, path });
	},
	access: ({ path }, at, ports) => ports.lookUp(at(path)),
	async run({ path, pattern, limit }, at, ports, signal) {
		const listing = await ports.listFiles(at(path), pattern === undefined ? limit : MAX_VISITED, signal);
		if ("ok" in listing) return listing;
		const matching = pattern === undefined ? listing.paths : await matchingIn(listing.paths, pattern, signal);
		const shown = matching.slice(0, limit).map(oneLine);
		if (shown.length === 0) return { ok: true, text: "No files." };
		const cut = listing.cut ?? (shown.length < matching.length ? `only the first ${limit} are shown` : undefined);
		return { ok: true, text: cut === undefined ? shown.join("\n") : `${shown.join("\n")}\n[${cut}]` };
	},
});

async function matchingIn(paths: readonly string[], pattern: string, signal: AbortSignal): Promise<readonly string[]> {
	const matching: string[] = [];
	for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
		await new Promise(setImmediate);
		signal.throwIfAborted();
		const some = paths.slice(from, from + PATHS_AT_ONCE).filter((path) => matchesGlob(pattern, path));
		matching.push(...some);
	}
	return matching;
}
