import type { HostWarning } from "../../protocol/host/host.ts";
import { asFix, asMessage, say } from "../../protocol/say.ts";
import type { SandboxProblemCode } from "../../protocol/settings/policy-settings.ts";

/** What keeps commands from being contained on this machine, and what helps. */
export interface SandboxProblem extends HostWarning {
	readonly code: SandboxProblemCode;
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
	return { code, ...asMessage(say(code)), ...asFix(say(`${code}-fix`)) };
}
