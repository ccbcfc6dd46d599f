import type { SandboxProblem, SandboxState } from "../../permissions/policy/sandbox-problem.ts";
import type { Sandbox } from "../../sandbox/backend.ts";

/** The sandbox's state: checked whenever a turn is sealed; the user is notified when it changes. */
export interface SandboxWatch {
	/** `failed`: what did not work before is tried again. */
	readonly look: (retry?: "failed") => Promise<SandboxState>;
	/** As far as can be told without starting anything: for a workspace in which no command runs anyway. */
	readonly glance: () => Promise<SandboxState>;
	readonly last: () => SandboxState | undefined;
}

export function createSandboxWatch(
	sandbox: Pick<Sandbox, "kind" | "probe" | "missing">,
	tell: { readonly problem: (problem: SandboxProblem) => void; readonly changed: () => void },
): SandboxWatch {
	let last: SandboxState | undefined;
	const note = (state: SandboxState): SandboxState => {
		const before = last;
		last = state;
		if (describe(before) === describe(state)) return state;
		if (state.kind === "none") tell.problem(state.problem);
		tell.changed();
		return state;
	};
	const toState = (problem: SandboxProblem | undefined): SandboxState =>
		problem === undefined ? { kind: sandbox.kind } : { kind: "none", problem };
	return {
		look: async (retry) => {
			const tried = await sandbox.probe(retry);
			return note(toState(tried.ok ? undefined : tried.problem));
		},
		glance: async () => {
			const problem = await sandbox.missing();
			// A glance does not overrule the result of a trial.
			if (problem === undefined) return last ?? toState(undefined);
			return note(toState(problem));
		},
		last: () => last,
	};
}

function describe(state: SandboxState | undefined): string | undefined {
	return state?.kind === "none" ? state.problem.code : state?.kind;
}
