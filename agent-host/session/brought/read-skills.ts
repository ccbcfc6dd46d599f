import { findMentions } from "../../capabilities/skills/offer.ts";
import type { Fragment } from "../../context/fragment.ts";
import { skill as skillFragment } from "../../context/fragments/user-actions.ts";
import type { SkillOffer } from "../../envelope/envelope.ts";
import type { ToolPorts } from "../../tools/tool-ports.ts";

type ReadSkill = { readonly fragment: Fragment } | { readonly name: string; readonly reason: string };

/** The text of each skill that a message names or asks for, or why there is none. */
export async function readSkills(
	skills: readonly SkillOffer[],
	prompt: string,
	asked: readonly { readonly name: string; readonly arguments?: string | undefined }[],
	useSkill: ToolPorts["useSkill"],
): Promise<readonly ReadSkill[]> {
	const given = new Map(findMentions(prompt, skills).map(({ skill, given }) => [skill.name, given]));
	for (const { name, arguments: words = "" } of asked) given.set(name, words);
	return Promise.all(
		[...given].map(async ([name, words]) => {
			const read = await useSkill({ name, given: words });
			return read.ok ? { fragment: skillFragment.of({ name, text: read.text }) } : { name, reason: read.reason };
		}),
	);
}
