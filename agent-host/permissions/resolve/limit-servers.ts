import type { Managed } from "../../protocol/settings/managed-limits.ts";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";
import type { Policy } from "../policy/policy.ts";
import { isHostWithin } from "./limit-settings.ts";

/** The file of this machine's administrator that does not allow an MCP server of this name. */
export function findForbidding(server: string, managed: readonly Managed[]): string | undefined {
	return managed.find(({ limits: { servers = {} } }) => {
		const { allow = ["*"], deny = [] } = servers;
		return names(deny, server) || !names(allow, server);
	})?.file;
}

function names(list: readonly string[], server: string): boolean {
	return list.includes("*") || list.includes(server);
}

/** Why a server, as it is defined, would do more than this machine's administrator allows; one sentence. */
export function findBeyondLimits(settings: ServerSettings, { managed = [] }: Policy): string | undefined {
	for (const { file, hosts, sandbox } of managed) {
		const isUncontained = "command" in settings && !settings.sandboxEnabled;
		if (isUncontained && (sandbox === "always" || hosts !== undefined)) {
			return `${file} allows no server outside the sandbox.`;
		}
		const beyond = hosts && listSites(settings).find((site) => !isHostWithin(site, hosts));
		if (beyond !== undefined) return `${beyond} is not an allowed site in ${file}.`;
	}
	return undefined;
}

function listSites(settings: ServerSettings): readonly string[] {
	if ("command" in settings) return settings.sandbox.network.allowedDomains;
	const { hostname, port, protocol } = new URL(settings.url);
	return [`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`];
}
