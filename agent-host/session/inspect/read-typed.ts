import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import type { contextInspect } from "../../protocol/thread/context.ts";
import { readableUnder } from "../../workspace/files/readable.ts";
import { readSkills } from "../brought/read-skills.ts";
import { createUseSkill } from "../brought/use-skill.ts";
import { loadImages } from "../start/load-images.ts";
import type { Opening } from "../start/opening-items.ts";
import { refuseClosedTexts } from "../start/refuse-closed-texts.ts";
import { listSkills, readPrompt } from "../start/turn-input.ts";

/** What the user has typed and attached so far. */
export type Typed = NonNullable<ParsedParamsOf<typeof contextInspect>["input"]>;

const NOTHING = { prompt: [], invoked: [] };

/**
 * What it would add to the next request; refused as a turn would be. Hooks and prompts of MCP servers run only with a
 * turn, so what they add is not known.
 */
export async function readTyped(input: Typed, envelope: TurnEnvelope): Promise<Pick<Opening, "prompt" | "invoked">> {
	const hasPrompt = input.some((part) => part.kind === "skill" || (part.kind === "text" && part.text.trim() !== ""));
	if (!hasPrompt) return NOTHING;
	const { capabilities, policy } = envelope;
	await refuseClosedTexts(input, envelope);
	const text = readPrompt(input);
	const images = await loadImages(input, envelope);
	const useSkill = createUseSkill(capabilities.skills, async () => readableUnder(policy.value));
	const skills = await readSkills(capabilities.skills, text, listSkills(input), useSkill);
	return {
		prompt: [{ kind: "userMessage", text }, ...images],
		invoked: skills.flatMap((one) => ("fragment" in one ? [one.fragment] : [])),
	};
}
