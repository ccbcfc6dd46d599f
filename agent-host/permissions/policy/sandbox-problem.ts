import type { HostWarning } from "../../protocol/host/host.ts";
import { asFix, asMessage, say } from "../../protocol/say.ts";
import type { SandboxProblemCode } from "../../protocol/settings/policy-settings.ts";

/** Why commands cannot be contained on this machine, and the remedy. */
export interface SandboxProblem extends HostWarning {
	readonly code: SandboxProblemCode;
}

/** The available sandbox, or why there is none. */
export type SandboxState =
	/** `isBundled`: with the copy in the package. */
	| { readonly kind: "bubblewrap" | "seatbelt"; readonly isBundled?: true }
	| { readonly kind: "none"; readonly problem: SandboxProblem };

/** A problem and its fix, as one text. */
export function describeProblem({ message, fix }: SandboxProblem): string {
	return `${message} ${fix}`;
}

/** Why a command that must be contained did not run. */
export function describeRefusal(problem: SandboxProblem): string {
	return `The command did not run, because this policy needs a sandbox. ${describeProblem(problem)}`;
}

export function findProblem(code: SandboxProblemCode): SandboxProblem {
	return { code, ...asMessage(say(code)), ...asFix(say(`${code}-fix`)) };
}
