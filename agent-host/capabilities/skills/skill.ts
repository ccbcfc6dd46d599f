import type { SkillOffer } from "../../envelope/envelope.ts";
import type { TreeFile } from "../../workspace/files/read-tree.ts";

/** A folder of skills. */
export interface SkillRoot {
	readonly folder: string;
	readonly origin: "user" | "workspace";
	/** Distinguishes a skill from the user's skill of the same name. */
	readonly prefix: string;
	/** The one name in it that counts; absent if all do. */
	readonly only?: string;
}

/** A skill as it is on disk. */
export interface Skill extends SkillOffer, Pick<SkillRoot, "prefix"> {
	/** All of SKILL.md, as people wrote it. */
	readonly text: string;
	readonly files: readonly TreeFile[];
}

/** What a folder of skills contains. */
export interface FoundSkills {
	readonly skills: readonly Skill[];
	/** One sentence for each that cannot be used. */
	readonly problems: readonly string[];
}
