import type { PolicyAttempt, PolicyProbe } from "../../../agent-host/protocol/host/health.ts";
import type { HostStatus } from "../../../agent-host/protocol/host/host.ts";
import type { ContextInspected } from "../../../agent-host/protocol/thread/context.ts";
import type { PublishedEvent, TokenCount } from "../../../agent-host/protocol/thread/events.ts";
import { clockTimeOf, type Message, numberOf, t } from "../../../l10n/t.ts";

const HAPPENED: Readonly<Record<PolicyAttempt["happened"], Message>> = {
	allowed: "allowed",
	refused: "refused",
	untried: "not checked",
};

/** The attempts of a policy probe as a table. */
export function renderProbe({ state, reason = "", attempts, ms, digest }: PolicyProbe): string {
	const verdicts: Readonly<Record<PolicyProbe["state"], string>> = {
		held: t("All {0} checks passed in {1} ms.", attempts.length, ms),
		broken: t("The sandbox does not enforce the policy: see the rows marked ✗. The log shows what to do."),
		notRun: t("Not checked: {0}", reason),
	};
	const rows = attempts.map(({ what, expected, happened, ok }) => [
		ok ? "✓" : "✗",
		what,
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
	const usages = events.flatMap(({ event }) => (event.type === "usage" ? [event] : []));
	const last = usages.at(-1);
	if (last === undefined) return page(t("Cache Report"), [t("No requests yet.")]);
	const rows = usages.map(({ last: counted, cacheBreak }, index) => [
		numberOf(index + 1),
		numberOf(counted.input),
		numberOf(counted.cached),
		formatShare(counted),
		cacheBreak?.part ?? "",
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
	policy: { readonly name: string; readonly digest: string } | undefined,
	context: Pick<ContextInspected, "tokens" | "effectiveWindow"> | undefined,
): string {
	const { model } = status;
	const facts: readonly (readonly [string, string])[] = [
		["Vitrine", `${status.version} (${status.pid})`],
		[t("Storage"), status.storageProblem ?? status.home],
		[t("Model"), [model.provider, model.id].filter((part) => part !== "").join(", ")],
		[t("Window"), model.window === 0 ? "–" : numberOf(model.window)],
		...(policy === undefined ? [] : [[t("Next turn"), `${policy.name} (${policy.digest})`] as const]),
		[t("Sandbox"), describeSandbox(status)],
		...(context === undefined
			? []
			: [[t("Next request"), t("{0} of {1} tokens", context.tokens, context.effectiveWindow)] as const]),
		[t("Search"), status.search],
	];
	return page(t("Status"), [table([["", ""], ...facts])]);
}

function describeSandbox({ sandbox, probe }: HostStatus): string {
	if (sandbox?.problem !== undefined) return t("none: {0}", `${sandbox.problem.message} ${sandbox.problem.fix}`);
	return probe === undefined ? t("not checked yet") : t(PROBED[probe.state], clockTimeOf(probe.at));
}

/** Result of the last policy probe. */
export const PROBED = {
	held: "verified {0}",
	broken: "failed ({0})",
	notRun: "not checked ({0})",
} as const satisfies Readonly<Record<PolicyProbe["state"], Message>>;

/** A request as one text, for comparing. */
export function renderRequest(items: ContextInspected["items"]): string {
	return items.map(({ kind, role, text }) => `## ${kind} (${role})\n\n${text}\n`).join("\n");
}

function formatShare({ cached, input }: Pick<TokenCount, "cached" | "input">): string {
	return input === 0 ? "–" : `${numberOf(Math.round((cached / input) * 100))} %`;
}

function page(title: string, parts: readonly string[]): string {
	return `${[`# ${title}`, ...parts].join("\n\n")}\n`;
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
	const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
