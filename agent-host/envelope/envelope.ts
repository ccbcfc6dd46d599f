import type { Policy } from "../permissions/policy.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { ModelSettings, Settings } from "../protocol/settings.ts";
import type { Budgets } from "./window.ts";

/** Everything a turn may depend on, sealed at its start. Each group may read only the ones above it. */
export interface TurnEnvelope {
	readonly identity: Identity;
	readonly workspace: Workspace;
	readonly instructions: Instructions;
	readonly policy: Policy;
	readonly capabilities: Capabilities;
	readonly telemetry: Telemetry;
}

export interface Identity {
	readonly threadId: ThreadId;
	readonly turnId: TurnId;
	readonly provider: ModelSettings["provider"];
	readonly model: string;
	/** The only origin this turn's requests go to; absent for models without a network. */
	readonly baseUrl?: string;
	readonly request: Pick<ModelSettings, "reasoningEffort" | "reasoningSummary" | "serviceTier">;
	readonly retry: Settings["retry"];
	readonly budgets: Budgets;
}

export interface Workspace {
	readonly cwd?: string;
	readonly roots: readonly string[];
	readonly machine: string;
	/** Milliseconds since 1970. Pure rooms have no other clock. */
	readonly now: number;
	readonly date: string;
	readonly timeZone: string;
	readonly trusted: boolean;
}

export interface Instructions {
	/** Frozen per thread, so that the cached prefix of every request stays. */
	readonly base: string;
}

export interface Capabilities {
	/** Names of the tools offered; a tool the policy forbids is absent. */
	readonly tools: readonly string[];
}

export interface Telemetry {
	readonly surface: { readonly name: string; readonly version: string };
}
