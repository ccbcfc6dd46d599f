import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of commands with our own commands in their PATH: `apply_patch` also works inside scripts. A sandbox that may not read
 * them goes without.
 */
export function withOwnCommands(environment: Environment, program: string | undefined, node: string): Environment {
	const folder = join(dirname(program ?? ""), "commands");
	if (program === undefined || !existsSync(join(folder, "apply_patch"))) return environment;
	const path = [folder, ...(environment.PATH === undefined ? [] : [environment.PATH])].join(delimiter);
	return { ...environment, PATH: path, VITRINE_NODE: node };
}
