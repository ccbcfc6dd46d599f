import { BUILT_IN_ROLES } from "../../protocol/agent.ts";
import { ReasoningEffort } from "../../protocol/settings/model-values.ts";
import { type FrontMatter, readFrontMatter, readText } from "../front-matter.ts";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 64;
const MAX_ABOUT_CHARS = 500;
/** What a sub-agent is told of its role in one piece. */
const MAX_INSTRUCTION_CHARS = 10_000;
const MODEL = /^[\w][\w.:/-]{0,199}$/;
/** Names that stand for models of another product, or for none. */
const NO_MODELS: ReadonlySet<string> = new Set(["inherit", "default", "sonnet", "opus", "haiku"]);

/** What an agent file asks of a sub-agent. */
export interface ParsedAgent {
	readonly name: string;
	readonly about: string;
	readonly instructions: string;
	/** Names of our tools; absent if it names none, which means all of its parent's. */
	readonly tools?: readonly string[];
	/** Tools that it names and that do not exist here. */
	readonly unknownTools: readonly string[];
	readonly model?: string;
	readonly effort?: ReasoningEffort;
	/** How many requests one task takes at most. */
	readonly maxTurns?: number;
}

/** What common names of tools mean here, in lower case. One that is limited to some arguments means none. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
	read: ["read_file", "view_image"],
	grep: ["search_files"],
	glob: ["list_files"],
	ls: ["list_files"],
	search: ["search_files", "list_files"],
	edit: ["apply_patch"],
	write: ["apply_patch"],
	multiedit: ["apply_patch"],
	bash: ["run_command", "write_command_input", "stop_command"],
	execute: ["run_command", "write_command_input", "stop_command"],
	agent: ["start_agent", "wait_agents", "stop_agent"],
	task: ["start_agent", "wait_agents", "stop_agent"],
	webfetch: ["fetch_page"],
	web: ["fetch_page"],
	todowrite: ["update_plan"],
	todo: ["update_plan"],
	skill: ["use_skill"],
};
const OWN = new Set([...Object.values(TOOLS).flat(), "problems", "list_symbols", "locate_symbol", "recall"]);

/** Reads an agent file; a text says why it cannot be used. Without a name it is called like its file. */
export function parseAgent(text: string, file: string): ParsedAgent | string {
	const front = readFrontMatter(text);
	const name = (readText(front, "name") ?? file).toLowerCase().replaceAll(/[\s_]+/g, "-");
	const about = readText(front, "description") ?? "";
	const instructions = front.body.trim();
	if (!NAME.test(name) || name.length > MAX_NAME_CHARS)
		return `its name must have at most ${MAX_NAME_CHARS} letters, digits and single hyphens`;
	if (BUILT_IN_ROLES.some((role) => role === name)) return `${name} is a role that is built in`;
	if (about === "") return "it has no description";
	if (instructions.length > MAX_INSTRUCTION_CHARS) return `its text has more than ${MAX_INSTRUCTION_CHARS} characters`;
	const model = readText(front, "model") ?? "";
	const effort = ReasoningEffort.safeParse(readText(front, "effort")).data;
	const maxTurns = Number(readText(front, "maxTurns"));
	return {
		...{ name, about: about.replaceAll(/\s+/g, " ").slice(0, MAX_ABOUT_CHARS).toWellFormed(), instructions },
		...readTools(front),
		...(MODEL.test(model) && !NO_MODELS.has(model.toLowerCase()) && { model }),
		...(effort !== undefined && { effort }),
		...(Number.isInteger(maxTurns) && maxTurns > 0 && { maxTurns }),
	};
}

function readTools(front: FrontMatter): Pick<ParsedAgent, "tools" | "unknownTools"> {
	const [wanted, unwanted] = [readList(front, "tools"), readList(front, "disallowedTools") ?? []];
	if (wanted === undefined && unwanted.length === 0) return { unknownTools: [] };
	const named = (wanted ?? [...OWN]).filter((one) => one !== "*");
	const all = wanted?.includes("*") ? [...named, ...OWN] : named;
	const without = new Set(unwanted.flatMap((one) => findTools(one.replace(/\(.*$/, ""))));
	return {
		tools: [...new Set(all.flatMap(findTools))].filter((tool) => !without.has(tool)).toSorted(),
		unknownTools: named.filter((one) => findTools(one).length === 0),
	};
}

function findTools(name: string): readonly string[] {
	const plain = name.trim();
	if (OWN.has(plain)) return [plain];
	return Object.hasOwn(TOOLS, plain.toLowerCase()) ? (TOOLS[plain.toLowerCase()] ?? []) : [];
}

/** A list, or names with commas between them. */
function readList({ fields }: FrontMatter, name: string): readonly string[] | undefined {
	const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
	if (typeof value === "string") return value.split(",").flatMap((one) => one.trim() || []);
	return Array.isArray(value) ? value : undefined;
}
