import type { Offer } from "../../envelope/envelope.ts";
import { describeServer } from "../servers/trust.ts";
import type { Plugin } from "./plugin.ts";

/** What the model is told about a plugin: what of it can be used. Nothing if only the user and hooks use it. */
export function offerPlugin({ name, about, skills, servers }: Plugin): Offer | undefined {
	const parts = [
		...skills.filter(({ byModel }) => byModel).map((skill) => `skill ${skill.name}`),
		...servers.map((server) => `server ${server.name}`),
	];
	if (parts.length === 0) return undefined;
	return { name, about: `${about === "" ? "" : `${about} `}(${parts.join(", ")})` };
}

/** What a plugin brings along, for the user, one line each. */
export function listParts({ skills, commands, agents, hooks, servers }: Plugin) {
	return {
		skills: skills.map(({ name, about }) => `${name}: ${about}`),
		commands: commands.map(({ name, about }) => `/${name}: ${about}`),
		agents: agents.map(({ name, about }) => `${name}: ${about}`),
		hooks: hooks.map(({ event, matcher, command }) => `${event}${matcher === "" ? "" : ` (${matcher})`}: ${command}`),
		servers: servers.map((server) => describeServer(server).join("\n")),
	};
}

/** What every request contains because of it, as text. */
export function renderCost(plugin: Plugin): string {
	const offer = offerPlugin(plugin);
	const skills = plugin.skills.filter(({ byModel }) => byModel).map(({ name, about }) => `- ${name}: ${about}`);
	const agents = plugin.agents.map(({ name, about }) => `- ${name}: ${about}`);
	return [...(offer === undefined ? [] : [`- ${offer.name}: ${offer.about}`]), ...skills, ...agents].join("\n");
}
