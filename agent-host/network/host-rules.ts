import { type Block, isInAny, isPublic, parseAddress, sameAddress } from "./addresses.ts";
import { type Host, hostText, parseHost, type Target, targetText } from "./host-name.ts";

/**
 * One line of the list: `host`, `host:port`, `*.host` (subdomains only), `*` or `*:port` (every public host); a leading
 * `!` blocks a host instead.
 */
export type HostRule = {
	readonly verdict: "allow" | "deny";
	/** Undefined: every port. */
	readonly ports: readonly number[] | undefined;
	readonly text: string;
} & ({ readonly covers: "host" | "below"; readonly host: Host } | { readonly covers: "public" });

export const NOT_LISTED = "not an allowed site";

/** The ports of a rule without a port. */
const WEB_PORTS = [443, 80];

/** Undefined if a rule cannot be parsed. It must not be skipped then, because it might have blocked something. */
export function parseRule(text: string): HostRule | undefined {
	const [, not = "", below = "", written = "", digits] =
		/^(!?)(\*\.)?(\*|\[[^\]]*\]|[^:*]+)(?::([1-9]\d{0,4}))?$/.exec(text.trim()) ?? [];
	const port = digits === undefined ? undefined : Number(digits);
	if ((port ?? 0) > 65_535) return undefined;
	const verdict = not === "!" ? "deny" : "allow";
	const ports = port !== undefined ? [port] : verdict === "allow" ? WEB_PORTS : undefined;
	// Blocking everything is what an empty list is for, or the network off.
	if (written === "*")
		return `${not}${below}` === "" ? { verdict, covers: "public", ports, text: text.trim() } : undefined;
	const host = parseHost(written);
	if (host === undefined) return undefined;
	// All of `*.com` is not a meaningful choice of hosts.
	if (below !== "" && (host.kind === "address" || (verdict === "allow" && !host.name.includes(".")))) return undefined;
	return { verdict, covers: below === "" ? "host" : "below", host, ports, text: text.trim() };
}

/** The rules of a list, or the first invalid line. */
export function parseRules(lines: readonly string[]): readonly HostRule[] | { readonly unreadable: string } {
	const rules: HostRule[] = [];
	for (const line of lines) {
		const rule = parseRule(line);
		if (rule === undefined) return { unreadable: line };
		rules.push(rule);
	}
	return rules;
}

/** A host that a command requests and no rule mentions. `rule` is the line that would allow it. */
export interface UnlistedHost {
	readonly host: string;
	/** The name in Unicode letters, if different. */
	readonly letters?: string;
	readonly port: number;
	readonly rule: string;
}

export type HostAnswer =
	| { readonly kind: "allow" }
	/** `reason` continues the sentence "not on the list, ". */
	| { readonly kind: "deny"; readonly reason: string };

/** Asks whether an unlisted host may be reached. When the signal aborts, the answer is no longer needed. */
export type AskHost = (asked: UnlistedHost, signal: AbortSignal) => Promise<HostAnswer>;

/** The rule that would allow a host: both web ports, or any other single port. */
export function ruleNaming({ host, port }: Target): HostRule | undefined {
	return parseRule(WEB_PORTS.includes(port) ? hostText(host) : targetText({ host, port }));
}

/** Whether a host is visibly this machine or on the local network, so that no lookup is needed. */
export function isPlainlyPrivate(host: Host): boolean {
	if (host.kind === "address") return !isPublic(host.address);
	return host.name === "localhost" || host.name.endsWith(".localhost");
}

/** Whether a host is an address of this machine or a neighbour, public as it may look. */
export function isNearby(host: Host, nearby: readonly Block[]): boolean {
	return host.kind === "address" && isInAny(nearby, host.address);
}

/** A host that a command requested and did not get. */
export interface RefusedHost {
	/** With its port, such as `example.org:443`. */
	readonly host: string;
	/** Continues the sentence after the host: "not an allowed site". */
	readonly reason: string;
}

export function refusedText({ host, reason }: RefusedHost): string {
	return `network: blocked ${host} (${reason})`;
}

export type Ruling =
	| { readonly kind: "allow"; readonly rule: HostRule }
	/** `reason` continues the sentence after the host's name: "not an allowed site". */
	| { readonly kind: "deny"; readonly reason: string };

/** Whether a host may be requested at all; `judgeAddresses` checks where its name leads. */
export function judgeTarget(rules: readonly HostRule[], target: Target): Ruling {
	const matching = rules.filter((rule) => matches(rule, target));
	const closed = matching.find(({ verdict }) => verdict === "deny");
	if (closed !== undefined) return { kind: "deny", reason: `blocked by the rule ${closed.text}` };
	const [rule] = matching;
	return rule === undefined ? { kind: "deny", reason: NOT_LISTED } : { kind: "allow", rule };
}

/**
 * The addresses to connect to, in order. All addresses of a name must be public or listed by a rule themselves: a name
 * that also leads into a private network, or to this machine, is refused entirely.
 */
export function judgeAddresses(
	rules: readonly HostRule[],
	resolved: readonly string[],
	port: number,
	nearby: readonly Block[],
): { readonly kind: "allow"; readonly addresses: readonly string[] } | Extract<Ruling, { kind: "deny" }> {
	if (resolved.length === 0) return { kind: "deny", reason: "its name has no address" };
	const listing = rules.filter(({ covers }) => covers !== "public");
	for (const text of resolved) {
		const address = parseAddress(text);
		if (address === undefined) return { kind: "deny", reason: `its address ${text} is not valid` };
		const ruling = judgeTarget(listing, { host: { kind: "address", address, text }, port });
		if (ruling.kind === "allow") continue;
		if (ruling.reason !== NOT_LISTED) return ruling;
		if (!isPublic(address)) {
			return { kind: "deny", reason: `its address ${text} is private, and no rule lists it explicitly` };
		}
		if (isInAny(nearby, address)) {
			return {
				kind: "deny",
				reason: `its address ${text} is in this machine's network, and no rule lists it explicitly`,
			};
		}
	}
	return { kind: "allow", addresses: resolved };
}

function matches(rule: HostRule, target: Target): boolean {
	if (rule.ports !== undefined && !rule.ports.includes(target.port)) return false;
	// Where a name leads is checked when it is resolved.
	if (rule.covers === "public") return !isPlainlyPrivate(target.host);
	const { covers, host } = rule;
	if (host.kind === "address") return target.host.kind === "address" && sameAddress(host.address, target.host.address);
	if (target.host.kind === "address") return false;
	return covers === "host" ? target.host.name === host.name : target.host.name.endsWith(`.${host.name}`);
}
