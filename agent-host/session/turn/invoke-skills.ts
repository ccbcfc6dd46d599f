import { findMentions } from "../../capabilities/skills/offer.ts";
import type { Fragment } from "../../context/fragment.ts";
import { skill as skillFragment } from "../../context/fragments/user-actions.ts";
import type { SkillOffer } from "../../envelope/envelope.ts";
import { fitOffers } from "../../envelope/fit-offers.ts";
import type { TurnId } from "../../protocol/ids.ts";
import { asMessage, type Said, say } from "../../protocol/say.ts";
import type { ToolPorts } from "../../tools/tool-ports.ts";
import type { Draft } from "../thread/live-thread.ts";
import type { Turn } from "../thread/running-turn.ts";

/** The texts of skills that the user invoked, and what to record about those that could not be read. */
export interface InvokedSkills {
	readonly fragments: readonly Fragment[];
	readonly drafts: readonly Draft[];
}

type ReadSkill = { readonly fragment: Fragment } | { readonly name: string; readonly reason: string };

/** Loads the skills that the prompt names, and those of the input, each once. */
export async function invokeSkills(turn: Turn): Promise<InvokedSkills> {
	const { envelope, prompt, skillsAsked, tools } = turn;
	const { turnId } = envelope.identity;
	const read = await readSkills(envelope.capabilities.skills, prompt, skillsAsked, tools.useSkill);
	return {
		fragments: read.flatMap((one) => ("fragment" in one ? [one.fragment] : [])),
		drafts: [
			...warnShortened(turn),
			...read.flatMap((one) => ("fragment" in one ? [] : [warnAboutSkill(turnId, say("skill-unused", one))])),
		],
	};
}

/** Once in a thread for the same list. */
function warnShortened({ thread, envelope }: Turn): readonly Draft[] {
	const { turnId, budgets } = envelope.identity;
	const listed = envelope.capabilities.skills.filter(({ byModel }) => byModel);
	const { shortened, omitted } = fitOffers(listed, budgets.skills);
	const said = say("skills-shortened", { shortened, omitted });
	if (shortened + omitted === 0 || thread.warned.has(said.text)) return [];
	thread.warned.add(said.text);
	return [warnAboutSkill(turnId, said)];
}

export function warnAboutSkill(turnId: TurnId, said: Said): Draft {
	return { kind: "event", event: { type: "warning", turnId, code: "skill", ...asMessage(said) } };
}

/** The text of each skill that a message names or asks for, or why there is none. */
export async function readSkills(
	skills: readonly SkillOffer[],
	prompt: string,
	asked: Turn["skillsAsked"],
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
