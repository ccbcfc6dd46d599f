// Given to the built host with `--import`: what the host imports of Node then answers as it does on Windows, on a
// drive C: that is this machine's disk. Node itself and the tests are not affected.
import os from "node:os";
import { win32 } from "node:path";
import sqlite from "node:sqlite";
import url from "node:url";
import { fakeFiles, fakePromises } from "./fake-files.ts";
import { fakeProcesses, hideProcessGroups } from "./fake-processes.ts";
import { toUnix, toWindows, windowsEnvironment } from "./paths.ts";

const { env } = process;
const environment = windowsEnvironment(env);
Object.defineProperty(process, "platform", { value: "win32" });
Object.defineProperty(process, "env", { value: environment });
for (const name of ["getuid", "geteuid", "getgid", "getegid"] as const) Object.assign(process, { [name]: undefined });
hideProcessGroups();

class Database extends sqlite.DatabaseSync {
	constructor(path: string, options?: sqlite.DatabaseSyncOptions) {
		super(toUnix(path), { ...options });
	}
}

const FAKES: Readonly<Record<string, object>> = {
	"node:fs": fakeFiles,
	"node:fs/promises": fakePromises,
	"node:path": { ...win32, win32, resolve: onDrive(win32.resolve), relative: onDrive(win32.relative) },
	"node:child_process": fakeProcesses,
	"node:sqlite": { ...sqlite, DatabaseSync: Database },
	"node:os": {
		...os,
		EOL: "\r\n",
		platform: () => "win32",
		homedir: () => environment.USERPROFILE ?? "C:\\",
		tmpdir: () => environment.TEMP ?? "C:\\Windows\\Temp",
	},
	"node:url": {
		...url,
		fileURLToPath: (from: string | URL) => url.fileURLToPath(from, { windows: true }),
		pathToFileURL: (path: string) => url.pathToFileURL(path, { windows: true }),
	},
};
/** Node itself still needs the folder that it is in as this machine calls it. */
function onDrive<A extends readonly unknown[], R>(call: (...args: A) => R): (...args: A) => R {
	return (...args) => {
		const { cwd } = process;
		process.cwd = () => toWindows(cwd());
		try {
			return call(...args);
		} finally {
			process.cwd = cwd;
		}
	};
}

// The chunks are given Node's modules through this, and nothing else asks for one there: the file that loads the chunks goes
// on with the disk as it is. Our own code names the modules with their prefix; libraries in the same chunks do not.
const { getBuiltinModule } = process;
process.getBuiltinModule = ((name: string) => FAKES[name] ?? getBuiltinModule(name)) as typeof getBuiltinModule;
