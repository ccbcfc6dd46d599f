import type { Block } from "./addresses.ts";
import { hostText, type Target, toUnicodeName } from "./host-name.ts";
import {
	type AskHost,
	type HostAnswer,
	isNearby,
	isPlainlyPrivate,
	NOT_LISTED,
	type Ruling,
	ruleNaming,
} from "./host-rules.ts";

/** Limit for a command's connections that wait for an answer, and for the hosts that it can ask about. */
export const [MAX_HELD, MAX_ASKED] = [32, 10];

/** The pending host approvals of one command: each host is asked about once, however many connections want it. */
export interface PendingApprovals {
	/**
	 * Resolves when the user has decided, or when no answer will come. Nothing is resolved before: a DNS query alone can
	 * carry a message.
	 */
	readonly decide: (target: Target) => Promise<Ruling>;
	/** Withdraws all pending approvals. */
	readonly close: () => void;
}

export function createPendingApprovals(ask: AskHost, holdMs: number, nearby: () => readonly Block[]): PendingApprovals {
	const over = new AbortController();
	const answers = new Map<string, Promise<Ruling>>();
	let held = 0;
	const askOnce = async (target: Target): Promise<Ruling> => {
		const rule = ruleNaming(target);
		if (rule === undefined) return deny(NOT_LISTED);
		const late = new AbortController();
		const timer = setTimeout(() => late.abort(), holdMs);
		const letters = toUnicodeName(target.host);
		const asked = { host: hostText(target.host), port: target.port, rule: rule.text, ...(letters && { letters }) };
		const signal = AbortSignal.any([over.signal, late.signal]);
		const answer = await ask(asked, signal).catch((): HostAnswer => ({ kind: "deny", reason: NO_ANSWER }));
		clearTimeout(timer);
		if (answer.kind === "allow" && !signal.aborted) return { kind: "allow", rule };
		return deny(`${NOT_LISTED}, ${answer.kind === "allow" ? NO_ANSWER : answer.reason}`);
	};
	return {
		decide: async (target) => {
			if (isPlainlyPrivate(target.host) || isNearby(target.host, nearby())) return deny(NOT_LISTED);
			const key = ruleNaming(target)?.text ?? "";
			const known = answers.get(key);
			if (known === undefined && answers.size >= MAX_ASKED) return deny(TOO_MANY_HOSTS);
			if (held >= MAX_HELD) return deny(TOO_MANY_HELD);
			held += 1;
			const answer = known ?? askOnce(target);
			answers.set(key, answer);
			return answer.finally(() => (held -= 1));
		},
		close: () => over.abort(),
	};
}

const NO_ANSWER = "and there was no answer";
const TOO_MANY_HOSTS = `${NOT_LISTED}, and a command can ask for at most ${MAX_ASKED} sites`;
const TOO_MANY_HELD = `${NOT_LISTED}, and ${MAX_HELD} connections are already waiting for an answer`;

function deny(reason: string): Extract<Ruling, { kind: "deny" }> {
	return { kind: "deny", reason };
}
