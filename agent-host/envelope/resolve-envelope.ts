import { digestPolicy, type Policy, type ToolNeed } from "../permissions/policy/policy.ts";
import type { SandboxState } from "../permissions/policy/sandbox-problem.ts";
import { narrowPolicy } from "../permissions/resolve/narrow-policy.ts";
import type { PolicyPlaces } from "../permissions/resolve/resolve-policy.ts";
import { turnPolicy } from "../permissions/resolve/turn-policy.ts";
import type { AgentHeader } from "../protocol/agent.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { Price, ReasoningEffort } from "../protocol/settings/model-values.ts";
import type { CompactionSettings, Settings } from "../protocol/settings/settings.ts";
import type { TokenCount, WindowSource } from "../protocol/thread/events.ts";
import type { Goal } from "../protocol/thread/goal.ts";
import { effortFor } from "./effort.ts";
import type {
	AgentOffer,
	HookOffer,
	Identity,
	InstructionFile,
	ModelAbilities,
	ModelIdentity,
	NestedInstructions,
	Offer,
	SkillOffer,
	ThreadSource,
	TurnEnvelope,
	Workspace,
} from "./envelope.ts";
import { keepOfRole, listTools, type Reach } from "./list-tools.ts";
import { areFoundIn, keepUsable, type ObservedServers, offerServers } from "./offer-servers.ts";
import { budgetsFor } from "./window.ts";

/** What the host read from the world before sealing. */
export interface Observed {
	readonly workspace: Workspace;
	readonly places: Omit<PolicyPlaces, "roots" | "trusted">;
	readonly instructionFiles: readonly InstructionFile[];
	readonly nestedInstructions: NestedInstructions;
	/** A complete policy from a file. */
	readonly policy?: Policy;
	/** The policy that a sub-agent's parent has now. */
	readonly parentPolicy?: Policy | undefined;
	readonly sandbox: SandboxState;
	/** Skills of the user, and those of the workspace that the user agreed to. */
	readonly skills: readonly SkillOffer[];
	/** Installed plugins, as the model is told of them. */
	readonly plugins: readonly Offer[];
	/** The same for hooks. */
	readonly hooks: readonly HookOffer[];
	/** The same for roles of sub-agents. */
	readonly agents: readonly AgentOffer[];
	/** MCP servers and their tools. */
	readonly servers: ObservedServers;
	readonly surface: { readonly name: string; readonly version: string };
	/** Whether there is a user who can be asked. */
	readonly asksUser: boolean;
	/** Whether an editor answers about code and tasks. */
	readonly knowsLanguages: boolean;
	/** Milliseconds since 1970. Pure rooms have no clock. */
	readonly now: number;
}

/** What is known about the model besides the settings: effective name and address, window and abilities. */
export interface ResolvedModel {
	readonly id: string;
	readonly family: string;
	readonly baseUrl?: string;
	/** The only API of its provider; absent if the settings name it. */
	readonly wire?: Settings["model"]["wire"];
	readonly window: number;
	/** How we know the window size; absent if it is a guess. */
	readonly windowSource?: WindowSource;
	readonly efforts: readonly ReasoningEffort[];
	/** Headers for its server, and its price, as the user has configured them. */
	readonly headers?: Identity["headers"];
	readonly price?: Price;
	readonly abilities: ModelAbilities;
}

export interface TurnRequest {
	readonly threadId: ThreadId;
	readonly turnId: TurnId;
	readonly source: ThreadSource;
	/** The sub-agent that the thread belongs to. */
	readonly agent?: AgentHeader | undefined;
	readonly settings: Settings;
	readonly model: ResolvedModel;
	/** A model at another provider that writes the summaries. */
	readonly summarizer?: { readonly settings: Settings["model"]; readonly model: ResolvedModel };
	readonly baseInstructions: string;
	readonly usage: TokenCount;
	readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
	/** The goal that it works for. */
	readonly goal?: Goal | undefined;
	/** All tools, with their requirements. */
	readonly tools: readonly { readonly name: string; readonly needs: ToolNeed }[];
}

/** Resolves the groups in order and freezes the result. From here on the turn depends on nothing else. */
export function sealEnvelope(request: TurnRequest, observed: Observed): TurnEnvelope {
	const { settings } = request;
	const { workspace } = observed;
	const policy = policyFor(settings, observed);
	const identity = resolveIdentity(request, observed);
	const servers = offerServers(policy, serversFor(identity, observed.servers), identity.budgets);
	const tools = listTools(request.tools, {
		policy,
		abilities: request.model.abilities,
		reach: reachOf(request, observed),
		wanted: settings.tools,
		window: identity.budgets.window,
	});
	return deepFreeze({
		identity,
		workspace,
		instructions: {
			base: request.baseInstructions,
			developer: settings.instructions.developer,
			files: observed.instructionFiles,
			nested: observed.nestedInstructions,
			fallbacks: settings.instructions.fallbacks,
			compactPrompt: settings.instructions.compactPrompt,
			...(request.outputSchema === undefined ? {} : { outputSchema: request.outputSchema }),
		},
		policy: { value: policy, digest: digestPolicy(policy), sandbox: observed.sandbox.kind },
		capabilities: {
			tools: keepOfRole(keepUsable(tools, observed.skills, servers.areFound), identity),
			skills: observed.skills,
			plugins: observed.plugins,
			agents: observed.agents,
			hooks: hooksUnder(policy, observed.hooks),
			...servers.offered,
			off: settings.sources.off,
		},
		modes: { ...settings.modes, ...(request.goal && { goal: describeGoal(request.goal) }) },
		telemetry: {
			startedAt: observed.now,
			usageAtStart: request.usage,
			usageBaseline: settings.usageBaseline,
			...settings.telemetry,
		},
	});
}

