import { readFileSync, readlinkSync, statSync } from "node:fs";
import { problemOf, type SandboxProblem } from "../../permissions/policy/sandbox-problem.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { runProbe } from "../launch.ts";
import { bundledSlot } from "./bundled.ts";
import { findBwrap, isOnWsl1 } from "./locate-bwrap.ts";

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

/** Whether a process in a bubblewrap really has namespaces of its own and no capability. */
export function probeSandbox(bwrap: string): Promise<SandboxProbe> {
	return probeHelper(bwrap, PROBE_MS);
}

/** Stands for all that a trial depends on and that can be read without one: the file, and what the kernel lets users do. */
export function stampOf(bwrap: string): string {
	return [identityOf(bwrap), ...KERNEL_SWITCHES.map(readSwitch)].join(" ");
}

const KERNEL_SWITCHES = [
	"/proc/sys/kernel/unprivileged_userns_clone",
	"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	"/proc/sys/user/max_user_namespaces",
];

function readSwitch(file: string): string {
	try {
		return readFileSync(file, "utf8").trim();
	} catch {
		return "";
	}
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
	const problem = problemOf(code);
	if (said === "") return { ok: false, problem };
	return { ok: false, problem: { ...problem, message: `${problem.message} (${said})`, detail: said } };
}
