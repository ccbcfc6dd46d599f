import { join } from "node:path";
import type { AgentOffer } from "../../envelope/envelope.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { listFilesEnding } from "../../workspace/files/list-folders.ts";
import { readHashed, readTree } from "../../workspace/files/read-tree.ts";
import type { Readable } from "../../workspace/files/readable.ts";
import type { Customization } from "../consent/customization.ts";
import { type ParsedAgent, parseAgent } from "./parse-agent.ts";

const MAX_FILE_BYTES = 60_000;
/** Limit for the files of one folder. */
const MAX_FILES = 100;

/** A folder of agent files, and how they are called. */
export interface AgentRoot {
	readonly folder: string;
	readonly ending: string;
	readonly origin: "user" | "workspace";
	/** The one file of it that counts; absent if all do. */
	readonly only?: string;
}

/** A file that defines a role of sub-agents. */
export interface AgentFile extends AgentOffer {
	/** All of it, as people wrote it. */
	readonly text: string;
}

export interface FoundAgents {
	readonly agents: readonly AgentFile[];
	/** One sentence for each that cannot be used as it is. */
	readonly problems: readonly string[];
}

export function listUserAgentRoots(home: string, userHome: string): readonly AgentRoot[] {
	return [join(home, "agents"), join(userHome, ".claude/agents")].map((folder) => {
		return { folder, ending: ".md", origin: "user" };
	});
}

/** The common places of the workspace folder that the working folder is in. */
export function listWorkspaceAgentRoots(cwd: string, roots: readonly string[]): readonly AgentRoot[] {
	const root = roots.find((folder) => isInside(cwd, folder));
	if (root === undefined) return [];
	return [
		{ folder: join(root, ".claude/agents"), ending: ".md", origin: "workspace" },
		{ folder: join(root, ".github/agents"), ending: ".agent.md", origin: "workspace" },
	];
}

/** The agent files of some folders. */
export async function findAgents(roots: readonly AgentRoot[], readable: Readable, now?: number): Promise<FoundAgents> {
	const agents: AgentFile[] = [];
	const problems: string[] = [];
	for (const { folder, ending, origin, only } of roots) {
		const named = (await listFilesEnding(folder, ending)).filter((file) => (only ?? file) === file);
		for (const file of named.slice(0, MAX_FILES)) {
			const path = join(folder, file);
			const read = await readAgentFile(path, readable, now);
			if (typeof read === "string") {
				problems.push(`The agent file ${path} is not used: ${read}.`);
				continue;
			}
			const { name, about, unknownTools } = read.parsed;
			agents.push({ name, about, path, digest: read.digest, origin, text: read.text });
			if (unknownTools.length > 0)
				problems.push(`The agent ${name} does without tools that do not exist here: ${unknownTools.join(", ")}.`);
		}
	}
	return { agents, problems };
}

/** What an agent file says, and what identifies it; a text says why it cannot be used. */
export async function readAgentFile(
	path: string,
	readable: Readable,
	now?: number,
): Promise<{ readonly parsed: ParsedAgent; readonly digest: string; readonly text: string } | string> {
	const tree = await readTree(path, readable, now);
	if ("problem" in tree) return tree.problem.replace(/\.$/, "");
	const [only] = tree.files;
	if (only === undefined || only.bytes > MAX_FILE_BYTES) return `it has more than ${MAX_FILE_BYTES} bytes`;
	// What the user is shown is what was hashed, also if a program changes the file right now.
	const read = await readHashed(path, only.hash, readable);
	if (!read.ok) return read.reason.replace(/\.$/, "");
	const file = path.replace(/^.*[\\/]/, "").replace(/(?:\.agent)?\.md$/, "");
	const parsed = parseAgent(read.text, file);
	return typeof parsed === "string" ? parsed : { parsed, digest: tree.digest, text: read.text };
}

/** What the user is asked about: all of the file. */
export function asAgentCustomization({ name, path, digest, text }: AgentFile): Customization {
	return { kind: "agent", name, path, digest, text };
}

/** A name stands for one role: the first one, and the user's come first. */
export function nameAgents(agents: readonly AgentFile[]): readonly AgentOffer[] {
	const named = new Map<string, AgentOffer>();
	for (const { name, about, path, digest, origin } of agents)
		if (!named.has(name)) named.set(name, { name, about, path, digest, origin });
	return [...named.values()];
}
