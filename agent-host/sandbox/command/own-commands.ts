import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { PLATFORM } from "../../platform/platform.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Adds our own commands to the PATH of a command's environment, so that `apply_patch` also works inside scripts. Left
 * out if the sandbox may not read them.
 */
export function withOwnCommands(environment: Environment, program: string | undefined, node: string): Environment {
	const folder = join(dirname(program ?? ""), "commands");
	if (program === undefined || !existsSync(join(folder, "apply_patch"))) return environment;
	const isPath = (name: string) => PLATFORM.keyOfVariable(name) === "PATH";
	const [[, path] = []] = Object.entries(environment).filter(([name]) => isPath(name));
	const others = Object.fromEntries(Object.entries(environment).filter(([name]) => !isPath(name)));
	return { ...others, PATH: [folder, ...(path === undefined ? [] : [path])].join(delimiter), VITRINE_NODE: node };
}
