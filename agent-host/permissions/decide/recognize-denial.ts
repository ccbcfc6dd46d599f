import type { Policy } from "../policy/policy.ts";
import { decide } from "./decide.ts";

/** The part of the sandbox that probably refused a command. */
export type Denial = "files" | "network" | "system";

export interface EndedCommand {
	readonly exitCode: number;
	readonly signal?: string;
	readonly output: string;
}

/** Programs report errors at the end of their output. */
const LOOKED_AT_CHARS = 16_384;
/** A shell's exit code for a missing program. */
const NOT_FOUND = 127;

/**
 * Whether the sandbox probably refused a command. A guess from its exit and output, which only decides whether the
 * model is told how to ask.
 */
export function recogniseDenial({ exitCode, signal, output }: EndedCommand, policy: Policy): Denial | undefined {
	if (exitCode === 0 || exitCode === NOT_FOUND || policy.mode === "full") return undefined;
	if (signal === "SIGSYS") return "system";
	const said = output.slice(-LOOKED_AT_CHARS);
	if (policy.network.kind !== "on" && NETWORK_TEXTS.test(said)) return "network";
	if (FILE_TEXTS.test(said)) return "files";
	return SYSTEM_TEXTS.test(said) ? "system" : undefined;
}

/** The note for the model: how to ask, if asking is possible and was not offered for this command before. */
export function denialNote(denial: Denial, policy: Policy, offer: "first" | "again"): string {
	const guess = `The sandbox probably blocked this: ${GUESSES[denial]}.`;
	if (offer === "again") return guess;
	const verdict = decide({ kind: "command", command: "", cwd: "", escalated: true }, policy);
	if (verdict.kind === "deny") return `${guess} ${verdict.reason.text}`;
	return `${guess} If the task needs it, run the same command again with escalate: {"reason": "why"}; the user is asked to allow it outside the sandbox.`;
}

const GUESSES: Readonly<Record<Denial, string>> = {
	files: "a file or folder is not readable or writable",
	network: "the network is not available",
	system: "a system call is not allowed",
};

const FILE_TEXTS = /read-only file system|\bEROFS\b|permission ?denied|\bEACCES\b|permissionerror/i;

const SYSTEM_TEXTS = /operation not permitted|\bEPERM\b|bad system call|seccomp/i;

const NETWORK_TEXTS = new RegExp(
	[
		"network is unreachable|\\bENETUNREACH\\b|network access is disabled",
		"could ?n[o']t resolve|unable to resolve|failed to lookup address|failed to resolve|temporary failure in name resolution",
		"name or service not known|nodename nor servname|no address associated with hostname|name resolution",
		"\\bEAI_AGAIN\\b|\\bENOTFOUND\\b|no such host|unknown ?host",
	].join("|"),
	"i",
);
