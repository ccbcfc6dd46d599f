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

/** Fields of /proc/<pid>/stat from the third on; the second, a name in parentheses, may hold spaces. */
export function statOf(pid: number): readonly string[] | undefined {
	const stat = read(`/proc/${pid}/stat`);
	return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** All running processes whose environment holds `marker`, however they were started. */
export function processesMarked(marker: string): readonly number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
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

/** Those of a process's sockets on which it accepts connections, one line each. */
export function listening(pid: number, sockets: readonly string[]): readonly string[] {
	return [...listeningTcp(pid, "tcp"), ...listeningTcp(pid, "tcp6"), ...listeningUnix(pid)]
		.filter(({ inode }) => sockets.includes(inode))
		.map(({ line }) => line);
}

interface Listener {
	readonly inode: string;
	readonly line: string;
}

function listeningTcp(pid: number, table: "tcp" | "tcp6"): readonly Listener[] {
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
