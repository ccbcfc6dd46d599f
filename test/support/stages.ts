import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Need } from "../set-up.ts";
import { checkLocks } from "./check-locks.ts";
import { PROJECT } from "./editor-paths.ts";

/** One command or function whose failure counts as one failed test. */
export interface Step {
	readonly name: string;
	/** What is wrong, or nothing. */
	readonly findProblems: () => Promise<string>;
}

export type Stage =
	| { readonly kind: "steps"; readonly name: string; readonly steps: () => readonly Step[] }
	| {
			readonly kind: "tests";
			readonly name: string;
			/** Run several at a time; those that take longest are named first, and what is `alone` is left out. */
			readonly together?: readonly string[];
			/** Files that run at a time besides one for each processor, as its tests often wait for processes of theirs. */
			readonly waiting: number;
			/** The most files that a process runs, one after the other. */
			readonly filesEach: number;
			/** Run one at a time: they start an editor or a browser, or measure how long something takes. */
			readonly alone?: readonly string[];
			/** As `alone`, and only with `--full`. */
			readonly full?: readonly string[];
			readonly required: boolean;
			readonly needs: readonly Need[];
			readonly fromBuild: boolean;
	  };

/** For tests that leave nothing behind in their process: all of them may run in the same few. */
const MANY = Number.POSITIVE_INFINITY;
const tests = { kind: "tests", required: true, fromBuild: true, waiting: 0, filesEach: 1 } as const;

// Searches run the editor's ripgrep in a sandbox of bubblewrap; both exist on Linux only.
const SEARCH: readonly Need[] = platform() === "linux" ? ["sandbox", "editor"] : [];

/** In the order in which they run. */
export const STAGES: readonly Stage[] = [
	{ kind: "steps", name: "check", steps: checkSteps },
	{ kind: "steps", name: "build", steps: () => [step("build", "build.ts")] },
	{ ...tests, name: "unit", together: ["test/unit/**/*.test.ts"], filesEach: MANY, needs: [] },
	{
		...tests,
		name: "page",
		filesEach: MANY,
		together: ["test/page/{long-thread,approvals,pictures,accessibility,panel}.test.ts", "test/page/*.test.ts"],
		// A page waits for its next frame more often than not.
		waiting: 1,
		// It measures frames and keys, which a neighbour would slow down.
		alone: ["test/page/speed.test.ts"],
		needs: ["browser"],
	},
	{
		...tests,
		name: "host",
		filesEach: MANY,
		together: ["test/host/{retries,parity,chat-servers,giant-records,command-line}.test.ts", "test/host/**/*.test.ts"],
		waiting: 1,
		needs: SEARCH,
	},
	{ ...tests, name: "sandbox", filesEach: MANY, alone: ["test/sandbox/**/*.test.ts"], needs: SEARCH },
	{
		...tests,
		name: "security",
		filesEach: MANY,
		together: ["test/security/{page,corpus,policy,package}.test.ts", "test/security/**/*.test.ts"],
		needs: [...SEARCH, "browser"],
	},
	{
		...tests,
		name: "faults",
		filesEach: MANY,
		together: ["test/faults/{real-kills,two-windows,evil-model,parent-gone}.test.ts", "test/faults/**/*.test.ts"],
		waiting: 1,
		needs: SEARCH,
	},
	{
		...tests,
		name: "editor",
		filesEach: MANY,
		together: [
			"test/editor/chat.test.ts",
			"test/editor/{storage,context,trust,threads}.test.ts",
			"test/editor/*.test.ts",
		],
		full: ["test/editor/*.full.ts"],
		needs: ["editor", "browser", "sandbox"],
	},
];

/** The files of a list of patterns, in the order of the patterns. */
export function findTests(patterns: readonly string[] = []): readonly string[] {
	const exclude = (path: string) => path.split("/").includes("node_modules");
	return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: PROJECT, exclude }).sort()))];
}

function checkSteps(): readonly Step[] {
	return [
		step("types", "node_modules/typescript/bin/tsc", "-p", "."),
		step("style", "node_modules/@biomejs/biome/bin/biome", "check"),
		step("unused code", "node_modules/knip/bin/knip.js"),
		{ name: "lock files", findProblems: async () => checkLocks().join("\n") },
		...(existsSync(join(PROJECT, "docs", "generate.ts"))
			? [step("generated documents", "docs/generate.ts", "--check")]
			: []),
	];
}

function step(name: string, script: string, ...args: readonly string[]): Step {
	return { name, findProblems: () => runScript(script, args) };
}

async function runScript(script: string, args: readonly string[]): Promise<string> {
	const child = spawn(process.execPath, [script, ...args], { cwd: PROJECT, stdio: ["ignore", "pipe", "pipe"] });
	const [[status], ...said] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
	return status === 0 ? "" : said.join("") || `${script} failed (${status}).`;
}
