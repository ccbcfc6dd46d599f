import { homedir } from "node:os";
import { resolve } from "node:path";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import {
	closedReadsNote,
	expandHome,
	guessClosedReads,
	shortenHome,
	withReads,
} from "../../permissions/decide/closed-reads.ts";
import { denialNote, recogniseDenial } from "../../permissions/decide/recognize-denial.ts";
import { type ClosedRead, digestPolicy, type Policy } from "../../permissions/policy/policy.ts";
import { escalatePolicy, uncontainedPolicy } from "../../permissions/reach/escalate.ts";
import { accessTo } from "../../permissions/reach/reach.ts";
import { sayNetwork, sayPolicyName } from "../../permissions/words/policy-words.ts";
import { listSaid, type Said, say } from "../../protocol/say.ts";
import { commandEnvironment } from "../../sandbox/command/command-environment.ts";
import { shellArgv } from "../../sandbox/command/find-program.ts";
import { identifyLaunch } from "../../sandbox/command/launch-identity.ts";
import { measureDeletion } from "../../sandbox/command/measure-deletion.ts";
import { BACKGROUND_MS, type Processes } from "../../sandbox/command/processes.ts";
import { findRepository } from "../../sandbox/repository/plan-repository.ts";
import type { CommandCall, CommandPorts, CommandReport, CommandSubject, Held } from "../../tools/command-call.ts";
import { readableIn } from "../../workspace/files/readable.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";

/** The policy of one command, and the digest that its approval is bound to. */
interface InForce {
	readonly value: Policy;
	readonly digest: string;
}

/** The command tools of a turn, bound to the policy it was sealed with. */
export function createCommandPorts(
	envelope: Pick<TurnEnvelope, "identity" | "policy">,
	bound: () => Promise<Policy>,
	processes: Processes,
	environment: Readonly<Record<string, string | undefined>>,
): CommandPorts {
	const owner = envelope.identity.threadId;
	const sealed: InForce = envelope.policy;
	const policyFor = (call: CommandCall): InForce => (isOpen(call, sealed) ? escalate(sealed) : openFor(call, sealed));
	const withOffer = offerMore(sealed.value);
	return {
		runCommand: async (call, show, signal, before) => {
			// The sealed policy with its links resolved, as they were when the turn began.
			const value = await bound();
			const inForce = { value, digest: digestPolicy(value) };
			const { value: policy, digest } = isOpen(call, inForce) ? escalate(inForce) : openFor(call, inForce);
			const { approved, repository, askHost } = call;
			const request = {
				argv: toArgv(call, environment),
				cwd: call.cwd,
				policy,
				digest,
				environment,
				approved,
				repository,
				askHost,
			};
			const subject = describe(call, policyFor(call), environment);
			const process = { turnId: envelope.identity.turnId, call, subject, rights: sealed.value };
			const limits = { timeoutMs: call.timeoutMs, yieldMs: call.yieldMs };
			const options = { ...limits, held: describeContainment(call, policy), process, onOutput: show, before };
			return withOffer(call, await processes.run(owner, request, options, signal));
		},
		writeCommandInput: (processId, text, waitMs, signal) => processes.write(owner, { processId, text, waitMs }, signal),
		stopCommand: (processId) => processes.stop(owner, processId),
		findProcess: (processId) => processes.find(owner, processId),
		measureDeletion: async (paths, cwd) => measureDeletion(paths, cwd, readableIn(await bound()).isClosed),
		findRepository: async (cwd) => findRepository(cwd, await bound()),
		findClosedReads: async (paths, cwd) => findClosedReads(paths, cwd, await bound()),
		describeCommand: (call) => describe(call, policyFor(call), environment),
	};
}

/** Whether the command is not kept to the policy of the turn. */
function isOpen({ escalated }: CommandCall, { value }: InForce): boolean {
	return escalated || value.noSandbox !== undefined;
}

function escalate({ value, digest }: InForce): InForce {
	const escalated = value.noSandbox === undefined ? escalatePolicy(value) : uncontainedPolicy(value);
	return { value: escalated, digest: escalated === value ? digest : digestPolicy(escalated) };
}

/** What the user has opened for one command is part of its policy. */
function openFor(call: CommandCall, inForce: InForce): InForce {
	const value = withReads(inForce.value, listPaths(call));
	return value === inForce.value ? inForce : { value, digest: digestPolicy(value) };
}

function listPaths({ reads = [] }: CommandCall): readonly string[] {
	return reads.map(({ path }) => path);
}

function findClosedReads(paths: readonly string[], cwd: string, policy: Policy): readonly ClosedRead[] {
	const home = homedir();
	const places = paths.map((path) => findRealPath(resolve(cwd, expandHome(path, home))).real);
	const closed = [...new Set(places)].filter((path) => accessTo(policy, path) === "none");
	return closed.map((path) => ({ path, shown: shortenHome(path, home) }));
}

/** Adds a note for the model to a command that the sandbox refused; how to ask is stated once per command. */
function offerMore(policy: Policy): (call: CommandCall, report: CommandReport) => CommandReport {
	const offered = new Set<string>();
	return (call, report) => {
		if (report.state !== "ended" || call.escalated || policy.noSandbox !== undefined) return report;
		const reading = offerReading(report, withReads(policy, listPaths(call)));
		if (reading !== undefined) return { ...report, notes: [...report.notes, reading] };
		const denial = recogniseDenial(report, policy);
		if (denial === undefined) return report;
		const command = JSON.stringify([call.command, call.cwd]);
		const note = denialNote(denial, policy, offered.has(command) ? "again" : "first");
		offered.add(command);
		return { ...report, notes: [...report.notes, note] };
	};
}

function offerReading(report: Extract<CommandReport, { state: "ended" }>, policy: Policy): string | undefined {
	const home = homedir();
	const closed = guessClosedReads(report, policy, home).map((path) => ({ path, shown: shortenHome(path, home) }));
	return closed.length === 0 ? undefined : closedReadsNote(closed, policy);
}

function describeContainment(call: CommandCall, policy: Policy): Held {
	if (policy.noSandbox !== undefined) return { sandbox: say("held-by-nothing"), containment: "none" };
	if (call.escalated) return { sandbox: say("held-outside"), containment: "outside" };
	return { sandbox: sayPolicyName(policy), containment: policy.mode === "full" ? "fullAccess" : "sandboxed" };
}

function describeMore({ repository, reads = [] }: CommandCall): readonly Said[] {
	return [
		...(repository === undefined ? [] : [say("held-repository", { repository })]),
		...(reads.length === 0 ? [] : [say("held-reads", { paths: reads.map(({ shown }) => shown).join(", ") })]),
	];
}

function toArgv(
	{ command }: CommandCall,
	environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
	return typeof command === "string" ? shellArgv(command, environment) : command;
}

function describe(
	call: CommandCall,
	{ value: policy, digest }: InForce,
	host: Readonly<Record<string, string | undefined>>,
): CommandSubject {
	const environment = commandEnvironment(host, policy, call.cwd, call.repository);
	const argv = toArgv(call, host);
	const held = describeContainment(call, policy);
	const { program, programIdentity, cwd, digest: identity } = identifyLaunch(argv, call.cwd, environment, policy);
	return {
		argv,
		program,
		programIdentity,
		cwd,
		identity,
		inputOpenMs: call.yieldMs === undefined ? undefined : (call.timeoutMs ?? BACKGROUND_MS),
		environment: Object.keys(environment).sort(),
		sandbox: listSaid(held.sandbox, ...describeMore(call)),
		containment: held.containment,
		policyDigest: digest,
		network: sayNetwork(policy),
	};
}
