import type { SandboxProblem, SandboxState } from "../../permissions/policy/sandbox-problem.ts";
import type { HostWarning } from "../../protocol/host/host.ts";
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
	tell: { readonly problem: (problem: HostWarning) => void; readonly changed: () => void },
): SandboxWatch {
	let last: SandboxState | undefined;
	const note = (state: SandboxState, notice?: HostWarning): SandboxState => {
		const before = last;
		last = state;
		if (describe(before) === describe(state)) return state;
		if (state.kind === "none") tell.problem(state.problem);
		else if (notice !== undefined) tell.problem(notice);
		tell.changed();
		return state;
	};
	const toState = (problem: SandboxProblem | undefined): SandboxState =>
		problem === undefined ? { kind: sandbox.kind } : { kind: "none", problem };
	return {
		look: async (retry) => {
			const tried = await sandbox.probe(retry);
			if (!tried.ok) return note(toState(tried.problem));
			return note({ kind: sandbox.kind, ...(tried.notice !== undefined && { isBundled: true }) }, tried.notice);
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
	if (state?.kind === "none") return state.problem.code;
	return state?.isBundled ? `${state.kind}, bundled` : state?.kind;
}
