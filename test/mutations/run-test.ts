import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PROJECT } from "../support/editor-paths.ts";

/** What came of a test file: it passed, or what of it failed first. `broken`: it did not even begin. */
export type Noticed = { readonly by: string } | "passed" | "broken";

/** Longer than the slowest of the tests takes on a busy machine; one that hangs has noticed something. */
const TEST_LIMIT_MS = 180_000;
const LATE = `no end within ${TEST_LIMIT_MS / 1_000} s`;

export async function buildCopy(copy: string): Promise<void> {
	const child = spawn(process.execPath, ["build.ts"], { cwd: copy, stdio: "ignore" });
	const [code] = await once(child, "close");
	if (code !== 0) throw new Error(`The build failed (${code}).`);
}

/** Most tests of units and the sandbox import what they test; all others run what was built. */
export function needsBuild(test: string): boolean {
	const runsBuilt = () => readFileSync(join(PROJECT, test), "utf8").includes("dist/agent-host");
	return !/^test\/(?:unit|sandbox)\//.test(test) || runsBuilt();
}

/** Runs a test file of a copy until the first of its tests fails that does not fail anyway. */
export async function runTest(copy: string, test: string, anyway: ReadonlySet<string>): Promise<Noticed> {
	let noticed: string | undefined;
	const { end, begun } = await play(copy, test, (failed, stop) => {
		if (anyway.has(failed)) return;
		noticed ??= failed;
		stop();
	});
	if (noticed !== undefined) return { by: noticed };
	if (end === "late") return anyway.has(LATE) ? "passed" : { by: LATE };
	if (end === 0 || anyway.size > 0) return "passed";
	return begun ? { by: "the end of its process" } : "broken";
}

/** The tests of a file that fail in a copy. */
export async function findFailures(copy: string, test: string): Promise<ReadonlySet<string>> {
	const failures = new Set<string>();
	const { end } = await play(copy, test, (failed) => failures.add(failed));
	return end === "late" ? failures.add(LATE) : failures;
}

async function play(
	copy: string,
	test: string,
	onFailed: (title: string, stop: () => void) => void,
): Promise<{ readonly end: number | null | "late"; readonly begun: boolean }> {
	const env = {
		...process.env,
		NODE_TEST_CONTEXT: undefined,
		VITRINE_HOST_BUNDLE: join(copy, "dist/agent-host.cjs"),
		VITRINE_PAGE_DIST: join(copy, "media/dist"),
	};
	const child = spawn(process.execPath, ["--test-reporter=tap", test], {
		cwd: copy,
		env,
		stdio: ["ignore", "pipe", "ignore"],
		detached: true,
	});
	let begun = false;
	let isLate = false;
	const stop = (): void => killGroup(child.pid);
	const late = setTimeout(() => {
		isLate = true;
		stop();
	}, TEST_LIMIT_MS);
	createInterface(child.stdout).on("line", (line) => {
		begun ||= /^\s*(?:# Subtest|ok|not ok)/.test(line);
		const failed = /^\s*not ok \d+ - (.*)$/.exec(line)?.[1];
		if (failed !== undefined) onFailed(failed.replaceAll(/\\(.)/g, "$1"), stop);
	});
	const [code] = (await once(child, "close")) as [number | null];
	clearTimeout(late);
	return { end: isLate ? "late" : code, begun };
}

/** With the hosts and browsers that the test has started. */
function killGroup(pid: number | undefined): void {
	if (pid === undefined) return;
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// It has just ended.
	}
}
