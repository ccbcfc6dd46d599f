import { closeSync, openSync, readlinkSync, readSync, statSync } from "node:fs";
import { findProblem, type SandboxProblem } from "../../permissions/policy/sandbox-problem.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { BUNDLED, type HostWarning } from "../../protocol/host/host.ts";
import { asFix, asMessage, say } from "../../protocol/say.ts";
import { runProbe } from "../launch.ts";
import { bundledSlot } from "./bundled.ts";
import { findCause, installCommand } from "./find-cause.ts";
import { type FoundBwrap, findBwrap, isOnWsl1 } from "./locate-bwrap.ts";
import { readKernelSettings, readMachineFacts } from "./machine-facts.ts";

/** A bubblewrap that was tried, and the identity of its file at that time. */
export interface UsableSandbox {
	readonly ok: true;
	readonly bwrap: string;
	readonly identity: string;
	readonly notice?: HostWarning;
}

export type SandboxProbe =
	| UsableSandbox
	/** `isUntried`: it could not be started or did not end in time, which may be due to the state of the machine. */
	| { readonly ok: false; readonly problem: SandboxProblem; readonly isUntried?: true };

/** Options without which a command cannot be contained properly. */
const NEEDED = ["--perms", "--clearenv", "--args", "--seccomp", "--json-status-fd", "--remount-ro", "--ro-bind-try"];

const PROBE_MS = 5_000;

/** Whether a process in bubblewrap really has its own namespaces and no capabilities. */
export function probeSandbox(bwrap: string): Promise<SandboxProbe> {
	return probeHelper(bwrap, PROBE_MS);
}

/** Covers everything a trial depends on that can be read without one: the file, and what the kernel permits users. */
export function stampBwrap(bwrap: string): string {
	return `${identifyFile(bwrap)} ${readKernelSettings()}`;
}

export type FoundSandbox = Extract<FoundBwrap, { readonly state: "found" }>;

/** Bubblewrap's location, or what is missing, without starting anything: for the host's start. */
export async function findSandbox(
	path: string | undefined,
	closed: readonly string[],
): Promise<FoundSandbox | SandboxProblem> {
	if (process.platform !== "linux") return findProblem("no-sandbox-here");
	if (isOnWsl1()) return problemHere("wsl1");
	const found = await findBwrap(path, closed, bundledSlot());
	switch (found.state) {
		case "found":
			return found;
		case "missing":
			return problemHere("bwrap-missing");
		case "changed":
			return findProblem("bwrap-changed");
	}
}

/** Tries one bubblewrap. One that fails, hangs, is too old or does not contain its command is unusable. */
export async function probeHelper(bwrap: string, timeoutMs: number): Promise<SandboxProbe> {
	const identity = identifyFile(bwrap);
	const help = await runProbe(bwrap, ["--help"], timeoutMs);
	if (help.exitCode === null) return { ...refuse("bwrap-broken", help.output), isUntried: true };
	if (help.exitCode !== 0) return refuse("bwrap-broken", help.output);
	if (NEEDED.some((option) => !help.output.includes(option))) return refuse("bwrap-too-old");
	const trial = await runProbe(bwrap, TRIAL, timeoutMs);
	if (trial.exitCode === null) return { ...refuse("bwrap-broken", trial.output), isUntried: true };
	const problem = evaluateTrial(trial.exitCode, trial.output);
	if (problem !== undefined) return refuse(problem, trial.output);
	return identity === undefined ? refuse("bwrap-broken") : { ok: true, bwrap, identity };
}

/** Identifies one file in one state; another file, or the same one after a write, differs. */
export function identifyFile(path: string): string | undefined {
	const stat = statSync(path, { throwIfNoEntry: false });
	return stat === undefined ? undefined : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
}

/** Whether a program is run by another one. */
export function isScript(path: string): boolean {
	const start = Buffer.alloc(SCRIPT_MARK.length);
	try {
		const handle = openSync(path, "r");
		try {
			readSync(handle, start, 0, start.length, 0);
		} finally {
			closeSync(handle);
		}
	} catch {
		// A program that may be run but not read, such as one with the set-user-ID bit, is not a script.
		return false;
	}
	return start.equals(SCRIPT_MARK);
}

const SCRIPT_MARK = Buffer.from("#!");

/** Whether a command could have put a program at this path. A root of `/` says nothing about that. */
export function isBelow(path: string, roots: readonly string[]): boolean {
	return roots.some((root) => root !== "/" && isInside(path, root));
}

const TRIAL = [
	...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--ro-bind", "/", "/"],
	...["--dev", "/dev", "--proc", "/proc", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--"],
	...[
		"/bin/sh",
		"-c",
		"readlink /proc/self/ns/user /proc/self/ns/pid /proc/self/ns/net; grep CapEff /proc/self/status",
	],
];

/** Evaluates a trial run. Detects a helper that runs the command without containing it. */
export function evaluateTrial(exitCode: number | null, output: string): SandboxProblem["code"] | undefined {
	if (exitCode !== 0) {
		if (/uid map|new namespace|Creating new namespace|RTM_NEW(?:ADDR|LINK)|user namespace/i.test(output))
			return "no-user-namespaces";
		return /mount proc|proc on/i.test(output) ? "no-proc" : "bwrap-broken";
	}
	const kinds = ["user", "pid", "net"];
	const isApart = kinds.every((kind) => {
		const inside = new RegExp(`^${kind}:\\[\\d+\\]$`, "m").exec(output)?.[0];
		return inside !== undefined && inside !== readlinkSync(`/proc/self/ns/${kind}`);
	});
	return isApart && /^CapEff:\s*0+$/m.test(output) ? undefined : "bwrap-broken";
}

/** Said where commands use the bubblewrap of the package. */
export function bundledNotice(): HostWarning {
	const command = installCommand(readMachineFacts().osRelease);
	return { code: BUNDLED, ...asMessage(say(BUNDLED)), ...asFix(say(`${BUNDLED}-fix`)), command };
}

/** The problem with what is behind it on this machine. */
function problemHere(found: SandboxProblem["code"]): SandboxProblem {
	const { code, command } = findCause(found, readMachineFacts());
	return { ...findProblem(code), ...(command !== undefined && { command }) };
}

function refuse(code: SandboxProblem["code"], detail = ""): { readonly ok: false; readonly problem: SandboxProblem } {
	const said = detail.trim().split("\n")[0]?.slice(0, 300) ?? "";
	const problem = problemHere(code);
	if (said === "") return { ok: false, problem };
	return { ok: false, problem: { ...problem, message: `${problem.message} (${said})`, detail: said } };
}
