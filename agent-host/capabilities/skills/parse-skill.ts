import { readFlag, readFrontMatter, readText } from "../front-matter.ts";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 64;
const MAX_ABOUT_CHARS = 1_024;

/** The facts of a SKILL.md. */
export interface ParsedSkill {
	readonly name: string;
	readonly about: string;
	readonly body: string;
	readonly argumentHint: string;
	readonly byModel: boolean;
	readonly byUser: boolean;
}

/** Reads SKILL.md; a text says why it cannot be used. The folder's name is the skill's. */
export function parseSkill(text: string, folder: string): ParsedSkill | string {
	const front = readFrontMatter(text);
	const name = readText(front, "name") ?? folder;
	const about = readText(front, "description") ?? "";
	if (!NAME.test(name) || name.length > MAX_NAME_CHARS) {
		return `its name must have at most ${MAX_NAME_CHARS} lowercase letters, digits and single hyphens`;
	}
	if (name !== folder) return `its name is ${name}, but its folder is ${folder}`;
	if (about === "") return "it has no description";
	return {
		name,
		about: about.replaceAll(/\s+/g, " ").slice(0, MAX_ABOUT_CHARS).toWellFormed(),
		body: front.body,
		argumentHint: readText(front, "argument-hint") ?? "",
		byModel: readFlag(front, "disable-model-invocation") !== true,
		byUser: readFlag(front, "user-invocable") !== false,
	};
}
