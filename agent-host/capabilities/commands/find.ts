import { join } from "node:path";
import { isInside } from "../../permissions/reach/reach.ts";
import { listFilesEnding } from "../../workspace/files/list-folders.ts";
import { readHashed, readTree } from "../../workspace/files/read-tree.ts";
import type { Readable } from "../../workspace/files/readable.ts";
import { readFrontMatter, readText } from "../front-matter.ts";
import type { FoundSkills, Skill, SkillRoot } from "../skills/skill.ts";

/** A folder of commands, and how their files are called. */
export interface CommandRoot extends SkillRoot {
	readonly ending: string;
}

const MAX_COMMAND_BYTES = 60_000;
const MAX_COMMANDS = 200;
const MAX_ABOUT_CHARS = 200;

export function listUserCommandRoots(home: string, userHome: string): readonly CommandRoot[] {
	return [join(home, "commands"), join(userHome, ".claude/commands")].map((folder) => {
		return { folder, origin: "user", prefix: "user", ending: ".md" };
	});
}

/** The common places of the workspace folder that the working folder is in. */
export function listWorkspaceCommandRoots(cwd: string, roots: readonly string[]): readonly CommandRoot[] {
	const root = roots.find((folder) => isInside(cwd, folder));
	if (root === undefined) return [];
	const own = { origin: "workspace", prefix: "workspace" } as const;
	return [
		{ ...own, folder: join(root, ".claude/commands"), ending: ".md" },
		{ ...own, folder: join(root, ".github/prompts"), ending: ".prompt.md" },
	];
}

/** The commands of one folder: skills that consist of one file and that only the user invokes. */
export async function findCommands(
	{ folder, origin, prefix, ending, only: wanted }: CommandRoot,
	readable: Readable,
	now?: number,
): Promise<FoundSkills> {
	const skills: Skill[] = [];
	const problems: string[] = [];
	const named = (await listFilesEnding(folder, ending)).filter((file) => (wanted ?? file) === file);
	for (const file of named.slice(0, MAX_COMMANDS)) {
		const path = join(folder, file);
		const tree = await readTree(path, readable, now);
		const [only] = "problem" in tree ? [] : tree.files;
		// What the user is shown is what was hashed, also if a program changes the file right now.
		const read =
			only === undefined || only.bytes > MAX_COMMAND_BYTES ? undefined : await readHashed(path, only.hash, readable);
		if ("problem" in tree || !read?.ok) {
			problems.push(`The command ${path} is not used: it cannot be read, or has more than ${MAX_COMMAND_BYTES} bytes.`);
			continue;
		}
		const front = readFrontMatter(read.text);
		const name = nameCommand(file.slice(0, -ending.length));
		if (name === "") continue;
		skills.push({
			name,
			about: (readText(front, "description") ?? front.body.trim().split("\n", 1)[0] ?? "").slice(0, MAX_ABOUT_CHARS),
			argumentHint: readText(front, "argument-hint") ?? "",
			path,
			digest: tree.digest,
			text: read.text,
			files: tree.files,
			origin,
			prefix,
			byModel: false,
			byUser: true,
		});
	}
	return { skills, problems };
}

function nameCommand(file: string): string {
	return file
		.toLowerCase()
		.split(/[^a-z0-9]+/)
		.filter((part) => part !== "")
		.join("-");
}
