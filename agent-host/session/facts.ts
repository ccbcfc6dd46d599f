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

/** What the client has told the host about the world, as it is now. The surface assigns; turns copy. */
export interface Facts {
	folders: readonly string[];
	/** Folders that this window had open and has closed. */
	closedFolders: readonly string[];
	trusted: boolean;
	settings: PartialSettings;
	/** Text of open documents by absolute path, unsaved changes included. */
	readonly documents: Map<string, string>;
	readonly surface: HostOptions["surface"];
	readonly environment: HostOptions["environment"];
	readonly locale?: HostOptions["locale"];
	/** A policy of the command line, instead of the one that the settings make. They still say who is asked. */
	readonly policy?: Policy | undefined;
}

/** Settings in force: the client's, then the thread's, then the turn's. Valid as a whole or refused as a whole. */
export function layerSettings(...layers: readonly (PartialSettings | undefined)[]): Settings {
	try {
		return mergeSettings(...layers.filter((layer) => layer !== undefined));
	} catch (error) {
		throw new HostError("settings-refused", say("settings-unfit", { reason: String(error) }));
	}
}

/** Allows a kind of command until the client, which keeps such rules, says what its settings are now. */
export function keepRule(facts: Facts, rule: CommandRule): void {
	const rules = [...(facts.settings.permissions?.rules ?? []), rule];
	facts.settings = mergePartialSettings(facts.settings, { permissions: { rules } });
}

/** The same for a host that commands may reach. */
export function keepHost(facts: Facts, rule: string): void {
	const known = facts.settings.permissions?.allowedDomains ?? [];
	if (known.includes(rule)) return;
	facts.settings = mergePartialSettings(facts.settings, { permissions: { allowedDomains: [...known, rule] } });
}

/** The same for places that commands may read. */
export function keepReading(facts: Facts, paths: readonly string[]): void {
	const opened = paths.map((path) => ({ path, access: "read" as const }));
	const filesystem = [...(facts.settings.permissions?.filesystem ?? []), ...opened];
	facts.settings = mergePartialSettings(facts.settings, { permissions: { filesystem } });
}
