import {
	accessSync,
	constants,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmdirSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { processStartTime } from "../../process-start-time.ts";
import { type GroupFolder, groupFolders } from "./cgroup-folders.ts";

/**
 * Kernel groups that count processes, one for each command. Only root needs them, and usually only root can create
 * them.
 */
export interface Cgroups {
	/** Undefined if none can be created after all. */
	readonly make: (processes: number) => CommandGroup | undefined;
}

export interface CommandGroup {
	/** A process that writes 0 to this file joins the group, and everything it starts or becomes is counted there. */
	readonly join: string;
	/** Call when all its processes are gone. Returns whether the limit was reached. */
	readonly remove: () => boolean;
}

/** Limits that a process must not escape by leaving a group. */
const LIMITS = ["memory.max", "memory.high", "memory.swap.max", "cpu.max"];

/** The cgroups of this machine, or undefined if none can be created. */
export function findCgroups(): Cgroups | undefined {
	const folder = findGroupFolder();
	return folder === undefined ? undefined : openCgroups(folder);
}

/** The folder to create them in. */
export function findGroupFolder(): string | undefined {
	const folders = groupFolders(read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
	const isOpen = ({ path, leaves }: GroupFolder) => (leaves === undefined || !isLimited(leaves)) && isUsable(path);
	return folders.find(isOpen)?.path;
}

/** Creates groups in a folder, after removing those of dead hosts. */
export function openCgroups(folder: string): Cgroups {
	sweep(folder);
	// A thread joins alone at once where the kernel lets it; to move a whole process, it first waits for all processors.
	const entrance = existsSync(join(folder, "tasks")) ? "tasks" : "cgroup.procs";
	let left: readonly string[] = [];
	return {
		make: (processes) => {
			left = left.filter((path) => !removeGroup(path));
			const path = makeGroup(folder, processes);
			if (path === undefined) return undefined;
			return {
				join: join(path, entrance),
				remove: () => {
					const wasMet = Number(/^max (\d+)/m.exec(read(join(path, "pids.events")))?.[1] ?? 0) > 0;
					// The kernel may still be busy with the last process: retry with the next command.
					if (!removeGroup(path)) left = [...left, path];
					return wasMet;
				},
			};
		},
	};
}

function isLimited(group: string): boolean {
	return LIMITS.some((name) => !/^(?:max\b|$)/.test(read(join(group, name))));
}

/** Whether a counting group can be created here, and a process that could join it is let go of. */
function isUsable(folder: string): boolean {
	try {
		accessSync(join(folder, "cgroup.procs"), constants.W_OK);
	} catch {
		return false;
	}
	const path = makeGroup(folder, 1);
	return path !== undefined && removeGroup(path);
}

let made = 0;

/** Named after the host, so that the next one knows whether it is still needed. */
function makeGroup(folder: string, processes: number): string | undefined {
	const path = join(folder, `vitrine-${process.pid}-${processStartTime(process.pid) ?? 0}-${made++}`);
	try {
		mkdirSync(path);
	} catch {
		return undefined;
	}
	try {
		// Never created: in a folder that counts nothing there is no such file.
		writeFileSync(join(path, "pids.max"), String(processes), { flag: "r+" });
		return path;
	} catch {
		removeGroup(path);
		return undefined;
	}
}

function sweep(folder: string): void {
	for (const name of readdirSync(folder)) {
		const [, pid = "", began] = /^vitrine-(\d+)-(\d+)-\d+$/.exec(name) ?? [];
		if (began === undefined || processStartTime(Number(pid)) === began) continue;
		const path = join(folder, name);
		// A host that was killed while starting a command may have left the command running.
		for (const left of read(join(path, "cgroup.procs")).split("\n").filter(Boolean)) kill(Number(left));
		removeGroup(path);
	}
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// Already gone.
	}
}

/** Fails while a process is in it. */
function removeGroup(path: string): boolean {
	try {
		rmdirSync(path);
		return true;
	} catch {
		return false;
	}
}

function read(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}
