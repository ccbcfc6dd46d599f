import { readlinkSync, statSync } from "node:fs";
import { isInside } from "../../permissions/reach.ts";
import { runProbe } from "../launch.ts";
import { findBwrap, isOnWsl1 } from "../locate.ts";
import { bundledSlot } from "./bundled.ts";

/** What keeps commands from being contained on this machine, and what helps. */
export interface SandboxProblem {
	readonly code:
		| "no-sandbox-here"
		| "bwrap-missing"
		| "bwrap-changed"
		| "bwrap-too-old"
		| "bwrap-broken"
		| "no-user-namespaces"
		| "no-proc"
		| "wsl1"
		| "seatbelt-missing"
		| "seatbelt-broken";
	readonly message: string;
	readonly fix: string;
}

/** A bubblewrap that was tried, and which file it was then. */
export interface UsableSandbox {
	readonly ok: true;
	readonly bwrap: string;
	readonly identity: string;
}

export type SandboxProbe = UsableSandbox | { readonly ok: false; readonly problem: SandboxProblem };

/** Options without which a command cannot be contained as it should be. */
const NEEDED = ["--perms", "--clearenv", "--args", "--seccomp", "--json-status-fd", "--remount-ro", "--ro-bind-try"];

const PROBE_MS = 5_000;

/** Finds bubblewrap and tries it once: whether a process in it really has namespaces of its own and no capability. */
export async function probeSandbox(path: string | undefined, closed: readonly string[]): Promise<SandboxProbe> {
	const found = await findSandbox(path, closed);
	return typeof found === "string" ? probeHelper(found, PROBE_MS) : { ok: false, problem: found };
}

/** Where bubblewrap is, or what is missing, found without starting anything: for the host's start. */
export async function findSandbox(
	path: string | undefined,
	closed: readonly string[],
): Promise<string | SandboxProblem> {
	if (process.platform !== "linux") return problemOf("no-sandbox-here");
	if (isOnWsl1()) return problemOf("wsl1");
	const found = await findBwrap(path, closed, bundledSlot());
	switch (found.state) {
		case "found":
			return found.file;
		case "missing":
			return problemOf("bwrap-missing");
		case "changed":
			return problemOf("bwrap-changed");
	}
}

/** Tries one bubblewrap. One that fails, hangs, is too old or does not contain what it starts is of no use. */
export async function probeHelper(bwrap: string, timeoutMs: number): Promise<SandboxProbe> {
	const identity = identityOf(bwrap);
	const help = await runProbe(bwrap, ["--help"], timeoutMs);
	if (help.exitCode !== 0) return no("bwrap-broken", help.output);
	if (NEEDED.some((option) => !help.output.includes(option))) return no("bwrap-too-old");
	const trial = await runProbe(bwrap, TRIAL, timeoutMs);
	const problem = judgeTrial(trial.exitCode, trial.output);
	if (problem !== undefined) return no(problem, trial.output);
	return identity === undefined ? no("bwrap-broken") : { ok: true, bwrap, identity };
}

/** Names one file in one state; another file, or the same one written to, has another name. */
export function identityOf(path: string): string | undefined {
	const stat = statSync(path, { throwIfNoEntry: false });
	return stat === undefined ? undefined : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
}

/** Whether a program lies where a command could have put it. A root of `/` says nothing about that. */
export function liesWithin(path: string, roots: readonly string[]): boolean {
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

/** What a trial run shows to be missing. A helper that runs the command without containing it is found out here. */
export function judgeTrial(exitCode: number | null, output: string): SandboxProblem["code"] | undefined {
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

function no(code: SandboxProblem["code"], detail = ""): SandboxProbe {
	const said = detail.trim().split("\n")[0]?.slice(0, 300) ?? "";
	const { message, fix } = problemOf(code);
	return { ok: false, problem: { code, message: said === "" ? message : `${message} (${said})`, fix } };
}

/** A problem and its fix, as one text. */
export function describeProblem({ message, fix }: SandboxProblem): string {
	return `${message} ${fix}`;
}

export function problemOf(code: SandboxProblem["code"]): SandboxProblem {
	const [message, fix] = PROBLEMS[code];
	return { code, message, fix };
}

const PROBLEMS: Readonly<Record<SandboxProblem["code"], readonly [string, string]>> = {
	"no-sandbox-here": [
		"There is no sandbox on this machine, so no command runs.",
		"Use Linux, macOS, a dev container or WSL 2.",
	],
	"bwrap-missing": [
		"Bubblewrap (bwrap) was not found outside the workspace, so no command runs.",
		"Install it: apt install bubblewrap, dnf install bubblewrap, or apk add bubblewrap.",
	],
	"bwrap-changed": [
		"The bubblewrap that came with Vitrine is not the one that was packed, so no command runs.",
		"Reinstall the extension, or install bubblewrap from your system's packages.",
	],
	"bwrap-too-old": [
		"This bubblewrap is too old to contain commands, so none runs.",
		"Install bubblewrap 0.5 or later.",
	],
	"bwrap-broken": [
		"Bubblewrap does not contain what it starts, so no command runs.",
		"Run `bwrap --unshare-all --ro-bind / / true` in a terminal to see why, and reinstall bubblewrap.",
	],
	"no-user-namespaces": [
		"This system does not let ordinary users make namespaces, so no command runs.",
		"Allow them: sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu an AppArmor profile for bwrap; in a container, run it with user namespaces allowed.",
	],
	"no-proc": [
		"A fresh /proc cannot be mounted here, so no command runs.",
		"In a container, start it so that /proc is not masked (for Docker: --security-opt systempaths=unconfined).",
	],
	wsl1: [
		"WSL 1 has no namespaces, so no command runs.",
		"Move this distribution to WSL 2: wsl --set-version <name> 2.",
	],
	"seatbelt-missing": [
		"/usr/bin/sandbox-exec is missing, so no command runs.",
		"It is a part of macOS; reinstall the system's command-line programs.",
	],
	"seatbelt-broken": [
		"/usr/bin/sandbox-exec does not contain what it starts, so no command runs.",
		"A sandbox cannot be made inside another one: start the editor outside of it.",
	],
};
