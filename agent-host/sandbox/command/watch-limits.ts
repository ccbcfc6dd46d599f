import { readFileSync } from "node:fs";
import { readFile, statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import type { CommandLimits, Policy } from "../../permissions/policy/policy.ts";
import { writableRoots } from "../../permissions/reach/reach.ts";

/** How often a command's memory and disk use are checked. */
const LOOK_MS = 100;
/** Limit for the processes that are added up; the process limit bounds commands with more. */
const MAX_PROCESSES = 4_096;
const PAGE_BYTES = 4_096;

/**
 * Watches a running command, and calls `end` once with a sentence if it must end. Returns a function that stops the
 * watch.
 */
export type Watch = (pid: number, end: (sentence: string) => void) => () => void;

/**
 * Watches what the kernel does not limit for an ordinary user: the memory of all processes of a command together, with
 * files that it keeps in memory, and the space used on the file systems that it may write to. What other programs write
 * or share meanwhile counts too.
 */
export function limitsToWatch(policy: Pick<Policy, "limits" | "filesystem">, temporary: readonly string[]): Watch {
	const memory = memoryLimit(policy.limits);
	const { diskBytes } = policy.limits;
	return (pid, exceeded) => {
		let state: "watching" | "over" = "watching";
		let timer: NodeJS.Timeout | undefined;
		// Measured at the first check: a command that is over by then cannot have used much.
		let before: Promise<ReadonlyMap<string, number>> | undefined;
		const measureGrowth = memory === 0 ? undefined : watchShared();
		const look = async (): Promise<void> => {
			if (diskBytes > 0) before ??= measureFreeSpace([...writableRoots(policy), ...temporary]);
			const sentence =
				(measureGrowth === undefined ? undefined : await memoryBeyond(pid, memory, await measureGrowth())) ??
				(before === undefined ? undefined : await diskBeyond(await before, diskBytes));
			if (state === "over") return;
			if (sentence === undefined) {
				timer = setTimeout(look, LOOK_MS);
				return;
			}
			state = "over";
			exceeded(sentence);
		};
		if (memory > 0 || diskBytes > 0) timer = setTimeout(look, LOOK_MS);
		return () => {
			state = "over";
			clearTimeout(timer);
		};
	};
}

/** Bytes; 0 for no limit. */
function memoryLimit({ memoryBytes }: Pick<CommandLimits, "memoryBytes">): number {
	return memoryBytes === "half" ? Math.floor(totalmem() / 2) : memoryBytes;
}

function memorySentence(bytes: number): string {
	return `Stopped: it used more than ${inMegabytes(bytes)} of memory (setting vitrine.permissions.limits.memory).`;
}

export function fileSentence(bytes: number): string {
	return `It tried to write a file larger than ${inMegabytes(bytes)}, which was blocked (setting vitrine.permissions.limits.fileSize).`;
}

function diskSentence(bytes: number): string {
	return `Stopped: ${inMegabytes(bytes)} of disk space were used while it ran (setting vitrine.permissions.limits.diskGrowth).`;
}

function inMegabytes(bytes: number): string {
	return `${Math.round(bytes / 1_048_576).toLocaleString("en-US")} MB`;
}

async function memoryBeyond(pid: number, most: number, shared: number): Promise<string | undefined> {
	const pids = await listProcessTree(pid);
	const resident = await sumBytes(pids, readResident);
	if (resident + shared <= most) return undefined;
	// Shared pages were counted once per process, and again with the machine's.
	const parts = await Promise.all(pids.map(readParts));
	const own = parts.reduce((sum, part) => sum + part.own, 0);
	const mapped = parts.reduce((sum, part) => sum + part.shared, 0);
	return own + Math.max(mapped, shared) > most ? memorySentence(most) : undefined;
}

/**
 * How much they have grown since they were least: what a command before this one kept may be freed only now, and must
 * not hide what this one keeps.
 */
function watchShared(): () => Promise<number> {
	// At once: a start waits for every other way to read it.
	let least = sharedIn(readNow("/proc/meminfo"));
	return async () => {
		const now = sharedIn(await read("/proc/meminfo"));
		least = Math.min(least, now);
		return now - least;
	};
}

/**
 * Files in memory on the whole machine: a command may keep them without a process that has them mapped, in a folder
 * such as /dev/shm or under no name at all.
 */
function sharedIn(meminfo: string): number {
	return bytesIn(meminfo, "Shmem") ?? 0;
}

/** A process and all its descendants. Orphans belong to the sandbox's first process. */
async function listProcessTree(pid: number): Promise<readonly number[]> {
	const found = [pid];
	for (let index = 0; index < found.length && index < MAX_PROCESSES; index += 1) {
		const one = found[index] ?? 0;
		const children = await read(`/proc/${one}/task/${one}/children`);
		for (const child of children.split(" ")) if (child !== "") found.push(Number(child));
	}
	return found;
}

async function sumBytes(pids: readonly number[], bytesOf: (pid: number) => Promise<number>): Promise<number> {
	let sum = 0;
	for (const pid of pids) sum += await bytesOf(pid);
	return sum;
}

async function readResident(pid: number): Promise<number> {
	return Number((await read(`/proc/${pid}/statm`)).split(" ")[1] ?? 0) * PAGE_BYTES;
}

/** A process's share of memory, and how much of it are files in memory. */
async function readParts(pid: number): Promise<{ readonly own: number; readonly shared: number }> {
	const text = await read(`/proc/${pid}/smaps_rollup`);
	const [all, shared = 0] = [bytesIn(text, "Pss"), bytesIn(text, "Pss_Shmem")];
	return all === undefined ? { own: await readResident(pid), shared: 0 } : { own: all - shared, shared };
}

/** A line such as `Shmem:  123 kB`, in bytes. */
function bytesIn(text: string, name: string): number | undefined {
	const line = text.split("\n").find((one) => one.startsWith(`${name}:`));
	return line === undefined ? undefined : Number.parseInt(line.slice(name.length + 1), 10) * 1_024;
}

/** Free bytes on the file system of each of these folders. */
async function measureFreeSpace(folders: readonly string[]): Promise<ReadonlyMap<string, number>> {
	const free = await Promise.all([...new Set(folders)].map(async (folder) => [folder, await freeAt(folder)] as const));
	return new Map(free.flatMap(([folder, bytes]) => (bytes === undefined ? [] : [[folder, bytes] as const])));
}

async function diskBeyond(before: ReadonlyMap<string, number>, most: number): Promise<string | undefined> {
	for (const [folder, bytes] of before) {
		const now = await freeAt(folder);
		if (now !== undefined && bytes - now > most) return diskSentence(most);
	}
	return undefined;
}

async function freeAt(folder: string): Promise<number | undefined> {
	const found = await statfs(folder).catch(() => undefined);
	return found === undefined ? undefined : found.bfree * found.bsize;
}

function readNow(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

async function read(path: string): Promise<string> {
	return readFile(path, "utf8").catch(() => "");
}
