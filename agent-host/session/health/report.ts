import type { LearnedFact } from "../../model/memory.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import { namePolicy } from "../../permissions/words/policy-words.ts";
import type { DoctorCheck, DoctorReport, PolicyProbe } from "../../protocol/host/health.ts";
import type { BudgetSettings } from "../../protocol/settings/settings.ts";
import type { HomeSize } from "../../store/home/measure-home.ts";
import type { Verification } from "../../store/threads/verify-thread.ts";

const MAX_NAMED = 10;
const MARKS: Readonly<Record<DoctorCheck["state"], string>> = { ok: "ok", note: "note", problem: "PROBLEM" };

/** The checks as one report, with the home folder as `~`. */
export function writeReport(checks: readonly DoctorCheck[], userHome: string): DoctorReport {
	const shorten = (text: string) => (userHome.length > 1 ? text.replaceAll(userHome, "~") : text);
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
	const all = [...lines, ...(fix === undefined ? [] : [`fix: ${fix}`])];
	return `## ${name}: ${MARKS[state]}\n\n${all.map((line) => `- ${line}`).join("\n")}`;
}

export function policyCheck({ state, reason, attempts, digest, ms }: PolicyProbe): DoctorCheck {
	const name = "Policy";
	if (state === "notRun") return { name, state: "note", lines: [`not checked: ${reason ?? "unknown"}`] };
	const tried = `${attempts.length} checks in ${ms} ms, policy ${digest}`;
	if (state === "held") return { name, state: "ok", lines: [`${tried}: all passed`] };
	const failed = attempts.filter(({ ok }) => !ok);
	const lines = failed.map(({ what, expected, happened }) => `${what}: expected ${expected}, was ${happened}`);
	return { name, state: "problem", lines: [tried, ...lines], fix: "Do not run commands until this is fixed." };
}

export function threadsCheck({ threads, verified, problems }: Verification): DoctorCheck {
	const lines = [`${verified} of ${threads} verified`];
	if (problems.length === 0) return { name: "Threads", state: "ok", lines };
	const named = problems.slice(0, MAX_NAMED).map(({ threadId, problem }) => `${threadId}: ${problem}`);
	return { name: "Threads", state: "problem", lines: [...lines, ...named], fix: "Run “Vitrine: Repair History”." };
}

/** What refusals taught, in the words of the request: nobody should have to guess why something is not sent. */
export function lessonsCheck(lessons: readonly LearnedFact[]): DoctorCheck {
	const name = "Learned server limits";
	if (lessons.length === 0) return { name, state: "ok", lines: ["none"] };
	const lines = lessons.slice(0, MAX_NAMED).map(({ origin, model, fact, until }) => {
		const learned = typeof fact === "string" ? fact : `window ${fact.window} tokens`;
		return `${origin}, ${model}: ${learned} (until ${new Date(until).toISOString().slice(0, 16)}Z)`;
	});
	const more = lessons.length > MAX_NAMED ? [`and ${lessons.length - MAX_NAMED} more`] : [];
	const fix = "To try them again now, run “Vitrine: Forget Learned Server Limits”.";
	return { name, state: "note", lines: [...lines, ...more], fix };
}

export function storageLines(folder: string, { bytes, files, isWhole }: HomeSize): string[] {
	const megabytes = (bytes / 1_048_576).toFixed(1);
	return [folder, `${isWhole ? "" : "at least "}${megabytes} MB in ${files} files`];
}

export function limitLines(policy: Policy | undefined, budgets: BudgetSettings, heapMb: number): string[] {
	const commands = policy && `a command: ${policy.limits.timeoutMs / 1_000} s, ${policy.limits.processes} processes`;
	const set = Object.entries(budgets).flatMap(([scope, limits]) =>
		Object.entries(limits).map(([unit, most]) => `${most} ${unit} a ${scope}`),
	);
	return [
		...(policy === undefined ? [] : [`the next turn: ${namePolicy(policy)}`]),
		...(commands === undefined ? [] : [commands]),
		`budgets: ${set.length === 0 ? "none" : set.join(", ")}`,
		`memory used by the host: ${heapMb} MB`,
	];
}
