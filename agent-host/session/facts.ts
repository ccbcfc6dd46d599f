import type { Policy } from "../permissions/policy/policy.ts";
import { HostError } from "../protocol/errors.ts";
import type { HostOptions } from "../protocol/host/host-options.ts";
import { say } from "../protocol/say.ts";
import { placeModelIn } from "../protocol/settings/model-place.ts";
import type { CommandRule, ServerToolRule } from "../protocol/settings/policy-settings.ts";
import type { ProvidersSettings } from "../protocol/settings/provider-settings.ts";
import {
	mergePartialSettings,
	mergeSettings,
	type PartialSettings,
	type Settings,
} from "../protocol/settings/settings.ts";
import type { StoredWorktree } from "../store/home/worktree-files.ts";

/** What the client has told the host so far, kept up to date. The surface assigns; turns copy. */
export interface Facts {
	folders: readonly string[];
	/** Folders that were open in this window and have been closed. */
	closedFolders: readonly string[];
	trusted: boolean;
	settings: PartialSettings;
	/** The settings are the most that any thread may have: programs choose which thread continues. */
	readonly isCeiling?: boolean;
	/** The worktrees that were made from any window, as last read. Only what reads them assigns. */
	readonly worktrees: { list: readonly StoredWorktree[] };
	/** Text of open documents by absolute path, including unsaved changes. */
	readonly documents: Map<string, string>;
	readonly surface: HostOptions["surface"];
	readonly environment: HostOptions["environment"];
	readonly locale?: HostOptions["locale"];
	/** Whether the user sees goals here and can pause them. */
	readonly pursuesGoals?: boolean;
	/** Whether the client can put questions of the agent to the user. */
	readonly asksUser: boolean;
	/** Whether the client answers about code and tasks. */
	readonly knowsLanguages: boolean;
	/** Whether the client can list and call tools of its editor. */
	readonly hasTools: boolean;
	/**
	 * A policy file of the command line, which replaces the policy from the settings. The approval setting still applies.
	 */
	readonly policy?: Policy | undefined;
}

/** The providers that the user has configured; those of a thread or a turn do not count. */
export function readProviders({ settings }: Pick<Facts, "settings">): ProvidersSettings {
	return layerSettings(settings).providers;
}

/** The client's settings; a model of a named provider comes with its address. */
export function readClientSettings(settings: PartialSettings): PartialSettings {
	return placeModelIn(settings, settings.providers ?? {});
}

/**
 * A choice for a thread or a turn, likewise: a name alone, since one that comes with an address belongs there. Only the
 * client can add providers.
 */
export function readChoice<S extends PartialSettings | undefined>(settings: S, facts: Facts): S {
	if (settings === undefined) return settings;
	const { providers: _, ...choice } = settings;
	const isWhole = choice.model?.provider !== undefined || choice.model?.baseUrl !== undefined;
	// Nothing but the address of the model has changed.
	return (isWhole ? choice : placeModelIn(choice, readProviders(facts))) as S;
}

/** Effective settings: the client's, then the thread's, then the turn's. Valid as a whole or refused as a whole. */
export function layerSettings(...layers: readonly (PartialSettings | undefined)[]): Settings {
	const given = layers.filter((layer) => layer !== undefined);
	const [only] = given.length === 1 ? given : [];
	const known = only && complete.get(only);
	if (known !== undefined) return known;
	try {
		const settings = mergeSettings(...given);
		if (only !== undefined) complete.set(only, settings);
		return settings;
	} catch (error) {
		throw new HostError("settings-refused", say("settings-unfit", { reason: String(error) }));
	}
}

/** What one layer alone comes to. Each turn asks several times, and a layer is replaced instead of changed. */
const complete = new WeakMap<PartialSettings, Settings>();

/** Allows a kind of command until the client, which stores such rules, sends its settings again. */
export function addRule(facts: Facts, rule: CommandRule): void {
	const rules = [...(facts.settings.permissions?.rules ?? []), rule];
	facts.settings = mergePartialSettings(facts.settings, { permissions: { rules } });
}

/** The same for a tool of an MCP server. */
export function addServerTool(facts: Facts, rule: ServerToolRule): void {
	const serverTools = [...(facts.settings.permissions?.serverTools ?? []), rule];
	facts.settings = mergePartialSettings(facts.settings, { permissions: { serverTools } });
}

/** The same for a host. */
export function addHost(facts: Facts, rule: string): void {
	const known = facts.settings.permissions?.allowedDomains ?? [];
	if (known.includes(rule)) return;
	facts.settings = mergePartialSettings(facts.settings, { permissions: { allowedDomains: [...known, rule] } });
}

/** The same for readable places. */
export function addReading(facts: Facts, paths: readonly string[]): void {
	const opened = paths.map((path) => ({ path, access: "read" as const }));
	const filesystem = [...(facts.settings.permissions?.filesystem ?? []), ...opened];
	facts.settings = mergePartialSettings(facts.settings, { permissions: { filesystem } });
}
