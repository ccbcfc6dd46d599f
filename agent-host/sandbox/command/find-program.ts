import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { isPrivate, mayRead } from "../../permissions/reach/reach.ts";
import { PLATFORM } from "../../platform/platform.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The words that run a shell string: never a login or interactive shell, so that no start-up file is read. */
export function shellArgv(text: string, environment: Environment): readonly string[] {
	return PLATFORM.shellArgv(text, existsSync, environment);
}

/** Resolves a program name as the sandbox will: by the command's PATH, and not among its temporary files. */
export function locateProgram(name: string, cwd: string, environment: Environment, policy: Policy): string | undefined {
	if (name === "" || name.includes("\0")) return undefined;
	const folders = PLATFORM.isPlaced(name) ? [cwd] : (environment.PATH ?? "").split(delimiter);
	const names = PLATFORM.programNames(name, environment);
	const candidates = folders.flatMap((folder) => names.map((one) => resolve(folder, one)));
	const found = candidates.find((candidate) => !isPrivate(policy, candidate) && isProgram(candidate));
	return found === undefined ? undefined : realpathSync(found);
}

/** Why a program cannot be started, or undefined. */
export function refuseProgram(name: string, cwd: string, environment: Environment, policy: Policy): string | undefined {
	// Check this first: do not reveal whether there is a program in a closed place.
	const named = PLATFORM.isPlaced(name) ? findRealPath(resolve(cwd, name)) : undefined;
	if (named !== undefined && [named.real, ...named.via].some((one) => !mayRead(policy, one)))
		return `${name} is blocked.`;
	// The thread's files there are not visible from here.
	if (named !== undefined && isPrivate(policy, named.real)) return undefined;
	const found = locateProgram(name, cwd, environment, policy);
	if (found === undefined) return name === "" ? "The command is empty." : `${name}: command not found.`;
	return mayRead(policy, found) ? undefined : `${name} is blocked.`;
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}
