import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { checkLocks } from "../support/check-locks.ts";
import { PROJECT } from "../support/editor-paths.ts";
import type { CpuMeter } from "./cpu.ts";
import type { Task, TaskReport } from "./task.ts";
import { judgeUnused } from "./unused.ts";

const one = { needs: [], cores: 1, most: Number.POSITIVE_INFINITY } as const;

/** What is looked at without running it. */
export function checkTasks(meter: CpuMeter): readonly Task[] {
	const check = { ...one, stage: "check", meter };
	const scripts = [
		scriptTask("types", check, "node_modules/typescript/bin/tsc", "-p", ".", "--checkers", "1"),
		scriptTask("style", check, "node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings"),
		scriptTask("unused code", check, "node_modules/knip/bin/knip.js"),
		...(existsSync(join(PROJECT, "docs", "generate.ts"))
			? [scriptTask("generated documents", check, "docs/generate.ts", "--check")]
			: []),
	];
	const locks = async () => judge(checkLocks().join("\n"));
	return [
		...scripts,
		{ ...check, name: "code that only tests use", run: () => findUnused(meter) },
		{ ...check, name: "lock files", run: locks },
	];
}

/** What tests need, with what that needs itself. They wait for a network or a disk more than they compute. */
export function setUpTasks(wanted: ReadonlySet<string>, meter: CpuMeter): readonly Task[] {
	const setUp = { ...one, stage: "set-up", cores: 0.5, meter };
	const all: readonly Task[] = [
		scriptTask("build", { ...setUp, cores: 1 }, "build.ts"),
		scriptTask("editor", setUp, "test/set-up.ts", "editor"),
		// One after the other: two installations of system packages lock each other out.
		scriptTask("sandbox", setUp, "test/set-up.ts", "sandbox"),
		scriptTask("browser", { ...setUp, needs: ["sandbox"] }, "test/set-up.ts", "browser"),
		scriptTask("package", { ...setUp, needs: ["build"], cores: 1 }, "test/support/pack.ts"),
	];
	const needed = new Set(wanted);
	for (const task of all.toReversed()) if (needed.has(task.name)) for (const need of task.needs) needed.add(need);
	return all.filter(({ name }) => needed.has(name));
}

function scriptTask(
	name: string,
	{ meter, ...common }: Omit<Task, "name" | "run"> & { readonly meter: CpuMeter },
	script: string,
	...args: readonly string[]
): Task {
	return { ...common, name, run: () => runScript(meter, script, args) };
}

function judge(problem: string): TaskReport {
	return problem === "" ? { passed: 1, failures: [] } : { passed: 0, failures: [{ title: "", problem }] };
}

async function runScript(meter: CpuMeter, script: string, args: readonly string[]): Promise<TaskReport> {
	const { status, said, ...used } = await hear(meter, script, args);
	return { ...judge(status === 0 ? "" : said.join("") || `${script} failed (${status}).`), ...used };
}

/** Knip ends with 1 when it has found something, and with 2 when it could not look. */
async function findUnused(meter: CpuMeter): Promise<TaskReport> {
	const knip = ["node_modules/knip/bin/knip.js", ["--production", "--reporter", "json"]] as const;
	const { status, said, ...used } = await hear(meter, ...knip);
	return { ...judge(status === 0 || status === 1 ? judgeUnused(said[0]) : said.join("")), ...used };
}

async function hear(meter: CpuMeter, script: string, args: readonly string[]) {
	// The compiler is written in Go, and ends before collecting garbage pays: that was a quarter of its processor time.
	const env = { ...process.env, GOGC: "off" };
	const child = spawn(process.execPath, [script, ...args], { cwd: PROJECT, env, stdio: ["ignore", "pipe", "pipe"] });
	meter.secondsOf(child.pid);
	const [[status], out, errors] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
	const cpuSeconds = meter.secondsOf(child.pid);
	return { status: Number(status), said: [out, errors] as const, ...(cpuSeconds !== undefined && { cpuSeconds }) };
}
