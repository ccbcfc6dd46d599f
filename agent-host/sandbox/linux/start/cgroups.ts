import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beganAt } from "../../began-at.ts";
import { groupFolders } from "./cgroup-folders.ts";

/** Groups of the kernel that count processes, one for each command. Only root needs them, and mostly only root can make them. */
export interface Cgroups {
	/** Undefined where none can be made after all. */
	readonly make: (processes: number) => CommandGroup | undefined;
}

export interface CommandGroup {
	/** Takes a process in; what it starts from now on counts too. Says whether that worked. */
	readonly take: (pid: number) => boolean;
	/** When all its processes are gone. Says whether the limit was met. */
	readonly remove: () => boolean;
}

const PREFIX = "vitrine-";
/** What a process must not escape by leaving a group. */
const LIMITS = ["memory.max", "memory.high", "memory.swap.max", "cpu.max"];

/** Finds a place for groups, and sweeps what hosts that are gone left there. Undefined where there is none. */
export function findCgroups(): Cgroups | undefined {
	const folders = groupFolders(read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
	const place = folders.find(({ path, leaves }) => (leaves === undefined || !isLimited(leaves)) && isUsable(path));
	if (place === undefined) return undefined;
	sweep(place.path);
	let left: readonly string[] = [];
	return {
		make: (processes) => {
			left = left.filter((path) => !removeGroup(path));
			const path = makeGroup(place.path, processes);
			if (path === undefined) return undefined;
			return {
				take: (pid) => write(join(path, "cgroup.procs"), String(pid)),
				remove: () => {
					const wasMet = Number(/^max (\d+)/m.exec(read(join(path, "pids.events")))?.[1] ?? 0) > 0;
					// The kernel may still be busy with the last process: then with the next command.
					if (!removeGroup(path)) left = [...left, path];
					return wasMet;
				},
			};
		},
	};
}

function isUsable(folder: string): boolean {
	const path = makeGroup(folder, 1);
	return path !== undefined && removeGroup(path);
}

function isLimited(group: string): boolean {
	return LIMITS.some((name) => !/^(?:max\b|$)/.test(read(join(group, name))));
}

let made = 0;

/** Named after the host, so that the next one knows whether it is still needed. */
function makeGroup(folder: string, processes: number): string | undefined {
	const path = join(folder, `${PREFIX}${process.pid}-${beganAt(process.pid) ?? 0}-${made++}`);
	try {
		mkdirSync(path);
	} catch {
		return undefined;
	}
	if (write(join(path, "pids.max"), String(processes))) return path;
	removeGroup(path);
	return undefined;
}

function sweep(folder: string): void {
	for (const name of readdirSync(folder)) {
		const [, pid = "", began] = /^vitrine-(\d+)-(\d+)-\d+$/.exec(name) ?? [];
		if (began === undefined || beganAt(Number(pid)) === began) continue;
		const path = join(folder, name);
		for (const left of read(join(path, "cgroup.procs")).split("\n").filter(Boolean)) kill(Number(left));
		removeGroup(path);
	}
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// Gone already.
	}
}

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

/** Never makes a file: in a folder that is no group, there is none to write to. */
function write(path: string, text: string): boolean {
	try {
		writeFileSync(path, text, { flag: "r+" });
		return true;
	} catch {
		return false;
	}
}
