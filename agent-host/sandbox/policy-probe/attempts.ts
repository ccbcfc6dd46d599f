import { join } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { enforcedAccess } from "../../permissions/reach/reach.ts";
import type { PolicyAttempt } from "../../protocol/host/health.ts";
import { type Said, say } from "../../protocol/say.ts";

/** What a command does to test the policy; implemented in `probe-script.ts`. */
export type Act =
	| { readonly kind: "read" | "create"; readonly path: string }
	/** With Node or, if the policy closes that, by looking for a network interface. */
	| { readonly kind: "connect"; readonly node: string }
	| { readonly kind: "interfaces" }
	/** The host's process id and start time. */
	| { readonly kind: "process"; readonly pid: number; readonly processStartTime: string }
	| { readonly kind: "signal"; readonly pid: number }
	| { readonly kind: "privilege" }
	| { readonly kind: "variable"; readonly name: string };

export interface Attempt extends Pick<PolicyAttempt, "expected"> {
	readonly what: Said;
	readonly act: Act;
}

/** The places to test on, with all links resolved. */
export interface ProbePlaces {
	readonly cwd: string;
	/** Folders where a new file of this name is harmless, and where the host itself could create one. */
	readonly folders: readonly string[];
	/** Missing paths that a command must not create. */
	readonly missing: readonly string[];
	/** Existing files and folders that the policy closes. */
	readonly closed: readonly string[];
	/** An unused name. */
	readonly fresh: string;
	/** The host's Node, if commands may read it. */
	readonly node: string | undefined;
	/** A variable of the host that commands do not get. */
	readonly variable: string | undefined;
	readonly host: { readonly pid: number; readonly processStartTime: string | undefined };
	/** Whether this machine has a network. */
	readonly isOnline: boolean;
}

/**
 * What a command under this policy tries, and the required outcomes. All attempts are harmless even without a sandbox.
 */
export function planAttempts(policy: Policy, places: ProbePlaces): readonly Attempt[] {
	return [
		...[places.cwd, ...places.closed].map((path) =>
			fileAttempt(policy, say("attempt-read", { path }), { kind: "read", path }),
		),
		...places.folders.map((folder) =>
			fileAttempt(policy, say("attempt-create", { folder }), { kind: "create", path: join(folder, places.fresh) }),
		),
		...places.missing.map((path) => fileAttempt(policy, say("attempt-make", { path }), { kind: "create", path })),
		...networkAttempts(policy, places),
		...processAttempts(policy, places),
		...(places.variable === undefined ? [] : [variableAttempt(places.variable)]),
	];
}

function fileAttempt(policy: Policy, what: Said, act: Extract<Act, { readonly path: string }>): Attempt {
	const access = enforcedAccess(policy, act.path);
	const isAllowed = act.kind === "read" ? access !== "none" : access === "write";
	return { what, expected: isAllowed ? "allowed" : "refused", act };
}

/** With allowed sites only, nothing leads out past the proxy. */
function networkAttempts({ network }: Policy, { node, isOnline }: ProbePlaces): readonly Attempt[] {
	if (network.kind === "on" && !isOnline) return [];
	const act: Act = node === undefined ? { kind: "interfaces" } : { kind: "connect", node };
	const what = node === undefined ? say("attempt-see-network") : say("attempt-connect");
	return [{ what, expected: network.kind === "on" ? "allowed" : "refused", act }];
}

function processAttempts({ mode }: Policy, { host: { pid, processStartTime } }: ProbePlaces): readonly Attempt[] {
	const what = say("attempt-see-host");
	if (processStartTime === undefined)
		return mode === "full" ? [] : [{ what, expected: "refused", act: { kind: "signal", pid } }];
	return [
		{ what, expected: "refused", act: { kind: "process", pid, processStartTime } },
		{ what: say("attempt-privileges"), expected: "refused", act: { kind: "privilege" } },
	];
}

function variableAttempt(name: string): Attempt {
	return { what: say("attempt-variable", { name }), expected: "refused", act: { kind: "variable", name } };
}
