import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { PROJECT } from "../support/editor-paths.ts";

export const WORKER = "test/runner/worker.ts";

/** A process for test files that runs as whoever runs the tests. */
export function startWorker(): ChildProcess {
	// Who sends to a worker that has just died is told by its end.
	return fork(join(PROJECT, WORKER), { cwd: PROJECT, env: workerEnvironment() }).on("error", () => undefined);
}

export function workerEnvironment(): NodeJS.ProcessEnv {
	// Node would run no tests inside what it takes for a test.
	return { ...process.env, NODE_TEST_CONTEXT: undefined };
}
