import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { NO_HOME } from "../store/home/no-home.ts";

/**
 * Makes sure that this process and every command agree on a home folder. A user may have none, as in many containers,
 * or `HOME` may be relative: then places such as `~/.ssh` would be looked for somewhere else, and not be closed.
 */
export function ensureHome(env: NodeJS.ProcessEnv = process.env): void {
	if (isHome(tryTo(homedir))) return;
	const known = tryTo(() => userInfo().homedir);
	env.HOME = isHome(known) ? known : NO_HOME;
}

function isHome(path: string | undefined): path is string {
	return path !== undefined && isAbsolute(path);
}

function tryTo(look: () => string): string | undefined {
	try {
		return look();
	} catch {
		return undefined;
	}
}
