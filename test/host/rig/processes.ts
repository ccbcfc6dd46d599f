import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Tests that look at processes need Linux's /proc; where it is missing they must fail, not pass. */
export function requireProc(): void {
	readFileSync("/proc/self/stat");
}

/** Names one process for good: numbers are given again, moments of birth are not. */
export type ProcessName = `${number} since ${string}`;

export function nameOf(pid: number): ProcessName | undefined {
	const fields = statOf(pid);
	return fields === undefined ? undefined : `${pid} since ${fields[19] ?? ""}`;
}

/** True while the process exists and is not merely waiting to be collected. */
export function isRunning(pid: number): boolean {
	const state = statOf(pid)?.[0];
	return state !== undefined && state !== "Z" && state !== "X";
}

/** True while this very process runs, not another one that was given its number. */
export function isStillRunning(name: ProcessName): boolean {
	const pid = Number.parseInt(name, 10);
	return isRunning(pid) && nameOf(pid) === name;
}

/** True when the process is gone, on its way out, or will run no line of its own any more: somebody has killed it. */
export function isKilled(name: ProcessName): boolean {
	const pid = Number.parseInt(name, 10);
	if (!isStillRunning(name)) return true;
	const isLeaving = (Number(statOf(pid)?.[6]) & PF_EXITING) !== 0;
	const pending = [...(read(`/proc/${pid}/status`) ?? "").matchAll(/^(?:SigPnd|ShdPnd):\t([0-9a-f]+)$/gm)];
	return isLeaving || pending.some(([, bits]) => (BigInt(`0x${bits}`) & SIGKILL_BIT) !== 0n) || !isStillRunning(name);
}

/** Of the kernel's flags of a process, the one that it is about to end. */
const PF_EXITING = 0x4;
const SIGKILL_BIT = 1n << 8n;

/** True while one of a process's threads runs or waits for a processor or a disk. */
export function hasWork(pid: number): boolean {
	const states = (list(`/proc/${pid}/task`) ?? []).map((task) => fieldsIn(read(`/proc/${pid}/task/${task}/stat`))?.[0]);
	return states.some((state) => state === "R" || state === "D");
}

/** Its number, its state and its command line, for whoever reads why a test failed. */
export function describeProcess(process: number | ProcessName): string {
	const pid = typeof process === "number" ? process : Number.parseInt(process, 10);
	const words = (read(`/proc/${pid}/cmdline`) ?? "").split("\0").join(" ").trim();
	return `${pid} (${statOf(pid)?.[0] ?? "gone"}) ${words.slice(0, 200)}`;
}

/** The command line as the kernel has it, its words parted by NUL; empty when the process is gone. */
export function commandLine(pid: number): string {
	return read(`/proc/${pid}/cmdline`) ?? "";
}

/** Numbers of the processes that it has started. */
export function childrenOf(pid: number): readonly number[] {
	return allProcesses().filter((one) => statOf(one)?.[1] === String(pid));
}

/** True for the first process of a sandbox once that is set up: bubblewrap gives up its capabilities then. */
export function isSetUp(pid: number): boolean {
	return /^CapEff:\s*0+$/m.test(read(`/proc/${pid}/status`) ?? "");
}

/** Numbers of all processes of this machine. */
export function allProcesses(): readonly number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map(Number);
}

/** Fields of /proc/<pid>/stat from the third on; the second, a name in parentheses, may hold spaces. */
export function statOf(pid: number): readonly string[] | undefined {
	return fieldsIn(read(`/proc/${pid}/stat`));
}

function fieldsIn(stat: string | undefined): readonly string[] | undefined {
	return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** All running processes whose environment holds `marker`, however they were started. */
export function processesMarked(marker: string): readonly number[] {
	return allProcesses()
		.filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`)?.split("\0").includes(marker))
		.filter(isRunning);
}

/** The process and everything it has started that still hangs on it. */
export function treeOf(pid: number): readonly number[] {
	const children = (list(`/proc/${pid}/task`) ?? []).flatMap((task) =>
		(read(`/proc/${pid}/task/${task}/children`) ?? "").split(" ").filter(Boolean).map(Number),
	);
	return [pid, ...children.flatMap(treeOf)];
}

/** The sockets that a process holds, by their number. */
export function socketsOf(pid: number): readonly string[] {
	return (list(`/proc/${pid}/fd`) ?? []).flatMap(
		(fd) => /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
	);
}

/** Those of a process's sockets on which it accepts connections from others of this machine, one line each. */
export function listening(pid: number, sockets: readonly string[]): readonly string[] {
	return [...listeningTcp(pid, "tcp"), ...listeningTcp(pid, "tcp6"), ...listeningUnix(pid)]
		.filter(({ inode }) => sockets.includes(inode))
		.map(({ line }) => line);
}

function networkOf(pid: number | "self"): string | undefined {
	try {
		return readlinkSync(`/proc/${pid}/ns/net`);
	} catch {
		return undefined;
	}
}

interface Listener {
	readonly inode: string;
	readonly line: string;
}

function listeningTcp(pid: number, table: "tcp" | "tcp6"): readonly Listener[] {
	// In a network of its own, only the command that it was made for gets through.
	if (networkOf(pid) !== networkOf("self")) return [];
	return rows(`/proc/${pid}/net/${table}`)
		.filter((columns) => columns[3] === "0A")
		.map((columns) => ({ inode: columns[9] ?? "", line: `${table} ${columns[1]}` }));
}

function listeningUnix(pid: number): readonly Listener[] {
	// The flag is __SO_ACCEPTCON: the socket was given to listen().
	return rows(`/proc/${pid}/net/unix`)
		.filter((columns) => columns[3] === "00010000")
		.map((columns) => ({ inode: columns[6] ?? "", line: `unix ${columns[7] ?? "(unnamed)"}` }));
}

function rows(path: string): readonly (readonly string[])[] {
	const [, ...lines] = (read(path) ?? "").split("\n");
	return lines.map((line) => line.trim().split(/\s+/));
}

// A process may end between two looks at it; then there is nothing to read.
function read(path: string): string | undefined {
	return orNothing(() => readFileSync(path, "utf8"));
}

function list(path: string): readonly string[] | undefined {
	return orNothing(() => readdirSync(path));
}

function link(path: string): string {
	return orNothing(() => readlinkSync(path)) ?? "";
}

function orNothing<T>(look: () => T): T | undefined {
	try {
		return look();
	} catch {
		return undefined;
	}
}
