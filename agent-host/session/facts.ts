import type { Policy } from "../permissions/policy/policy.ts";
import { HostError } from "../protocol/errors.ts";
import type { HostOptions } from "../protocol/host/host-options.ts";
import { say } from "../protocol/say.ts";
import type { CommandRule } from "../protocol/settings/policy-settings.ts";
import {
	mergePartialSettings,
	mergeSettings,
	type PartialSettings,
	type Settings,
} from "../protocol/settings/settings.ts";

/** What the client has told the host so far, kept up to date. The surface assigns; turns copy. */
export interface Facts {
	folders: readonly string[];
	/** Folders that were open in this window and have been closed. */
	closedFolders: readonly string[];
	trusted: boolean;
	settings: PartialSettings;
	/** Text of open documents by absolute path, including unsaved changes. */
	readonly documents: Map<string, string>;
	readonly surface: HostOptions["surface"];
	readonly environment: HostOptions["environment"];
	readonly locale?: HostOptions["locale"];
	/**
	 * A policy file of the command line, which replaces the policy from the settings. The approval setting still applies.
	 */
	readonly policy?: Policy | undefined;
}

/** Effective settings: the client's, then the thread's, then the turn's. Valid as a whole or refused as a whole. */
export function layerSettings(...layers: readonly (PartialSettings | undefined)[]): Settings {
	try {
		return mergeSettings(...layers.filter((layer) => layer !== undefined));
	} catch (error) {
		throw new HostError("settings-refused", say("settings-unfit", { reason: String(error) }));
	}
}

/** Allows a kind of command until the client, which stores such rules, sends its settings again. */
export function addRule(facts: Facts, rule: CommandRule): void {
	const rules = [...(facts.settings.permissions?.rules ?? []), rule];
	facts.settings = mergePartialSettings(facts.settings, { permissions: { rules } });
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
