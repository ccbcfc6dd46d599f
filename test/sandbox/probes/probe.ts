import type { PermissionSettings } from "../../../agent-host/protocol/settings/policy-settings.ts";
import type { Fixture } from "./fixture.ts";

/**
 * One mechanism, tried inside the sandbox: a line of shell that must work, must fail, or leave nothing behind under its name.
 * `$WS`, `$OUT`, `$HOME_DIR`, `$OWN` name places.
 */
export type Probe = readonly [mechanism: string, expected: "works" | "fails" | "undone", script: string];

/** Probes of one policy; they run one after the other in one sandbox. */
export interface ProbeSet {
	readonly title: string;
	/** `port` is where a server listens on the host's loopback. */
	readonly permissions: (fixture: Fixture, port: number) => Partial<PermissionSettings>;
	readonly probes: readonly Probe[];
}

/** The script that tries them all and prints a number and a word for each. */
export function scriptOf(set: ProbeSet, variables: Readonly<Record<string, string | number>>): string {
	const set1 = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
	const lines = set.probes.map(
		([, , script], index) =>
			`if ( cd "$WS"; ${script}\n) </dev/null >/dev/null 2>&1; then echo "${index} works"; else echo "${index} fails"; fi`,
	);
	return [...set1, ...lines].join("\n");
}

/** What differs from what was expected, one line each. */
export function judge(set: ProbeSet, output: string): readonly string[] {
	const found = new Map(
		output.split("\n").flatMap((line) => {
			const match = /^(\d+) (works|fails)$/.exec(line);
			return match === null ? [] : [[Number(match[1]), match[2]] as const];
		}),
	);
	return set.probes.flatMap(([mechanism, expected], index) => {
		const was = found.get(index) ?? "did not run";
		const isAsExpected = was === expected || (expected === "undone" && found.has(index));
		return isAsExpected ? [] : [`${set.title}: ${mechanism}: expected "${expected}", but it ${was}`];
	});
}
