import { join } from "node:path";
import { renderSkill } from "../../capabilities/skills/offer.ts";
import type { SkillOffer } from "../../envelope/envelope.ts";
import type { FileText, SkillRequest } from "../../tools/tool-ports.ts";
import { readHashed, readTree } from "../../workspace/files/read-tree.ts";
import type { Readable } from "../../workspace/files/readable.ts";

const MAIN = "SKILL.md";

/** Reads skills of a turn. Whatever has changed since the user agreed is not read. */
export function createUseSkill(
	skills: readonly SkillOffer[],
	readable: () => Promise<Readable>,
): (request: SkillRequest) => Promise<FileText> {
	return async ({ name, given, file }) => {
		const skill = skills.find((one) => one.name === name);
		if (skill === undefined) return refuse(`There is no skill ${name}. Skills: ${listNames(skills)}.`);
		// The user's own files are outside of every workspace.
		const mayRead: Readable = skill.origin === "user" ? () => true : await readable();
		const tree = await readTree(skill.path, mayRead);
		if ("problem" in tree || tree.digest !== skill.digest) {
			return refuse(
				`The skill ${name} has changed since the turn began. The user is asked about it with the next turn.`,
			);
		}
		const isCommand = tree.files[0]?.path === "";
		const wanted = isCommand ? "" : file === undefined ? MAIN : file.replace(/^\.\//, "");
		// Only what was hashed, by exactly its name: no path leads out of the folder.
		const known = tree.files.find(({ path }) => path === wanted);
		if (known === undefined) {
			return refuse(
				`The skill ${name} has no file ${wanted}. Files: ${tree.files.map(({ path }) => path).join(", ")}.`,
			);
		}
		const read = await readHashed(join(skill.path, wanted), known.hash, mayRead);
		if (!read.ok) return read;
		return file === undefined
			? { ok: true, text: renderSkill(skill, { text: read.text, files: tree.files }, given) }
			: read;
	};
}

function listNames(skills: readonly SkillOffer[]): string {
	return skills.map(({ name }) => name).join(", ") || "none";
}

function refuse(reason: string): FileText {
	return { ok: false, reason };
}
