import { dirname, join, relative } from "node:path";
import { isInside } from "../../permissions/reach/reach.ts";
import { listFolders } from "../../workspace/files/list-folders.ts";
import { readHashed, readTree } from "../../workspace/files/read-tree.ts";
import type { Readable } from "../../workspace/files/readable.ts";
import { parseSkill } from "./parse-skill.ts";
import type { FoundSkills, Skill, SkillRoot } from "./skill.ts";

const FILE = "SKILL.md";
/** The text of a skill for the model; more belongs in files beside it. */
export const MAX_SKILL_BYTES = 60_000;
/** Limit for the skills of one folder. */
const MAX_SKILLS = 500;
const USER_FOLDERS = [".agents/skills", ".claude/skills"];
const WORKSPACE_FOLDERS = [".agents/skills", ".claude/skills", ".github/skills"];
const MAX_DEPTH = 32;

/** Where the user keeps skills of their own: the first one wins. */
export function listUserRoots(home: string, userHome: string): readonly SkillRoot[] {
	return [join(home, "skills"), ...USER_FOLDERS.map((folder) => join(userHome, folder))].map((folder) => ({
		folder,
		origin: "user",
		prefix: "user",
	}));
}

/** The folders of skills from the workspace folder down to the working folder, the nearest first. */
export function listWorkspaceRoots(cwd: string, roots: readonly string[]): readonly SkillRoot[] {
	const root = roots.find((folder) => isInside(cwd, folder));
	if (root === undefined) return [];
	const found: SkillRoot[] = [];
	for (let folder = cwd, depth = 0; depth < MAX_DEPTH; folder = dirname(folder), depth += 1) {
		const prefix = relative(root, folder).replaceAll("\\", "/") || "workspace";
		found.push(
			...WORKSPACE_FOLDERS.map((name) => ({ folder: join(folder, name), origin: "workspace" as const, prefix })),
		);
		if (folder === root || folder === dirname(folder)) break;
	}
	return found;
}

/** The skills of one folder, one level deep. One that cannot be read whole is left out with the reason. */
export async function findSkills(
	{ folder, origin, prefix, only }: SkillRoot,
	readable: Readable,
	now?: number,
): Promise<FoundSkills> {
	const names = (await listFolders(folder, FILE)).filter((name) => (only ?? name) === name);
	const skills: Skill[] = [];
	const problems: string[] = [];
	for (const name of names.slice(0, MAX_SKILLS)) {
		const path = join(folder, name);
		const skill = await loadSkill(path, name, readable, now);
		if (typeof skill === "string") problems.push(`The skill ${path} is not used: ${skill}.`);
		else skills.push({ ...skill, origin, prefix });
	}
	if (names.length > MAX_SKILLS)
		problems.push(`Only the first ${MAX_SKILLS} of ${names.length} skills in ${folder} are used.`);
	return { skills, problems };
}

async function loadSkill(
	path: string,
	name: string,
	readable: Readable,
	now: number | undefined,
): Promise<Omit<Skill, "origin" | "prefix"> | string> {
	const tree = await readTree(path, readable, now);
	if ("problem" in tree) return tree.problem.replace(/\.$/, "");
	const main = tree.files.find((file) => file.path === FILE);
	if (main === undefined) return `${FILE} cannot be read`;
	if (main.bytes > MAX_SKILL_BYTES) return `${FILE} has more than ${MAX_SKILL_BYTES} bytes`;
	// What the user is shown is what was hashed, also if a program changes the file right now.
	const read = await readHashed(join(path, FILE), main.hash, readable);
	if (!read.ok) return read.reason.replace(/\.$/, "");
	const parsed = parseSkill(read.text, name);
	if (typeof parsed === "string") return parsed;
	const { body: _, ...facts } = parsed;
	return { ...facts, path, digest: tree.digest, text: read.text, files: tree.files };
}
