import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { sealEnvelope } from "../../envelope/resolve-envelope.ts";
import { NO_TOKENS } from "../../history/token-usage.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import { limitSettings } from "../../permissions/resolve/limit-settings.ts";
import type { AgentHeader } from "../../protocol/agent.ts";
import { HostError } from "../../protocol/errors.ts";
import { type ThreadId, TurnId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { say } from "../../protocol/say.ts";
import type { ReasoningEffort } from "../../protocol/settings/model-values.ts";
import type { PartialSettings, Settings } from "../../protocol/settings/settings.ts";
import type { Source } from "../../protocol/settings/source-settings.ts";
import type { Goal } from "../../protocol/thread/goal.ts";
import type { turnStart } from "../../protocol/thread/turn.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { TOOLS } from "../../tools/catalog.ts";
import type { SeenPaths } from "../../workspace/files/readable.ts";
import type { Brought, BroughtPlace } from "../brought/brought.ts";
import { listServersOff, switchOff } from "../brought/switch-off.ts";
import { type Facts, layerSettings, readChoice, readProviders } from "../facts.ts";
import { limitTurn } from "../goals/judge-goal.ts";
import type { SandboxWatch } from "../health/sandbox-watch.ts";
import type { Ports } from "../ports/ports.ts";
import type { ObserveServers } from "../servers/tool-servers.ts";
import type { FullAccess } from "../thread/full-access.ts";
import { readNestedFolders } from "../thread/last-envelope.ts";
import {
	findOpenFolder,
	ONLY_READING,
	type ThreadContract,
	type ThreadFolder,
	threadContract,
} from "../thread/thread-contract.ts";
import { observe } from "./observe.ts";
import { readLimits } from "./read-limits.ts";
import { resolveTurnModels } from "./resolve-turn-models.ts";
import { readEditorState } from "./turn-input.ts";

type TurnParams = ParsedParamsOf<typeof turnStart>;

/** A turn's envelope, and the thread contract that it was made from. */
export interface SealedTurn {
	readonly envelope: TurnEnvelope;
	/** The paths of its policy as they were looked up for it: binding the policy to the disk need not look again. */
	readonly seen: SeenPaths;
	readonly contract: ThreadContract;
	/** What was chosen for the thread when it was sealed; each later choice is another object. */
	readonly from: Pick<ThreadState, "settings" | "held">;
}

/** What the user is told about a turn when it starts. */
interface Noted {
	readonly problems: readonly string[];
	readonly brought: Brought;
	/** The reasoning effort in the settings; the envelope has one that the model supports. */
	readonly askedEffort: ReasoningEffort | undefined;
}

/** A turn that would begin now, and the thread that it would begin in. */
export interface NextTurn extends SealedTurn {
	readonly state: ThreadState;
	readonly brought: Brought;
	/** Instructions that could not be used as they are, one sentence each. */
	readonly problems: readonly string[];
}

/** What the thread that started a sub-agent may do. */
export interface ParentRights {
	readonly settings: Pick<PartialSettings, "permissions" | "approval" | "modes">;
	readonly policy: Policy;
	/** What it has switched off. */
	readonly off: readonly Source[];
}

/** The inputs of sealing besides the thread. */
export interface SealInputs {
	readonly facts: Facts;
	readonly home: string;
	readonly ports: Ports;
	readonly full: FullAccess;
	readonly sandbox: Pick<SandboxWatch, "look" | "glance">;
	/** What MCP servers offer now: the user's, and these of the workspace, without those that are switched off. */
	readonly observeServers: ObserveServers;
	/** What a sub-agent's parent has now; undefined if it is gone. */
	readonly parentRights: (parent: ThreadId) => Promise<ParentRights | undefined>;
	/** What people bring along. */
	readonly observeBrought: (place: BroughtPlace) => Promise<Brought>;
	/** Learns which worktrees there are: another window may have made or dropped one. */
	readonly readWorktrees: () => Promise<void>;
}

type Overrides = NonNullable<TurnParams["overrides"]> & {
	readonly input?: TurnParams["input"];
	/** A goal that is set with this turn. */
	readonly goal?: Goal | undefined;
};

/** The contract of a turn that would begin now. Changes nothing. */
export async function sealTurn(
	recorded: ThreadState,
	overrides: Overrides,
	{ facts, home, ports, full, sandbox, observeServers, observeBrought, parentRights, readWorktrees }: SealInputs,
): Promise<SealedTurn & Noted> {
	await readWorktrees();
	const state = full.held(recorded);
	const contract = threadContract(state, facts);
	const folder = folderFor(contract, overrides.cwd, facts);
	const { agent } = state;
	const [managed, above, contained] = await Promise.all([
		readLimits(),
		agent && parentRights(agent.parent),
		// Do not start anything for a workspace in which no command runs.
		folder.trusted && folder.roots.length > 0 ? sandbox.look() : sandbox.glance(),
	]);
	const chosen = readChoice(overrides.settings, facts);
	const layered = layerSettings(
		contract.settings,
		...(agent === undefined ? [] : agentLayers(agent, contract, above)),
		chosen,
		folder.isOpen ? undefined : ONLY_READING,
	);
	const goal = overrides.goal ?? (state.goal?.state === "active" ? state.goal : undefined);
	const settings = limitSettings(withinGoal(layered, goal), managed);
	const { off } = settings.sources;
	const models = resolveTurnModels(settings, readProviders(facts), managed, ports);
	const { observed, brought, problems, seen } = await observe(facts, home, {
		folder,
		editor: readEditorState(overrides.input ?? []),
		now: ports.now(),
		sandbox: contained,
		settings,
		observeServers: (theirs) => observeServers(theirs, listServersOff(off)),
		managed,
		nestedFolders: readNestedFolders(state.envelope),
		observeBrought: async (place) => switchOff(await observeBrought(place), off),
	});
	const request = {
		threadId: state.threadId,
		turnId: TurnId.parse(ports.newId()),
		source: state.source,
		agent,
		settings,
		...models,
		// Frozen with the first turn.
		baseInstructions: (state.written ? "" : settings.instructions.base) || state.baseInstructions,
		usage: state.total ?? NO_TOKENS,
		outputSchema: overrides.outputSchema,
		goal,
		tools: TOOLS,
	};
	const envelope = sealEnvelope(request, { ...observed, parentPolicy: above?.policy });
	return { envelope, seen, contract, from: recorded, problems, brought, askedEffort: settings.model.reasoningEffort };
}

/** No turn uses more than what is left of its goal. */
function withinGoal(settings: Settings, goal: Goal | undefined): Settings {
	if (goal === undefined) return settings;
	return { ...settings, budgets: { ...settings.budgets, turn: limitTurn(goal, settings.budgets.turn) } };
}

/** The parent's permissions, then what the user chose for the sub-agent, then its role. Without a parent it only reads. */
function agentLayers(
	{ readsOnly }: AgentHeader,
	{ own: { permissions, approval, sources } }: ThreadContract,
	above: ParentRights | undefined,
): readonly (PartialSettings | undefined)[] {
	const off = [...(above?.off ?? []), ...(sources?.off ?? [])];
	const chosen = { ...(permissions && { permissions }), ...(approval && { approval }) };
	const without = off.length > 0 ? { sources: { off } } : undefined;
	return [
		above?.settings,
		chosen,
		without,
		readsOnly ? ROLE_READS : undefined,
		above === undefined ? ONLY_READING : undefined,
	];
}

const ROLE_READS: PartialSettings = { permissions: { mode: "readOnly" }, tools: { applyPatch: false } };

/** The folder of the turn: its thread's, or another open one. */
function folderFor({ folder }: ThreadContract, cwd: string | undefined, facts: Facts): ThreadFolder {
	if (cwd === undefined) return folder;
	const open = findOpenFolder(cwd, facts);
	if (open !== undefined) return open;
	throw new HostError("settings-refused", say("folder-not-open", { cwd }));
}
