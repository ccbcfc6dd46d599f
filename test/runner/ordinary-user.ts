import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../support/editor-paths.ts";
import { WORKER, workerEnvironment } from "./start-worker.ts";

/** Somebody with no rights of their own on this machine, whom root can become. */
export interface OrdinaryUser {
	readonly startWorker: () => ChildProcess;
	readonly remove: () => void;
}

const ID = 1_000;

/** The project may be below a folder that only root can enter, so it is mounted where the user can; nothing in it can be written there. */
const BECOME = `
set -e
mount --bind "$1" "$3/project"
mount -o remount,bind,ro "$3/project"
mount --bind "$2" "$3/node"
cd "$3/project"
exec setpriv --reuid=${ID} --regid=${ID} --clear-groups -- "$3/node" "${WORKER}"
`;

export function createOrdinaryUser(): OrdinaryUser {
	const place = mkdtempSync(join(tmpdir(), "vitrine-"));
	for (const name of ["project", "home", "tmp", "cache"]) mkdirSync(join(place, name));
	writeFileSync(join(place, "node"), "");
	for (const path of [place, ...["home", "tmp", "cache"].map((name) => join(place, name))]) chownSync(path, ID, ID);
	const env = {
		...workerEnvironment(),
		HOME: join(place, "home"),
		TMPDIR: join(place, "tmp"),
		NODE_COMPILE_CACHE: join(place, "cache"),
		// Else each worker would have one of its own, and fill it again.
		VITRINE_HOST_CACHE: join(place, "cache", "host"),
		// Long counts are tried once, as root.
		VITRINE_FULL: undefined,
		USER: undefined,
		LOGNAME: undefined,
	};
	const become = ["--mount", "--propagation=private", "--", "sh", "-c", BECOME, "sh", PROJECT, process.execPath, place];
	return {
		startWorker: () =>
			spawn("unshare", become, { env, stdio: ["ignore", "inherit", "inherit", "ipc"] }).on("error", () => undefined),
		remove: () => rmSync(place, { recursive: true, force: true }),
	};
}
