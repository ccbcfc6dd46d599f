import { lstatSync, unlinkSync } from "node:fs";
import type { PolicyAttempt, PolicyProbe } from "../../protocol/host/health.ts";
import { joinSaid, nameSaid, quote, type Said, say } from "../../protocol/say.ts";
import type { CommandRequest, Sandbox } from "../backend.ts";
import { bindAtLaunch } from "../protect/bind-at-launch.ts";
import { createHarmfulPlaces } from "../protect/harmful-places.ts";
import { type Attempt, planAttempts } from "./attempts.ts";
import { findPlaces } from "./probe-places.ts";
import { probeArgv, readOutcomes } from "./probe-script.ts";

const TRIAL_LIMITS = { timeoutMs: 10_000, outputBytes: 16_384 };

export interface ProbeRequest {
	readonly request: Omit<CommandRequest, "argv">;
	/** `refusals`: only attempts that must fail, so that nothing appears in the user's folders even for an instant. */
	readonly scope: "all" | "refusals";
	/** An unused name. */
	readonly fresh: string;
}

type Probed = Pick<PolicyProbe, "state" | "reason" | "reasonSaid" | "attempts">;

/** Runs one command in the sandbox that tests the policy. Files that it could create are removed afterwards. */
export async function probePolicy(
	sandbox: Pick<Sandbox, "run">,
	{ request, scope, fresh }: ProbeRequest,
): Promise<Probed> {
	const { policy } = request;
	if (!policy.commands) return notRun(say("probe-without-commands"));
	if (policy.noSandbox !== undefined) return notRun(joinSaid(say(policy.noSandbox), say(`${policy.noSandbox}-fix`)));
	const { policy: bound } = await bindAtLaunch(policy, createHarmfulPlaces());
	const planned = planAttempts(bound, await findPlaces(bound, request, fresh));
	const attempts = scope === "all" ? planned : planned.filter(({ expected }) => expected === "refused");
	const argv = probeArgv(attempts.map(({ act }) => act));
	const options = { limits: TRIAL_LIMITS, streams: "kept", input: "closed" } as const;
	const ended = await sandbox.run({ ...request, argv }, options, new AbortController().signal);
	if (ended.state === "refused") return notRun(quote(ended.reason));
	const said = readOutcomes(ended.output.text, attempts.length);
	const judged = attempts.map((attempt, index) => judge(attempt, said[index] ?? "untried"));
	return { state: judged.every(({ ok }) => ok) ? "held" : "broken", attempts: judged };
}

/** The outcome of a file attempt is checked on the disk, whatever the sandbox shows inside. */
function judge({ what, expected, act }: Attempt, said: PolicyAttempt["happened"]): PolicyAttempt {
	const isMade = act.kind === "create" && removeIfEmpty(act.path);
	const isOnlyInside = act.kind === "create" && expected === "allowed" && !isMade && said === "allowed";
	const happened = isMade ? "allowed" : isOnlyInside ? "refused" : said;
	return { what: what.text, whatSaid: nameSaid(what), expected, happened, ok: happened === expected };
}

/** Returns whether there was an empty file, as ours would be. A folder is a placeholder of another command. */
function removeIfEmpty(path: string): boolean {
	try {
		const stat = lstatSync(path);
		const isOurs = stat.isFile() && stat.size === 0;
		if (isOurs) unlinkSync(path);
		return isOurs;
	} catch {
		return false;
	}
}

function notRun(reason: Said): Probed {
	return { state: "notRun", reason: reason.text, reasonSaid: nameSaid(reason), attempts: [] };
}
