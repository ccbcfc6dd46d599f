import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { isPrivate, mayRead } from "../../permissions/reach/reach.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";

/** The words that run a shell string: never a login or interactive shell, so that no start-up file is read. */
export function shellArgv(text: string): readonly string[] {
	return [existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh", "-c", text];
}

/** Resolves a program name as the sandbox will: by the command's PATH, and not among its temporary files. */
export function locateProgram(name: string, cwd: string, path: string, policy: Policy): string | undefined {
	if (name === "" || name.includes("\0")) return undefined;
	const candidates = name.includes("/")
		? [resolve(cwd, name)]
		: path.split(delimiter).map((folder) => join(folder, name));
	const found = candidates.find((candidate) => !isPrivate(policy, candidate) && isProgram(candidate));
	return found === undefined ? undefined : realpathSync(found);
}

/** Why a program cannot be started, or undefined. */
export function refuseProgram(name: string, cwd: string, path: string, policy: Policy): string | undefined {
	// Check this first: do not reveal whether there is a program in a closed place.
	const named = name.includes("/") ? findRealPath(resolve(cwd, name)) : undefined;
	if (named !== undefined && [named.real, ...named.via].some((one) => !mayRead(policy, one)))
		return `${name} is blocked.`;
	// The thread's files there are not visible from here.
	if (named !== undefined && isPrivate(policy, named.real)) return undefined;
	const found = locateProgram(name, cwd, path, policy);
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
