import type { SandboxProblemCode } from "../../protocol/settings/policy-settings.ts";

/** What keeps commands from being contained on this machine, and what helps. */
export interface SandboxProblem {
	readonly code: SandboxProblemCode;
	readonly message: string;
	readonly fix: string;
}

/** What contains commands, or why nothing does. */
export type SandboxState =
	| { readonly kind: "bubblewrap" | "seatbelt" }
	| { readonly kind: "none"; readonly problem: SandboxProblem };

/** A problem and its fix, as one text. */
export function describeProblem({ message, fix }: SandboxProblem): string {
	return `${message} ${fix}`;
}

export function problemOf(code: SandboxProblemCode): SandboxProblem {
	const [message, fix] = PROBLEMS[code];
	return { code, message, fix };
}

const PROBLEMS: Readonly<Record<SandboxProblemCode, readonly [string, string]>> = {
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
