import type { ServerInput, ServerSettings } from "../../protocol/settings/server-settings.ts";
import type { PluginOrigin } from "../plugins/trust.ts";
import type { DescribedPrompt } from "./read-prompts.ts";
import type { DescribedResource } from "./read-resources.ts";
import type { Challenge } from "./sign-in/authorize-fetch.ts";

/** An MCP server as it is configured. */
export interface Server {
	readonly name: string;
	readonly settings: ServerSettings;
	/** Identifies everything that is configured; any other byte is another server. */
	readonly digest: string;
	/** What people are asked for before it starts. */
	readonly inputs: readonly ServerInput[];
	/** The file of the workspace that defines it; absent if the user's settings do. */
	readonly file?: ServerOrigin;
	/** The plugin that it belongs to. */
	readonly plugin?: PluginOrigin;
}

/** Whether it is a program outside the sandbox. */
export function isUncontained({ settings }: Pick<Server, "settings">): boolean {
	return "command" in settings && !settings.sandboxEnabled;
}

/** A file as the user agreed to it. */
export interface ServerOrigin {
	readonly path: string;
	/** Identifies the file and every file of the workspace that it names. */
	readonly digest: string;
	/** The workspace folder that it belongs to. */
	readonly root: string;
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
	readonly prompts: readonly DescribedPrompt[];
	readonly resources: readonly DescribedResource[];
	/** Why something is missing, one sentence each. */
	readonly notes: readonly string[];
}

/** What is known about a server. */
export type ServerState =
	| { readonly kind: "idle" | "starting" | "running" }
	/** `reason`: one sentence for the user. */
	| { readonly kind: "failed"; readonly reason: string }
	/** It wants to know who the user is. */
	| { readonly kind: "signIn"; readonly challenge: Challenge };

export interface KnownServer {
	readonly server: Server;
	readonly state: ServerState;
	readonly catalogue?: Catalogue | undefined;
}
