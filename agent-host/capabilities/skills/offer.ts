import type { SkillOffer } from "../../envelope/envelope.ts";
import { fillArguments } from "../fill-arguments.ts";
import { readFrontMatter } from "../front-matter.ts";
import type { Skill } from "./skill.ts";

/**
 * The skills of a turn under names of their own. The user's come first; on a clash the other one is called after its
 * folder, too.
 */
export function nameSkills(skills: readonly Skill[], off: readonly string[]): readonly SkillOffer[] {
	const named = new Map<string, SkillOffer>();
	for (const skill of skills) {
		const name = named.has(skill.name) ? `${skill.prefix}:${skill.name}` : skill.name;
		if (named.has(name)) continue;
		const { path, digest, about, argumentHint, byModel, byUser, origin } = skill;
		named.set(name, { name, about, path, digest, argumentHint, byModel, byUser, origin });
	}
	return [...named.values()].filter(({ name }) => !off.includes(name));
}

/** The text of a skill or command for the model: what to do, and which files are beside it. */
export function renderSkill(
	{ name, path }: SkillOffer,
	{ text, files }: Pick<Skill, "text" | "files">,
	given: string,
): string {
	const { body } = readFrontMatter(text);
	if (files[0]?.path === "") return fillArguments(body, given);
	const others = files.filter((file) => file.path !== "SKILL.md").map((file) => `- ${file.path}`);
	return [
		`This skill is in ${path}.`,
		...(others.length === 0 ? [] : [`Its files (read one with use_skill, name "${name}" and file):`, ...others]),
		"",
		fillArguments(body, given),
	].join("\n");
}

const MENTION = /(?<![\w$/.-])\$([a-z0-9]+(?:[:/-][a-z0-9]+)*)/g;
const COMMAND = /^[/$]([a-z0-9]+(?:[:/-][a-z0-9]+)*)(?:\s([\s\S]*))?$/;

/** The skills that a prompt names with `$name`, with what follows a name at its beginning, which may also be `/name`. */
export function findMentions(
	prompt: string,
	skills: readonly SkillOffer[],
): readonly { readonly skill: SkillOffer; readonly given: string }[] {
	const byName = new Map(skills.filter(({ byUser }) => byUser).map((skill) => [skill.name, skill]));
	const [, command = "", given = ""] = COMMAND.exec(prompt.trim()) ?? [];
	const names = [...prompt.matchAll(MENTION)].map(([, name = ""]) => name);
	const called = byName.get(command);
	const mentioned = [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
	return [
		...(called === undefined ? [] : [{ skill: called, given: given.trim() }]),
		...mentioned.filter((skill) => skill !== called).map((skill) => ({ skill, given: "" })),
	];
}
