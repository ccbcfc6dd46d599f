import type { LearnedFact } from "../../model/memory.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import { sayPolicyName } from "../../permissions/words/policy-words.ts";
import type { DoctorCheck, DoctorReport, PolicyAttempt, PolicyProbe } from "../../protocol/host/health.ts";
import type { ListedServer } from "../../protocol/host/servers.ts";
import { asMessage, fromMessage, joinSaid, listSaid, mapSaid, quote, type Said, say } from "../../protocol/say.ts";
import type { BudgetSettings } from "../../protocol/settings/settings.ts";
import type { HomeSize } from "../../store/home/measure-home.ts";
import type { Verification } from "../../store/threads/verify-thread.ts";

const MAX_NAMED = 10;
const MARKS: Readonly<Record<DoctorCheck["state"], string>> = { ok: "ok", note: "note", problem: "PROBLEM" };

/** One part of the host's health, before it is sent. */
export interface Check extends Pick<DoctorCheck, "name" | "state"> {
	readonly lines: readonly Said[];
	readonly fix?: Said;
}

/** The checks as one report, with the home folder as `~`. */
export function writeReport(checks: readonly Check[], userHome: string): DoctorReport {
	const shorten = (said: Said) =>
		asMessage(mapSaid(said, (text) => (userHome.length > 1 ? text.replaceAll(userHome, "~") : text)));
	const shown = checks.map(({ lines, fix, ...check }) => ({
		...check,
		lines: lines.map(shorten),
		...(fix === undefined ? {} : { fix: shorten(fix) }),
	}));
	const problems = shown.filter(({ state }) => state === "problem").length;
	const verdict = problems === 0 ? "Healthy." : `${problems} ${problems === 1 ? "problem" : "problems"}.`;
	return {
		healthy: problems === 0,
		checks: shown,
		text: `${["# Vitrine Doctor", verdict, ...shown.map(writeSection)].join("\n\n")}\n`,
	};
}

function writeSection({ name, state, lines, fix }: DoctorCheck): string {
	const all = [...lines.map(({ message }) => message), ...(fix === undefined ? [] : [`fix: ${fix.message}`])];
	return `## ${name}: ${MARKS[state]}\n\n${all.map((line) => `- ${line}`).join("\n")}`;
}

export function policyCheck({ state, reason, reasonSaid, attempts, digest, ms }: PolicyProbe): Check {
	const name = "Policy";
	if (state === "notRun") {
		const why = fromMessage({ ...reasonSaid, message: reason ?? "" });
		return { name, state: "note", lines: [joinSaid(say("doctor-policy-unchecked"), why)] };
	}
	const tried = { checks: attempts.length, ms, digest };
	if (state === "held") return { name, state: "ok", lines: [say("doctor-policy-held", tried)] };
	const failed = attempts.filter(({ ok }) => !ok);
	const lines = failed.map((attempt) => joinSaid(sayAttempt(attempt), say(OUTCOMES[attempt.happened])));
	return { name, state: "problem", lines: [say("doctor-policy", tried), ...lines], fix: say("doctor-policy-fix") };
}

const OUTCOMES = {
	allowed: "was-allowed",
	refused: "was-refused",
	untried: "was-untried",
} as const satisfies Readonly<Record<PolicyAttempt["happened"], unknown>>;

/** What was attempted; it is our own sentence, sent beside its name. */
export function sayAttempt({ what, whatSaid }: PolicyAttempt): Said {
	return fromMessage({ ...whatSaid, message: what });
}

/** One line for each MCP server; nothing where none is configured. */
export function serversCheck(servers: readonly ListedServer[]): readonly Check[] {
	if (servers.length === 0) return [];
	const lines = servers.map(({ name, kind, state, reason, tools }) => {
		const known = tools === undefined ? say("doctor-tools-unknown") : say("doctor-tools", { tools: tools.length });
		const why = state === "signIn" ? say("doctor-server-sign-in") : known;
		return listSaid(quote(`${name} (${kind}): ${state}`), reason === undefined ? why : quote(reason));
	});
	const isFailed = servers.some(({ state }) => state === "failed" || state === "signIn");
	if (!isFailed) return [{ name: "MCP servers", state: "ok", lines }];
	return [{ name: "MCP servers", state: "problem", lines, fix: say("doctor-servers-fix") }];
}

export function threadsCheck({ threads, verified, problems }: Verification): Check {
	const lines = [say("doctor-verified", { verified, threads })];
	if (problems.length === 0) return { name: "Threads", state: "ok", lines };
	const named = problems.slice(0, MAX_NAMED).map(({ threadId, problem }) => quote(`${threadId}: ${problem}`));
	return { name: "Threads", state: "problem", lines: [...lines, ...named], fix: say("doctor-threads-fix") };
}

/** What refusals taught, in the words of the request: nobody should have to guess why something is not sent. */
export function lessonsCheck(lessons: readonly LearnedFact[]): Check {
	const name = "Learned server limits";
	if (lessons.length === 0) return { name, state: "ok", lines: [say("doctor-none")] };
	const lines = lessons.slice(0, MAX_NAMED).map(({ origin, model, fact, until }) => {
		const learned = typeof fact === "string" ? fact : `window ${fact.window}`;
		return say("doctor-lesson", {
			...{ origin, model, fact: learned },
			until: `${new Date(until).toISOString().slice(0, 16)}Z`,
		});
	});
	const more = lessons.length > MAX_NAMED ? [say("doctor-more", { more: lessons.length - MAX_NAMED })] : [];
	return { name, state: "note", lines: [...lines, ...more], fix: say("doctor-lessons-fix") };
}

export function storageLines(folder: string, { bytes, files, isWhole }: HomeSize): Said[] {
	const size = (bytes / 1_048_576).toFixed(1);
	return [quote(folder), say(isWhole ? "doctor-size" : "doctor-size-least", { size, files })];
}

export function limitLines(policy: Policy | undefined, budgets: BudgetSettings, heapMb: number): Said[] {
	const set = Object.entries(budgets).flatMap(([scope, limits]) =>
		Object.entries(limits).map(([unit, most]) => `${scope}.${unit} ${most}`),
	);
	return [
		...(policy === undefined ? [] : describeLimits(policy)),
		set.length === 0 ? say("doctor-no-budgets") : say("doctor-budgets", { budgets: set.join(", ") }),
		say("doctor-memory", { megabytes: heapMb }),
	];
}

function describeLimits(policy: Policy): Said[] {
	const { timeoutMs, processes } = policy.limits;
	return [
		joinSaid(say("doctor-next-turn"), sayPolicyName(policy)),
		say("doctor-command", { seconds: timeoutMs / 1_000, processes }),
	];
}
