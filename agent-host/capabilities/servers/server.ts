import type { ServerSettings } from "../../protocol/settings/server-settings.ts";

/** An MCP server as it is configured. */
export interface Server {
	readonly name: string;
	readonly settings: ServerSettings;
	/** Identifies everything that is configured; any other byte is another server. */
	readonly digest: string;
}

/** A tool as its server describes it, within our limits. */
export interface DescribedTool {
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a server offers. */
export interface Catalogue {
	readonly tools: readonly DescribedTool[];
	/** Why something is missing, one sentence each. */
	readonly notes: readonly string[];
}

/** What is known about a server. */
export type ServerState =
	| { readonly kind: "idle" | "starting" | "running" }
	/** `reason`: one sentence for the user. */
	| { readonly kind: "failed"; readonly reason: string };

export interface KnownServer {
	readonly server: Server;
	readonly state: ServerState;
	readonly catalogue?: Catalogue | undefined;
}
