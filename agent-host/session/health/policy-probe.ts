import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { LastProbe, PolicyAttempt, PolicyProbe } from "../../protocol/host/health.ts";
import type { HostWarning } from "../../protocol/host/host.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { asFix, asMessage, joinSaid, say } from "../../protocol/say.ts";
import { type CommandRequest, refuse, type Sandbox } from "../../sandbox/backend.ts";
import { type ProbeRequest, probePolicy } from "../../sandbox/policy-probe/run-probe.ts";
import type { Ports } from "../ports/ports.ts";
import { sayAttempt } from "./report.ts";

/** After this long without a command, a probe disturbs nothing. */
const IDLE_MS = 5_000;

/** Tries the policy on the sandbox: when the user asks, and once automatically in a host that has run a command. */
export interface PolicyProbing {
	readonly probe: (threadId: ThreadId | undefined) => Promise<PolicyProbe>;
	readonly last: () => LastProbe | undefined;
	/** Starts commands, but in the sandbox none after a probe found that the policy is not enforced. */
	readonly guarded: Pick<Sandbox, "start">;
	readonly turnBegan: () => void;
	readonly turnEnded: (threadId: ThreadId) => void;
	readonly close: () => void;
}

export function createPolicyProbing(options: {
	readonly sandbox: Sandbox;
	readonly environment: CommandRequest["environment"];
	/** The contract of a turn that would start now. */
	readonly contractOf: (threadId: ThreadId | undefined) => Promise<TurnEnvelope>;
	readonly ports: Pick<Ports, "now" | "setTimer" | "newId" | "warn" | "log">;
	/** Called after every probe. */
	readonly changed: () => void;
}): PolicyProbing {
	const { sandbox, environment, contractOf, ports, changed } = options;
	let last: LastProbe | undefined;
	/** Why no command runs until a later probe passes. */
	let breach: string | undefined;
	let hasRun = false;
	let cancel: (() => void) | undefined;
	let isClosed = false;
	const probe = async (threadId: ThreadId | undefined, scope: ProbeRequest["scope"]): Promise<PolicyProbe> => {
		const { policy, workspace } = await contractOf(threadId);
		const at = ports.now();
		const request = { cwd: workspace.cwd ?? "/", policy: policy.value, digest: policy.digest, environment };
		const proved = await probePolicy(sandbox, { request, scope, fresh: `.vitrine-probe-${ports.newId()}` });
		const result = { ...proved, at, ms: ports.now() - at, digest: policy.digest, sandbox: policy.sandbox };
		last = { at, digest: result.digest, state: result.state };
		const warning = warningFor(result.attempts);
		if (proved.state !== "notRun") breach = isBreach(result.attempts) ? warning?.message : undefined;
		if (warning !== undefined) ports.warn(warning);
		changed();
		return result;
	};
	const byItself = (threadId: ThreadId): void => {
		cancel = undefined;
		probe(threadId, "refusals").catch((error: unknown) => ports.log("warning", `The sandbox was not tested: ${error}`));
	};
	const stopWaiting = (): void => {
		cancel?.();
		cancel = undefined;
	};
	const refused = ({ policy }: CommandRequest) => {
		// The user lets it run without a sandbox, so there is nothing that a probe could say about it.
		if (policy.noSandbox !== undefined) return undefined;
		hasRun = true;
		return breach === undefined
			? undefined
			: refuse("sandbox-unavailable", `${breach} Commands can't run until this is fixed.`);
	};
	return {
		probe: (threadId) => probe(threadId, "all"),
		last: () => last,
		guarded: { start: async (request, options) => refused(request) ?? sandbox.start(request, options) },
		turnBegan: stopWaiting,
		turnEnded: (threadId) => {
			stopWaiting();
			if (hasRun && last === undefined && !isClosed) cancel = ports.setTimer(IDLE_MS, () => byItself(threadId));
		},
		close: () => {
			isClosed = true;
			stopWaiting();
		},
	};
}

function isBreach(attempts: readonly PolicyAttempt[]): boolean {
	return attempts.some(({ expected, happened }) => expected === "refused" && happened === "allowed");
}

/** The warning if a policy was not enforced: the worst failure first. */
function warningFor(attempts: readonly PolicyAttempt[]): HostWarning | undefined {
	const failed = attempts.filter(({ ok }) => !ok);
	const worst = ["allowed", "untried", "refused"].flatMap((how) =>
		failed.filter(({ happened }) => happened === how),
	)[0];
	if (worst === undefined) return undefined;
	const more = failed.length === 1 ? [] : [say("attempts-more", { more: failed.length - 1 })];
	const sentence = FAILURES[worst.happened];
	const said = joinSaid(say(sentence), sayAttempt(worst), ...more);
	return { code: sentence, ...asMessage(said), ...asFix(say(`${sentence}-fix`)) };
}

const FAILURES = { allowed: "policy-broken", untried: "policy-unproved", refused: "policy-too-strict" } as const;
