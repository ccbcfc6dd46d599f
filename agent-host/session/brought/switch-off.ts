import { dirname } from "node:path";
import type { Customization } from "../../capabilities/consent/customization.ts";
import type { Server } from "../../capabilities/servers/server.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import type { Source } from "../../protocol/settings/source-settings.ts";
import type { Brought } from "./brought.ts";

/** What was found without the sources that a thread has switched off. Names stay as they were, so nothing takes their place. */
export function switchOff(brought: Brought, off: readonly Source[]): Brought {
	if (off.length === 0) return brought;
	const isOn = (kind: Source["kind"], name: string): boolean =>
		!off.some((source) => source.kind === kind && source.name === name);
	const closed = brought.pluginFolders.filter(({ name }) => !isOn("plugin", name));
	const isOfOn = (path: string): boolean => !closed.some(({ folder }) => isInside(path, folder));
	const isSkillOn = ({ path }: { readonly path: string }): boolean => isOfOn(path) && isOn("skills", dirname(path));
	const isServerOn = ({ name, plugin }: Server): boolean => isOn("server", name) && isOfOn(plugin?.folder ?? "");
	const isFileOn = ({ kind, path }: Customization): boolean =>
		kind === "hooks" ? isOn("hooks", path) : isOn(kind === "agent" ? "agents" : "skills", dirname(path));
	return {
		...brought,
		skills: brought.skills.filter(isSkillOn),
		prompts: brought.prompts.filter(isSkillOn),
		hooks: brought.hooks.filter(({ path, plugin }) => isOfOn(plugin?.folder ?? path) && isOn("hooks", path)),
		agents: brought.agents.filter(({ path }) => isOfOn(path) && isOn("agents", dirname(path))),
		plugins: brought.plugins.filter(({ name }) => isOn("plugin", name)),
		servers: brought.servers.filter(isServerOn),
		unaskedServers: brought.unaskedServers.filter(isServerOn),
		unasked: brought.unasked.filter(({ one }) => isFileOn(one)),
	};
}

/** The names of servers that are switched off. */
export function listServersOff(off: readonly Source[]): readonly string[] {
	return off.flatMap(({ kind, name }) => (kind === "server" ? [name] : []));
}
