import { readAgentFile } from "../../capabilities/agents/find.ts";
import type { AgentOffer } from "../../envelope/envelope.ts";
import { BUILT_IN_ROLES } from "../../protocol/agent.ts";
import type { Readable } from "../../workspace/files/readable.ts";
import { type AgentRole, ROLES } from "./roles.ts";

/** Tools that change files, or let a command do it. */
const CHANGING: readonly string[] = ["apply_patch", "run_command"];

/** A role by its name: built in, or a file that is still what the user agreed to. A text says why there is none. */
export async function readRole(
	name: string,
	offers: readonly AgentOffer[],
	readable: () => Promise<Readable>,
): Promise<AgentRole | string> {
	const builtIn = BUILT_IN_ROLES.find((one) => one === name);
	if (builtIn !== undefined) return ROLES[builtIn];
	const offer = offers.find((one) => one.name === name);
	if (offer === undefined) {
		const names = [...BUILT_IN_ROLES, ...offers.map((one) => one.name)];
		return `There is no role ${name}. Roles: ${names.join(", ")}.`;
	}
	// The user's own files are outside of every workspace.
	const read = await readAgentFile(offer.path, offer.origin === "user" ? () => true : await readable());
	if (typeof read === "string" || read.digest !== offer.digest)
		return `The role ${name} has changed since the turn began. The user is asked about it with the next turn.`;
	const { instructions, tools, model, effort, maxTurns } = read.parsed;
	return {
		instructions: `Role: ${name}. ${instructions}`,
		readsOnly: tools !== undefined && !CHANGING.some((tool) => tools.includes(tool)),
		...(tools && { tools: [...tools] }),
		...{ model, effort, maxTurns },
	};
}
