import type {
	DoctorCheck,
	DoctorReport,
	PolicyAttempt,
	PolicyProbe,
} from "../../../agent-host/protocol/host/health.ts";
import type { HostStatus, RateLimit } from "../../../agent-host/protocol/host/host.ts";
import type { ContextInspected } from "../../../agent-host/protocol/thread/context.ts";
import type { PublishedEvent, TokenCount } from "../../../agent-host/protocol/thread/events.ts";
import { asPlain } from "../../../agent-host/protocol/thread/markdown-text.ts";
import { nameCacheMiss } from "../../../l10n/cache-words.ts";
import { sayHost, sayNamed, sayWarning } from "../../../l10n/host-words.ts";
import { clockTimeOf, countOf, type Message, numberOf, t } from "../../../l10n/t.ts";
import type { PolicyShown } from "../../host/policy-watch.ts";
import { page, table } from "./markdown-page.ts";

const HAPPENED: Readonly<Record<PolicyAttempt["happened"], Message>> = {
	allowed: "allowed",
	refused: "refused",
	untried: "not checked",
};

/** The attempts of a policy probe as a table. */
export function renderProbe({ state, reason = "", reasonSaid, attempts, ms, digest }: PolicyProbe): string {
	const verdicts: Readonly<Record<PolicyProbe["state"], string>> = {
		held: t("All {0} checks passed in {1} ms.", attempts.length, ms),
		broken: t("The sandbox does not enforce the policy: see the rows marked ✗. The log shows what to do."),
		notRun: t("Not checked: {0}", asPlain(sayNamed(reason, reasonSaid))),
	};
	const rows = attempts.map(({ what, whatSaid, expected, happened, ok }) => [
		ok ? "✓" : "✗",
		asPlain(sayNamed(what, whatSaid)),
		t(HAPPENED[expected]),
		t(HAPPENED[happened]),
	]);
	const head = ["", t("Attempt"), t("Policy"), t("Result")];
	return page(t("Sandbox Test"), [
		verdicts[state],
		...(rows.length === 0 ? [] : [table([head, ...rows])]),
		t("Policy digest: {0}", `\`${digest}\``),
	]);
}

/** The cache share of each request of a thread, and what broke the cache. */
export function renderCache(events: readonly PublishedEvent[]): string {
	// A compaction and a count of the context are no requests.
	const usages = events.flatMap(({ event }) => (event.type === "usage" && event.last.output > 0 ? [event] : []));
	const last = usages.at(-1);
	if (last === undefined) return page(t("Cache Report"), [t("No requests yet.")]);
	const rows = usages.map(({ last: counted, cacheBreak }, index) => [
		numberOf(index + 1),
		numberOf(counted.input),
		numberOf(counted.cached),
		formatShare(counted),
		cacheBreak === undefined ? "" : nameCacheMiss(cacheBreak),
	]);
	const head = [t("Request"), t("Input tokens"), t("Cached"), t("Share"), t("Cache miss caused by")];
	const { cached, input } = last.total;
	return page(t("Cache Report"), [
		t("{0} of {1} input tokens came from the cache ({2}).", cached, input, formatShare(last.total)),
		table([head, ...rows]),
	]);
}

/** Status of host, model, policy and thread. */
export function renderStatus(
	status: HostStatus,
	policy: Pick<PolicyShown, "name" | "nameSaid" | "digest"> | undefined,
	context: Pick<ContextInspected, "tokens" | "effectiveWindow"> | undefined,
): string {
	const { model, home, storageProblem, storageProblemSaid } = status;
	const facts: readonly (readonly [string, string])[] = [
		["Vitrine", `${status.version} (${status.pid})`],
		[t("Storage"), storageProblem === undefined ? home : sayNamed(storageProblem, storageProblemSaid)],
		[t("Model"), [model.provider, model.id].filter((part) => part !== "").join(", ")],
		[t("Window"), model.window === 0 ? "–" : numberOf(model.window)],
		...(model.rateLimits === undefined ? [] : [[t("Rate limits"), describeLimits(model.rateLimits)] as const]),
		...(policy === undefined
			? []
			: [[t("Next turn"), `${sayNamed(policy.name, policy.nameSaid)} (${policy.digest})`] as const]),
		[t("Sandbox"), describeSandbox(status)],
		...(context === undefined
			? []
			: [[t("Next request"), t("{0} of {1} tokens", context.tokens, context.effectiveWindow)] as const]),
		[t("Search"), status.search],
	];
	return page(t("Status"), [table([["", ""], ...facts.map(([name, value]) => [name, asPlain(value)])])]);
}

function describeLimits(limits: readonly RateLimit[]): string {
	return limits.map(describeLimit).join("; ");
}

function describeLimit({ unit, remaining, limit, resetsAt }: RateLimit): string {
	const counted = limit === undefined ? numberOf(remaining) : t("{0} of {1}", remaining, limit);
	const left = t(LEFT[unit], counted);
	return resetsAt === undefined ? left : t("{0} (resets at {1})", left, clockTimeOf(resetsAt));
}

const LEFT = {
	requests: "{0} requests left",
	tokens: "{0} tokens left",
	inputTokens: "{0} input tokens left",
	outputTokens: "{0} output tokens left",
} as const satisfies Readonly<Record<RateLimit["unit"], Message>>;

function describeSandbox({ sandbox, probe }: HostStatus): string {
	if (sandbox?.problem !== undefined) return t("none: {0}", sayWarning(sandbox.problem));
	return probe === undefined ? t("not checked yet") : t(PROBED[probe.state], clockTimeOf(probe.at));
}

/** Result of the last policy probe. */
export const PROBED = {
	held: "verified {0}",
	broken: "failed ({0})",
	notRun: "not checked ({0})",
} as const satisfies Readonly<Record<PolicyProbe["state"], Message>>;

/** The host's health, part by part. What the reader pastes into an issue is in English (`text` of the report). */
export function renderDoctor({ checks }: Pick<DoctorReport, "checks">): string {
	const problems = checks.filter(({ state }) => state === "problem").length;
	const verdict = problems === 0 ? t("Healthy.") : countOf(problems, "{0} problem.", "{0} problems.");
	const sections = checks.map(({ name, state, lines, fix }) => {
		const all = [...lines.map((line) => sayHost(line)), ...(fix === undefined ? [] : [t("Fix: {0}", sayHost(fix))])];
		return `## ${t(name)}: ${t(CHECKED[state])}\n\n${all.map((line) => `- ${asPlain(line)}`).join("\n")}`;
	});
	return page(t("Vitrine Doctor"), [verdict, ...sections]);
}

const CHECKED: Readonly<Record<DoctorCheck["state"], Message>> = { ok: "OK", note: "note", problem: "problem" };

/** A request as one text, for comparing. */
export function renderRequest(items: ContextInspected["items"]): string {
	return items.map(({ kind, role, text }) => `## ${kind} (${role})\n\n${text}\n`).join("\n");
}

function formatShare({ cached, input }: Pick<TokenCount, "cached" | "input">): string {
	return input === 0 ? "–" : `${numberOf(Math.round((cached / input) * 100))} %`;
}
