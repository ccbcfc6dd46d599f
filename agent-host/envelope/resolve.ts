import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { Settings } from "../protocol/settings.ts";
import type { TurnEnvelope, Workspace } from "./envelope.ts";
import { budgetsFor } from "./window.ts";

/** What the host read from the world before sealing. */
export interface Observed {
	readonly workspace: Workspace;
	readonly surface: { readonly name: string; readonly version: string };
}

/** What of the model is known beside the settings: its name and address in force, and its window. */
export interface ResolvedModel {
	readonly id: string;
	readonly baseUrl?: string;
	readonly window: number;
}

export interface TurnRequest {
	readonly threadId: ThreadId;
	readonly turnId: TurnId;
	readonly settings: Settings;
	readonly model: ResolvedModel;
	readonly baseInstructions: string;
	/** Every tool there is, with what it needs. */
	readonly tools: readonly { readonly name: string; readonly needs: "read" | "none" }[];
}

/** Resolves the groups in order and freezes the whole. From here on the turn depends on nothing else. */
export function sealEnvelope(request: TurnRequest, observed: Observed): TurnEnvelope {
	const { settings, model } = request;
	const identity = {
		threadId: request.threadId,
		turnId: request.turnId,
		provider: settings.model.provider,
		model: model.id,
		...(model.baseUrl === undefined ? {} : { baseUrl: model.baseUrl }),
		request: {
			reasoningEffort: settings.model.reasoningEffort,
			reasoningSummary: settings.model.reasoningSummary,
			serviceTier: settings.model.serviceTier,
		},
		retry: settings.retry,
		budgets: budgetsFor(settings.model, model.window),
	};
	const workspace = observed.workspace;
	const policy = { read: workspace.roots };
	const tools = request.tools.filter((tool) => tool.needs === "none" || policy.read.length > 0);
	return deepFreeze({
		identity,
		workspace,
		instructions: { base: request.baseInstructions },
		policy,
		capabilities: { tools: tools.map((tool) => tool.name) },
		telemetry: { surface: observed.surface },
	});
}

function deepFreeze<T>(value: T): T {
	if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
		Object.freeze(value);
		for (const part of Object.values(value)) deepFreeze(part);
	}
	return value;
}
