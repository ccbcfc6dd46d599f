import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { PROJECT } from "./editor-paths.ts";
import { addCounts, type Counts, type FileReport, NOTHING, ONE_FAILED } from "./reporter.ts";

export interface Work {
	readonly files: readonly string[];
	/** Files that run at a time. */
	readonly workers: number;
	/** The most files that a process takes, one after the other. */
	readonly filesEach: number;
	/** A file that has not ended by then is stopped and counts as failed. */
	readonly fileMs: number;
}

/** What a worker says of the file that it was given. */
export type Said =
	| { readonly kind: "test"; readonly name: string }
	| { readonly kind: "file"; readonly report: FileReport };

/** Runs test files in a few processes: what files have in common is loaded once a process, not once a file. */
export async function runInWorkers(work: Work, print: (line: string) => void): Promise<Counts> {
	const waiting = [...work.files];
	const all = Array.from({ length: Math.min(work.workers, waiting.length) }, () => takeFiles(waiting, work, print));
	return (await Promise.all(all)).reduce(addCounts, NOTHING);
}

async function takeFiles(
	waiting: string[],
	{ filesEach, fileMs }: Work,
	print: (line: string) => void,
): Promise<Counts> {
	let total = NOTHING;
	while (waiting.length > 0) {
		const worker = startWorker();
		for (let taken = 0; taken < filesEach && isAlive(worker); taken += 1) {
			const file = waiting.shift();
			if (file === undefined) break;
			const { counts, lines } = await runFile(worker, file, fileMs);
			for (const line of lines) print(line);
			total = addCounts(total, counts);
		}
		if (worker.connected) worker.disconnect();
	}
	return total;
}

function startWorker(): ChildProcess {
	// Node would run no tests inside what it takes for a test.
	const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
	// Who sends to a worker that has just died is told by its end.
	return fork(join(import.meta.dirname, "worker.ts"), { cwd: PROJECT, env }).on("error", () => undefined);
}

function isAlive({ connected, killed, exitCode }: ChildProcess): boolean {
	return connected && !killed && exitCode === null;
}

async function runFile(worker: ChildProcess, file: string, fileMs: number): Promise<FileReport> {
	const ended = Promise.withResolvers<FileReport>();
	let last = "none";
	const hear = (said: Said) => {
		if (said.kind === "file") ended.resolve(said.report);
		else last = said.name;
	};
	const lose = (code: number | null) => {
		const why = worker.killed ? `was stopped after ${fileMs / 1_000} s` : `ended its process (${code})`;
		ended.resolve({ counts: ONE_FAILED, lines: [`✖ ${file} ${why}; the last test to begin: ${last}`] });
	};
	const late = setTimeout(() => {
		worker.kill("SIGKILL");
		lose(null);
	}, fileMs);
	worker.on("message", hear).on("exit", lose);
	worker.send(file);
	try {
		return await ended.promise;
	} finally {
		clearTimeout(late);
		worker.off("message", hear).off("exit", lose);
	}
}
