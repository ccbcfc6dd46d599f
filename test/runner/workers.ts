import type { ChildProcess } from "node:child_process";
import type { Wait } from "../support/waits.ts";
import type { CpuMeter } from "./cpu.ts";
import type { FileReport } from "./reporter.ts";
import type { TaskReport } from "./task.ts";

/** What a worker is to run. */
export interface Order {
	readonly file: string;
	/** Only tests whose title holds this. */
	readonly title?: string;
	/** Hosts run as on Windows. */
	readonly asWindows?: true;
}

/** What a worker says of the file that it was given. */
export type Said =
	| { readonly kind: "test"; readonly name: string }
	| { readonly kind: "file"; readonly report: FileReport; readonly slowestWait?: Wait };

/** Processes that run test files one after the other: what files have in common is loaded once a process, not once a file. */
export interface Workers {
	/** Runs a file in a process that is idle, or in a new one. */
	readonly run: (order: Order) => Promise<TaskReport>;
	/** Ends the processes. */
	readonly close: () => void;
}

/** @param fileMs A file that has not ended by then is stopped and counts as failed. */
export function createWorkers(start: () => ChildProcess, fileMs: number, meter: CpuMeter): Workers {
	const idle: ChildProcess[] = [];
	return {
		async run(order) {
			const worker = idle.pop() ?? start();
			const before = meter.secondsOf(worker.pid);
			const report = await runFile(worker, order, fileMs);
			const after = meter.secondsOf(worker.pid);
			if (isAlive(worker)) idle.push(worker);
			return before === undefined || after === undefined ? report : { ...report, cpuSeconds: after - before };
		},
		close() {
			for (const worker of idle.splice(0)) if (worker.connected) worker.disconnect();
		},
	};
}

function isAlive({ connected, killed, exitCode }: ChildProcess): boolean {
	return connected && !killed && exitCode === null;
}

async function runFile(worker: ChildProcess, order: Order, fileMs: number): Promise<TaskReport> {
	const ended = Promise.withResolvers<TaskReport>();
	let last = "none";
	const hear = (said: Said) => {
		if (said.kind === "test") last = said.name;
		else ended.resolve({ ...said.report, ...(said.slowestWait && { slowestWait: said.slowestWait }) });
	};
	const lose = (code: number | null) => {
		const title = worker.killed ? `was stopped after ${fileMs / 1_000} s` : `ended its process (${code})`;
		ended.resolve({ passed: 0, failures: [{ title, problem: `The last test to begin: ${last}` }] });
	};
	const late = setTimeout(() => {
		worker.kill("SIGKILL");
		lose(null);
	}, fileMs);
	worker.on("message", hear).on("exit", lose);
	worker.send(order);
	try {
		return await ended.promise;
	} finally {
		clearTimeout(late);
		worker.off("message", hear).off("exit", lose);
	}
}
