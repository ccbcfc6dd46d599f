import { getPage } from "../../network/get-page.ts";
import { hostText, type Target, toUnicodeName } from "../../network/host-name.ts";
import {
	type AskHost,
	judgeTarget,
	NOT_LISTED,
	parseRules,
	type Ruling,
	ruleNaming,
} from "../../network/host-rules.ts";
import { type NetworkPorts, SYSTEM_NETWORK } from "../../network/network-ports.ts";
import type { Network } from "../../permissions/policy/policy.ts";
import type { ToolPorts } from "../../tools/tool-ports.ts";

/** Pages that one turn may fetch. */
const MAX_FETCHES = 10;

/** Fetches pages for one turn, from sites that its policy or the user allows. */
export function createFetchPage(network: Network, ports: NetworkPorts = SYSTEM_NETWORK): ToolPorts["fetchPage"] {
	let fetched = 0;
	return async ({ url, askHost }, signal) => {
		fetched += 1;
		if (fetched > MAX_FETCHES) return { ok: false, reason: `At most ${MAX_FETCHES} pages can be fetched in one turn.` };
		return getPage(url, { ports, signal, allow: (target) => judgeSite(target, network, askHost, signal) });
	};
}

/** What the list blocks stays blocked; everything else is decided as for a command that connects. */
async function judgeSite(
	target: Target,
	network: Network,
	askHost: AskHost | undefined,
	signal: AbortSignal,
): Promise<Ruling> {
	const rule = ruleNaming(target);
	const rules = network.kind === "allow" ? parseRules(network.hosts) : [];
	if (network.kind === "off" || rule === undefined || askHost === undefined || "unreadable" in rules) {
		return { kind: "deny", reason: NOT_LISTED };
	}
	const listed = judgeTarget(rules, target);
	if (listed.kind === "deny" && listed.reason !== NOT_LISTED) return listed;
	const letters = toUnicodeName(target.host);
	const asked = { host: hostText(target.host), port: target.port, rule: rule.text, ...(letters && { letters }) };
	const answer = await askHost(asked, signal);
	return answer.kind === "allow"
		? { kind: "allow", rule }
		: { kind: "deny", reason: `${NOT_LISTED}, ${answer.reason}` };
}
