import { statSync } from "node:fs";
import type { Policy } from "../../permissions/policy/policy.ts";
import { hashBytes } from "../../workspace/apply/hash-bytes.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { locateProgram } from "./find-program.ts";

/** What exactly would be started: an approval is bound to it, and it is computed again when the command starts. */
export interface LaunchIdentity {
	/** Every link resolved. */
	readonly program: string | undefined;
	/** Identifies the program file, also if another one replaces it. */
	readonly programIdentity: string | undefined;
	/** Every link resolved. */
	readonly cwd: string;
	/** Covers all of this, the arguments and the names of the variables. */
	readonly digest: string;
}

export function identifyLaunch(
	argv: readonly string[],
	cwd: string,
	environment: Readonly<Record<string, string>>,
	policy: Policy,
): LaunchIdentity {
	const place = findRealPath(cwd).real;
	const program = locateProgram(argv[0] ?? "", place, environment, policy);
	const programIdentity = program === undefined ? undefined : identityOfFile(program);
	const facts = [argv, place, identifyFolder(place), Object.keys(environment).sort(), program, programIdentity];
	const digest = hashBytes(Buffer.from(JSON.stringify(facts)));
	return { program, programIdentity, cwd: place, digest };
}

function identityOfFile(path: string): string | undefined {
	try {
		const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
		return [dev, ino, size, mtimeNs, ctimeNs].join(":");
	} catch {
		return undefined;
	}
}

/** A folder's identity does not change when files in it do. */
function identifyFolder(path: string): string | undefined {
	try {
		const { dev, ino } = statSync(path, { bigint: true });
		return `${dev}:${ino}`;
	} catch {
		return undefined;
	}
}
