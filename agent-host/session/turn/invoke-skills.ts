import type { Fragment } from "../../context/fragment.ts";
import { fitOffers } from "../../envelope/fit-offers.ts";
import type { TurnId } from "../../protocol/ids.ts";
import { asMessage, type Said, say } from "../../protocol/say.ts";
import { readSkills } from "../brought/read-skills.ts";
import type { Draft } from "../thread/live-thread.ts";
import type { Turn } from "../thread/running-turn.ts";

/** The texts of skills that the user invoked, and what to record about those that could not be read. */
export interface InvokedSkills {
	readonly fragments: readonly Fragment[];
	readonly drafts: readonly Draft[];
}

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
