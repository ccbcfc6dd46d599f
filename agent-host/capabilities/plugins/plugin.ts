import type { AgentFile } from "../agents/find.ts";
import type { HookFile } from "../hooks/hook.ts";
import type { Server } from "../servers/server.ts";
import type { Skill } from "../skills/skill.ts";

/** A folder with a manifest that brings skills, commands, agents, hooks and servers along. */
export interface Plugin {
	readonly name: string;
	readonly version: string;
	readonly about: string;
	readonly folder: string;
	/** Identifies every name, mode and byte in its folder. */
	readonly digest: string;
	readonly skills: readonly Skill[];
	readonly commands: readonly Skill[];
	readonly agents: readonly AgentFile[];
	readonly hooks: readonly HookFile["hooks"][number][];
	readonly servers: readonly Server[];
	/** What of it is not used, and why; one sentence each. */
	readonly problems: readonly string[];
}
