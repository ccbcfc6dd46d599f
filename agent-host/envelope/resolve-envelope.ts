import { digestPolicy, type Policy, type ToolNeed } from "../permissions/policy/policy.ts";
import type { SandboxState } from "../permissions/policy/sandbox-problem.ts";
import { mayCallServers, mayEdit, mayRun } from "../permissions/reach/may-run.ts";
import type { PolicyPlaces } from "../permissions/resolve/resolve-policy.ts";
import { turnPolicy } from "../permissions/resolve/turn-policy.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { ReasoningEffort, Settings, ToolSettings } from "../protocol/settings/settings.ts";
import type { TokenCount, WindowSource } from "../protocol/thread/events.ts";
import { effortFor } from "./effort.ts";
import type {
	Identity,
	InstructionFile,
	ModelAbilities,
	Offer,
	ServerTool,
	ThreadSource,
	TurnEnvelope,
	Workspace,
} from "./envelope.ts";
import { budgetsFor } from "./window.ts";

/** What the host read from the world before sealing. */
export interface Observed {
	readonly workspace: Workspace;
	readonly places: Omit<PolicyPlaces, "roots" | "trusted">;
	readonly instructionFiles: readonly InstructionFile[];
	/** A complete policy from a file. */
	readonly policy?: Policy;
	readonly sandbox: SandboxState;
	/** Configured MCP servers and their tools. */
	readonly servers: { readonly offers: readonly Offer[]; readonly tools: readonly ServerTool[] };
	readonly surface: { readonly name: string; readonly version: string };
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
	readonly abilities: ModelAbilities;
}

export interface TurnRequest {
	readonly threadId: ThreadId;
	readonly turnId: TurnId;
	readonly source: ThreadSource;
	readonly settings: Settings;
	readonly model: ResolvedModel;
	readonly baseInstructions: string;
	readonly usage: TokenCount;
	readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
	/** All tools, with their requirements. */
	readonly tools: readonly { readonly name: string; readonly needs: ToolNeed }[];
}

/** Resolves the groups in order and freezes the result. From here on the turn depends on nothing else. */
export function sealEnvelope(request: TurnRequest, observed: Observed): TurnEnvelope {
	const { settings } = request;
	const { workspace } = observed;
	const policy = policyFor(settings, observed);
	const usesServers = mayCallServers(policy);
	return deepFreeze({
		identity: resolveIdentity(request, observed),
		workspace,
		instructions: {
			base: request.baseInstructions,
			developer: settings.instructions.developer,
			files: observed.instructionFiles,
			compactPrompt: settings.instructions.compactPrompt,
			...(request.outputSchema === undefined ? {} : { outputSchema: request.outputSchema }),
		},
		policy: { value: policy, digest: digestPolicy(policy), sandbox: observed.sandbox.kind },
		capabilities: {
			tools: request.tools
				.filter(
					({ name, needs }) => isOffered(needs, policy, request.model.abilities) && isWanted(name, settings.tools),
				)
				.map(({ name }) => name),
			skills: [],
			plugins: [],
			apps: usesServers ? observed.servers.offers : [],
			serverTools: usesServers ? observed.servers.tools : [],
		},
		modes: settings.modes,
		telemetry: {
			traceId: toTraceId(request.turnId),
			startedAt: observed.now,
			usageAtStart: request.usage,
			usageBaseline: settings.usageBaseline,
			...settings.telemetry,
		},
	});
}

/** For OpenTelemetry: the digits of the turn's id, which is random. */
function toTraceId(turnId: TurnId): string {
	return turnId
		.replaceAll(/[^0-9a-f]/g, "")
		.padEnd(32, "0")
		.slice(0, 32);
}

function policyFor(settings: Settings, { policy, places, workspace, sandbox }: Observed): Policy {
	const { roots, trusted } = workspace;
	return turnPolicy(settings, { ...places, roots, trusted }, policy, sandbox);
}

function resolveIdentity(request: TurnRequest, { surface }: Observed): Identity {
	const { settings, model } = request;
	return {
		threadId: request.threadId,
		turnId: request.turnId,
		source: request.source,
		provider: settings.model.provider,
		wire: model.wire ?? settings.model.wire,
		auth: settings.model.auth,
		model: model.id,
		family: model.family,
		...(model.baseUrl === undefined ? {} : { baseUrl: model.baseUrl }),
		request: {
			reasoningEffort: effortFor(settings.model.reasoningEffort, model.efforts),
			reasoningSummary: settings.model.reasoningSummary,
			serviceTier: settings.model.serviceTier,
			verbosity: settings.model.verbosity,
		},
		abilities: model.abilities,
		retry: settings.retry,
		budgets: budgetsFor(settings.model, settings.compaction, model.window),
		windowSource: model.windowSource ?? "assumed",
		compaction: settings.compaction,
		limits: settings.budgets,
		prices: settings.model.prices,
		surface,
	};
}

function isWanted(tool: string, wanted: ToolSettings): boolean {
	return !((tool === "update_plan" && !wanted.plan) || (tool === "apply_patch" && !wanted.applyPatch));
}

function isOffered(needs: ToolNeed, policy: Policy, abilities: ModelAbilities): boolean {
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
	}
}

function deepFreeze<T>(value: T): T {
	if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
		Object.freeze(value);
		for (const part of Object.values(value)) deepFreeze(part);
	}
	return value;
}
