import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Policy } from "../permissions/policy.ts";
import { mayRead } from "../permissions/reach.ts";

/** Why a program cannot be started, or nothing. Looked up as the sandbox will: by the command's own PATH. */
export function findProgram(name: string, cwd: string, path: string, policy: Policy): string | undefined {
	if (name === "" || name.includes("\0")) return "The command is empty.";
	const candidates = name.includes("/")
		? [resolve(cwd, name)]
		: path.split(delimiter).map((folder) => join(folder, name));
	const found = candidates.find(isProgram);
	if (found === undefined) return `There is no program ${name}.`;
	return mayRead(policy, realpathSync(found)) ? undefined : `${found} is closed to the agent.`;
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}
