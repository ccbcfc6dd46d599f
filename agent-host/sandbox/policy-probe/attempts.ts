import { join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { enforcedAccess } from "../../permissions/reach/reach.ts";
import type { PolicyAttempt } from "../../protocol/host/health.ts";

/** What a command does to find out; `script.ts` knows how. */
export type Act =
	| { readonly kind: "read" | "create"; readonly path: string }
	/** Through Node, or where the policy closes that, by looking for a network to connect to. */
	| { readonly kind: "connect"; readonly node: string }
	| { readonly kind: "interfaces" }
	/** Of the host: its number, and when it began. */
	| { readonly kind: "process"; readonly pid: number; readonly processStartTime: string }
	| { readonly kind: "signal"; readonly pid: number }
	| { readonly kind: "privilege" }
	| { readonly kind: "variable"; readonly name: string };

export interface Attempt extends Pick<PolicyAttempt, "what" | "expected"> {
	readonly act: Act;
}

/** What there is to try it on. Every path in its real spelling. */
export interface TrialPlaces {
	readonly cwd: string;
	/** Where a new file of this name would do no harm, and where the host itself could make one. */
	readonly folders: readonly string[];
	/** Names under which nothing exists that a command must not make. */
	readonly missing: readonly string[];
	/** Files and folders that exist and that the policy closes. */
	readonly closed: readonly string[];
	/** A name that nothing has. */
	readonly fresh: string;
	/** The host's own program, as far as commands may read it. */
	readonly node: string | undefined;
	/** A variable of the host's that commands do not get. */
	readonly variable: string | undefined;
	readonly host: { readonly pid: number; readonly processStartTime: string | undefined };
	/** Whether this machine has a network to reach. */
	readonly isOnline: boolean;
}

/** What a command under this policy is to try, and what must come of it. Nothing of it harms if nothing contains it. */
export function planAttempts(policy: Policy, places: TrialPlaces): readonly Attempt[] {
	return [
		...[places.cwd, ...places.closed].map((path) => fileAttempt(policy, `read ${path}`, { kind: "read", path })),
		...places.folders.map((folder) =>
			fileAttempt(policy, `create a file in ${folder}`, { kind: "create", path: join(folder, places.fresh) }),
		),
		...places.missing.map((path) => fileAttempt(policy, `make ${path}`, { kind: "create", path })),
		...networkAttempts(policy, places),
		...processAttempts(policy, places),
		...(places.variable === undefined ? [] : [variableAttempt(places.variable)]),
	];
}

function fileAttempt(policy: Policy, what: string, act: Extract<Act, { readonly path: string }>): Attempt {
	const access = enforcedAccess(policy, act.path);
	const isAllowed = act.kind === "read" ? access !== "none" : access === "write";
	return { what, expected: isAllowed ? "allowed" : "refused", act };
}

/** Past the proxy nothing leads out where only some hosts are open. */
function networkAttempts({ network }: Policy, { node, isOnline }: TrialPlaces): readonly Attempt[] {
	if (network.kind === "on" && !isOnline) return [];
	const act: Act = node === undefined ? { kind: "interfaces" } : { kind: "connect", node };
	const what = node === undefined ? "see a network" : "open a network connection";
	return [{ what, expected: network.kind === "on" ? "allowed" : "refused", act }];
}

function processAttempts({ mode }: Policy, { host: { pid, processStartTime } }: TrialPlaces): readonly Attempt[] {
	const what = "see the agent host's process";
	if (processStartTime === undefined)
		return mode === "full" ? [] : [{ what, expected: "refused", act: { kind: "signal", pid } }];
	return [
		{ what, expected: "refused", act: { kind: "process", pid, processStartTime } },
		{ what: "have system privileges", expected: "refused", act: { kind: "privilege" } },
	];
}

function variableAttempt(name: string): Attempt {
	return { what: `see the host's variable ${name}`, expected: "refused", act: { kind: "variable", name } };
}
