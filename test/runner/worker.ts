// Runs the test files that workers.ts names, one after the other, and says what came of each.
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { run } from "node:test";
import fc from "fast-check";
import { PROJECT } from "../support/editor-paths.ts";
import { takeSlowestWait } from "../support/waits.ts";
import type { Failure } from "./report.ts";
import { reportTests } from "./reporter.ts";
import type { Order, Said } from "./workers.ts";

// The same cases in every run, so that a failure comes back; a full run looks at others each time.
if (process.env.VITRINE_FULL !== "1") fc.configureGlobal({ seed: Number(process.env.VITRINE_SEED ?? 20_260) });

// Node sets this one itself when a file begins.
process.env.NODE_TEST_WORKER_ID = "1";
const { env } = process;
const ownEnv = { ...env };

process.on("message", async ({ file, title, asWindows }: Order) => {
	if (asWindows) env.VITRINE_AS_WINDOWS = "1";
	// A file has ended when nothing of it is left to wait for; the wait for the next file is none of it.
	process.channel?.unref();
	const events = run({
		files: [join(PROJECT, file)],
		isolation: "none",
		...(title !== undefined && { testNamePatterns: [new RegExp(escapeRegExp(title), "i")] }),
	});
	const tests = await reportTests(file, events, (name) => say({ kind: "test", name }));
	delete env.VITRINE_AS_WINDOWS;
	const report = { ...tests, failures: [...tests.failures, ...restoreEnv(file)] };
	process.channel?.ref();
	// The next process to start need not strip the same types again.
	flushCompileCache();
	const slowestWait = takeSlowestWait();
	say({ kind: "file", report, ...(slowestWait && { slowestWait }) });
});

/** The next file runs in this process too, and would fail for what this one left. */
function restoreEnv(file: string): readonly Failure[] {
	const isReplaced = process.env !== env;
	process.env = env;
	const changed = Object.keys({ ...env, ...ownEnv }).filter((name) => env[name] !== ownEnv[name]);
	for (const name of changed) delete env[name];
	Object.assign(env, ownEnv);
	if (!isReplaced && changed.length === 0) return [];
	const problem = isReplaced ? "process.env is another object" : changed.join(", ");
	return [{ title: "left its environment changed", place: file, problem }];
}

// Whoever ends a run in the middle does not want its editors and browsers to go on.
process.on("disconnect", () => process.exit(1));

function escapeRegExp(title: string): string {
	return title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function say(said: Said): void {
	process.send?.(said);
}
