import * as z from "zod";
import { stripComments } from "../strip-comments.ts";
import { type ManifestPaths, PLACED, readManifestPaths } from "./manifest-paths.ts";

const MAX_TEXT_CHARS = 1_024;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/;

/** What the formats of Agent Plugins, Claude Code and Codex have in common. Addresses in it are never fetched. */
const Manifest = z.looseObject({
	name: z.string(),
	version: z.string().max(MAX_TEXT_CHARS).default(""),
	description: z.string().default(""),
});

const READ = new Set<string>([
	...PLACED,
	...["$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"],
	"extensions",
]);

export interface ParsedManifest {
	readonly name: string;
	readonly version: string;
	readonly about: string;
	readonly placed: Omit<ManifestPaths, "problems">;
	/** One sentence for each field that is not used. */
	readonly problems: readonly string[];
}

/** Reads a plugin's manifest; a text says why it cannot be used. */
export function parseManifest(text: string): ParsedManifest | string {
	const manifest = Manifest.safeParse(parseJson(text)).data;
	if (manifest === undefined) return "its manifest is not valid JSON with a name";
	const { name, version, description } = manifest;
	if (!NAME.test(name)) return "its name must have at most 64 lowercase letters, digits, dots and hyphens";
	const { problems, ...placed } = readManifestPaths(manifest);
	return {
		name,
		version: oneLine(version),
		about: oneLine(description),
		placed,
		problems: [
			...problems,
			...Object.keys(manifest)
				.filter((key) => !READ.has(key))
				.map((key) => `${oneLine(key)} in its manifest is not used.`),
		],
	};
}

function oneLine(text: string): string {
	return text
		.replaceAll(/[\s\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu, " ")
		.trim()
		.slice(0, MAX_TEXT_CHARS)
		.toWellFormed();
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(stripComments(text.replace(/^\uFEFF/, "")));
	} catch {
		return undefined;
	}
}