/** A sub-agent asks its parent, and has sub-agents of its own only if the user wants that. */
function reachOf({ agent, settings, goal }: TurnRequest, { asksUser, knowsLanguages }: Observed): Reach {
	return {
		user: asksUser && agent === undefined,
		agents: (agent?.depth ?? 0) < settings.tools.agentDepth,
		review: agent === undefined,
		languages: knowsLanguages,
		goal: agent === undefined && goal !== undefined,
	};
}

function describeGoal({ text, check, budget }: Goal): NonNullable<TurnEnvelope["modes"]["goal"]> {
	return { text, ...(check === undefined ? {} : { check }), turns: budget.turns };
}

/** Hooks only run in a sandbox, and not in an untrusted workspace. */
function hooksUnder(policy: Policy, hooks: readonly HookOffer[]): readonly HookOffer[] {
	return policy.commands && policy.noSandbox === undefined ? hooks : [];
}

const NO_SERVERS: ObservedServers = { offers: { listed: [], found: [] }, tools: [], prompts: [] };

function serversFor({ agent }: Identity, servers: ObservedServers): ObservedServers {
	return agent?.tools === undefined ? servers : NO_SERVERS;
}

/** The envelope with what the user has agreed to by now. */
export function withBrought(
	envelope: TurnEnvelope,
	{
		skills,
		hooks: found,
		agents,
		servers,
	}: Pick<Observed, "skills" | "hooks" | "agents"> & Partial<Pick<Observed, "servers">>,
): TurnEnvelope {
	const { capabilities, policy, identity } = envelope;
	const hooks = hooksUnder(policy.value, found);
	const offer = servers && offerServers(policy.value, serversFor(identity, servers), identity.budgets);
	const usable = keepUsable(capabilities.tools, skills, offer?.areFound ?? areFoundIn(capabilities.tools));
	const tools = keepOfRole(usable, identity);
	return deepFreeze({
		...envelope,
		capabilities: { ...capabilities, tools, skills, hooks, agents, ...offer?.offered },
	});
}

/** The envelope with these instructions of folders. */
export function withNested(envelope: TurnEnvelope, nested: NestedInstructions): TurnEnvelope {
	return deepFreeze({ ...envelope, instructions: { ...envelope.instructions, nested } });
}

function policyFor(settings: Settings, { policy, parentPolicy, places, workspace, sandbox }: Observed): Policy {
	const { roots, trusted } = workspace;
	const own = turnPolicy(settings, { ...places, roots, trusted }, policy, sandbox);
	return parentPolicy === undefined ? own : narrowPolicy(own, parentPolicy);
}

function resolveIdentity(request: TurnRequest, { surface }: Observed): Identity {
	const { settings, model, summarizer } = request;
	const common = {
		threadId: request.threadId,
		turnId: request.turnId,
		source: request.source,
		...(request.agent && { agent: request.agent }),
		retry: settings.retry,
		compaction: summarizer === undefined ? settings.compaction : { ...settings.compaction, model: "" },
		limits: settings.budgets,
		surface,
	};
	const identify = (of: Settings["model"], known: ResolvedModel) => ({
		...identifyModel(of, known, settings.compaction),
		...common,
	});
	return {
		...identify(settings.model, model),
		...(summarizer === undefined ? {} : { summarizer: identify(summarizer.settings, summarizer.model) }),
	};
}

function identifyModel(
	settings: Settings["model"],
	model: ResolvedModel,
	compaction: CompactionSettings,
): ModelIdentity {
	const { baseUrl, headers, price } = model;
	return {
		provider: settings.provider,
		wire: model.wire ?? settings.wire,
		auth: settings.auth,
		model: model.id,
		family: model.family,
		...(baseUrl === undefined ? {} : { baseUrl }),
		...(headers === undefined ? {} : { headers }),
		request: {
			reasoningEffort: effortFor(settings.reasoningEffort, model.efforts),
			reasoningSummary: settings.reasoningSummary,
			serviceTier: settings.serviceTier,
			verbosity: settings.verbosity,
		},
		abilities: model.abilities,
		budgets: budgetsFor(settings, compaction, model.window),
		windowSource: model.windowSource ?? "assumed",
		prices: price === undefined ? settings.prices : { ...settings.prices, [model.id]: price },
	};
}

function deepFreeze<T>(value: T): T {
	if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
		Object.freeze(value);
		for (const part of Object.values(value)) deepFreeze(part);
	}
	return value;
}
