import { readdirSync, readFileSync } from "node:fs";

export interface RunningProcess {
	readonly pid: number;
	readonly parent: number;
	readonly command: string;
	/** In ticks since the machine started. */
	readonly startedAt: number;
}

/** Every process of this machine, as /proc shows it (Linux only). Kernel threads and zombies have no command. */
export function listProcesses(): readonly RunningProcess[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name) => readProcess(Number(name)) ?? []);
}

/** The children of `pid`, their children, and so on. */
export function listDescendants(pid: number): readonly RunningProcess[] {
	const all = listProcesses();
	const below = (parent: number): readonly RunningProcess[] =>
		all.filter((process) => process.parent === parent).flatMap((child) => [child, ...below(child.pid)]);
	return below(pid);
}

/** The processes that were started with this text in their environment, wherever they are in the tree by now. */
export function listMarked(marker: string): readonly RunningProcess[] {
	return listProcesses().filter(({ pid }) => readFrom(`/proc/${pid}/environ`).includes(marker));
}

/** Process id of the newest agent host below the editor `pid`; the host of a window just closed may still be ending. */
export function findAgentHost(pid: number): number | undefined {
	const hosts = listDescendants(pid).filter(({ command }) => command.includes("agent-host.cjs"));
	return hosts.toSorted((a, b) => b.startedAt - a.startedAt)[0]?.pid;
}

/** As a crash would; nothing if it has ended already. */
export function endProcess(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
	}
}

function readProcess(pid: number): RunningProcess | undefined {
	const command = readFrom(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
	const stat = readFrom(`/proc/${pid}/stat`);
	// The name in parentheses may hold spaces and parentheses itself; the state and the parent follow the last one.
	const after = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return command === "" ? undefined : { pid, parent: Number(after[1]), command, startedAt: Number(after[19]) };
}

/** Empty when the process ended in the meantime or belongs to somebody else. */
function readFrom(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return "";
	}
}
