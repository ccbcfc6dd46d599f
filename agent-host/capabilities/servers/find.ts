import { digestValue } from "../../permissions/policy/policy.ts";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";
import type { Server } from "./server.ts";

/** The servers that are switched on, by name, so that the tools of a request always have the same order. */
export function findServers(settings: Readonly<Record<string, ServerSettings>>): readonly Server[] {
	return Object.entries(settings)
		.filter(([, { enabled }]) => enabled)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, one]) => ({ name, settings: one, inputs: [], digest: digestValue({ name, ...one }) }));
}
