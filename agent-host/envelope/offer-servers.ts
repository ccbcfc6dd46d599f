import type { Policy } from "../permissions/policy/policy.ts";
import { mayCallServers, mayCallTool } from "../permissions/reach/may-run.ts";
import type { Capabilities, Offer, ServerPrompt, ServerTool, SkillOffer } from "./envelope.ts";
import type { Budgets } from "./window.ts";

/** MCP servers and their tools, as they were observed. */
export interface ObservedServers {
	/** What the model is told where all tools are listed, and where they have to be found. */
	readonly offers: { readonly listed: readonly Offer[]; readonly found: readonly Offer[] };
	readonly tools: readonly ServerTool[];
	readonly prompts: readonly ServerPrompt[];
}

export interface OfferedServers {
	readonly offered: Pick<Capabilities, "apps" | "serverTools" | "serverPrompts">;
	/** Whether their tools are too many to list in every request. */
	readonly areFound: boolean;
}

/** Beyond this many, models choose badly. */
const MAX_LISTED_TOOLS = 64;
/** Share of the window that their definitions may take. */
const MAX_LISTED_PERCENT = 10;
const CHARS_PER_TOKEN = 4;

/** What of the servers a turn may use, and whether their tools are listed in its requests. */
export function offerServers(
	policy: Policy,
	{ offers, tools, prompts }: ObservedServers,
	budgets: Budgets,
): OfferedServers {
	const serverTools = tools.filter(({ server, tool, digest }) =>
		mayCallTool(policy, { server, tool, definition: digest }),
	);
	const areFound = areTooMany(serverTools, budgets);
	const apps = areFound ? offers.found : offers.listed;
	const isUsed = mayCallServers(policy);
	return { offered: { apps: isUsed ? apps : [], serverTools, serverPrompts: isUsed ? prompts : [] }, areFound };
}

function areTooMany(tools: readonly ServerTool[], { effective }: Budgets): boolean {
	const described = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
	const tokens = JSON.stringify(described).length / CHARS_PER_TOKEN;
	return tools.length > MAX_LISTED_TOOLS || tokens > (effective * MAX_LISTED_PERCENT) / 100;
}

/** Offered only if there is something to use. */
const SKILL_TOOL = "use_skill";
/** Offered only if tools of servers are not listed. */
const FINDING_TOOLS: readonly string[] = ["find_server_tools", "call_server_tool"];

/** Whether a turn with these tools has to find those of servers. */
export function areFoundIn(tools: readonly string[]): boolean {
	return FINDING_TOOLS.some((name) => tools.includes(name));
}

/** The tools without those that would have nothing to work on. */
export function keepUsable(
	tools: readonly string[],
	skills: readonly SkillOffer[],
	areToolsFound: boolean,
): readonly string[] {
	const others = tools.filter((name) => name !== SKILL_TOOL && !FINDING_TOOLS.includes(name));
	const usesSkills = skills.some(({ byModel }) => byModel);
	return [...others, ...(usesSkills ? [SKILL_TOOL] : []), ...(areToolsFound ? FINDING_TOOLS : [])];
}
