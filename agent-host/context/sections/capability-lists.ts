import * as z from "zod";
import type { Offer, TurnEnvelope } from "../../envelope/envelope.ts";
import { fitOffers } from "../../envelope/fit-offers.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import type { FragmentKind } from "../fragment.ts";
import * as lists from "../fragments/capability-lists.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.array(z.object({ name: z.string(), about: z.string() }));

/** A list of names: stated if it is not empty, then additions and removals. */
function listSection(
	id: string,
	fragment: FragmentKind<lists.ListChange>,
	observe: (envelope: TurnEnvelope) => readonly Offer[],
) {
	return defineSection({
		id,
		kinds: [fragment.kind],
		snapshot: Snapshot,
		observe: (envelope) => observe(envelope).map(({ name, about }) => ({ name, about })),
		render: (previous, current) => {
			if (previous.state === "known") {
				return fragment.of({
					kind: "changed",
					added: current.filter((offer) => !holds(previous.value, offer)),
					removed: previous.value.filter(({ name }) => !current.some((offer) => offer.name === name)).map(nameOf),
				});
			}
			return current.length === 0 && previous.state === "absent"
				? undefined
				: fragment.of({ kind: "all", offers: current });
		},
	});
}

export const networkRules = listSection("networkRules", lists.networkRules, ({ policy }) =>
	policy.value.network.kind === "allow" ? policy.value.network.hosts.map((name) => ({ name, about: "" })) : [],
);

/** Without duplicates: the user's settings and the thread may contain the same rule. */
export const approvedPrefixes = listSection("approvedPrefixes", lists.approvedPrefixes, ({ policy }) =>
	[...new Set(rulesInForce(policy.value).map(nameRule))].map((name) => ({ name, about: "" })),
);

function nameRule({ prefix, folder }: Policy["rules"][number]): string {
	return folder === undefined ? prefix.join(" ") : `${prefix.join(" ")} (in ${folder})`;
}

/** Rules that allow: without a sandbox only those that were saved for that count, and with one only the others. */
function rulesInForce({ rules, noSandbox }: Policy): Policy["rules"] {
	return rules.filter(
		({ sandbox, decision }) => decision !== "deny" && (sandbox === "none") === (noSandbox !== undefined),
	);
}

/** Within their budget. Those that only the user invokes cost nothing until then. */
export const skills = listSection(
	"skills",
	lists.skills,
	({ capabilities, identity }) =>
		fitOffers(
			capabilities.skills.filter(({ byModel }) => byModel),
			identity.budgets.skills,
		).offers,
);

/** For those that can start sub-agents. */
export const agentRoles = listSection("agentRoles", lists.agentRoles, ({ capabilities }) =>
	capabilities.tools.includes("start_agent") ? (capabilities.agents ?? []) : [],
);

export const plugins = listSection("plugins", lists.plugins, ({ capabilities }) => capabilities.plugins);

export const apps = listSection("apps", lists.apps, ({ capabilities }) => capabilities.apps);

function holds(offers: readonly Offer[], wanted: Offer): boolean {
	return offers.some(({ name, about }) => name === wanted.name && about === wanted.about);
}

function nameOf({ name }: Offer): string {
	return name;
}
