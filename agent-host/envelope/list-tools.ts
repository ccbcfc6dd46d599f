import type { Policy, ToolNeed } from "../permissions/policy/policy.ts";
import { mayEdit, mayFetch, mayRun } from "../permissions/reach/may-run.ts";
import type { ToolSettings } from "../protocol/settings/settings.ts";
import type { Identity, ModelAbilities } from "./envelope.ts";

/** Whom a turn can turn to. */
export interface Reach {
	readonly user: boolean;
	readonly agents: boolean;
	/** Whether what it finds goes to the user. */
	readonly review: boolean;
	readonly languages: boolean;
	readonly goal: boolean;
}

/** What decides which tools a turn can use. */
interface Means {
	readonly policy: Policy;
	readonly abilities: ModelAbilities;
	readonly reach: Reach;
	readonly wanted: ToolSettings;
	/** In tokens. */
	readonly window: number;
}

/** The names of those that a turn can use. */
export function listTools(
	tools: readonly { readonly name: string; readonly needs: ToolNeed }[],
	{ policy, abilities, reach, wanted, window }: Means,
): readonly string[] {
	return tools
		.filter(
			({ name, needs }) =>
				isOffered(needs, policy, { ...abilities, ...reach }) && isWanted(name, wanted) && isRoomFor(needs, window),
		)
		.map(({ name }) => name);
}

/** Always there for a sub-agent: how it writes to its parent. */
const TO_PARENT = "message_agent";

/** A role that names tools gets those, and no others. */
export function keepOfRole(tools: readonly string[], { agent }: Identity): readonly string[] {
	return agent?.tools === undefined ? tools : tools.filter((name) => name === TO_PARENT || agent.tools?.includes(name));
}

/** Tools that change files with a patch. */
const PATCHING: readonly string[] = ["apply_patch", "rename_symbol", "code_action"];

function isWanted(tool: string, wanted: ToolSettings): boolean {
	return !((tool === "update_plan" && !wanted.plan) || (PATCHING.includes(tool) && !wanted.applyPatch));
}

/** Below this, every description of a tool takes space from the work. */
const SMALL_WINDOW = 16_000;

/** What a model can do without: files and commands answer the same questions. */
const COMFORTS: ReadonlySet<ToolNeed> = new Set(["sight", "language", "rename", "task", "web", "user", "agents"]);

function isRoomFor(needs: ToolNeed, window: number): boolean {
	return window >= SMALL_WINDOW || !COMFORTS.has(needs);
}

function isOffered(needs: ToolNeed, policy: Policy, abilities: ModelAbilities & Reach): boolean {
	switch (needs) {
		case "none":
			return true;
		case "read":
			return policy.filesystem.some((entry) => entry.access !== "none");
		case "sight":
			return abilities.images && isOffered("read", policy, abilities);
		case "edit":
			return mayEdit(policy);
		case "command":
			return mayRun(policy);
		case "web":
			return mayFetch(policy);
		case "agents":
			return abilities.agents;
		case "user":
			// With approvals off, nobody is there to answer.
			return abilities.user && policy.approval !== "never";
		case "language":
			return abilities.languages && isOffered("read", policy, abilities);
		case "rename":
			return abilities.languages && mayEdit(policy);
		case "task":
			return abilities.languages && mayRun(policy);
		case "review":
			// A sub-agent of a review tells its parent what it found.
			return abilities.review && policy.plan?.review === true;
		case "goal":
			return abilities.goal;
	}
}
