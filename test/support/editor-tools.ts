import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface ToolOptions {
	readonly cwd?: string;
	readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end. Its output is shown only when it fails, as part of the error. */
export function runTool(command: string, args: readonly string[], options: ToolOptions = {}): string {
	const { status, stdout, stderr, error } = spawnSync(command, args, {
		...options,
		encoding: "utf8",
		maxBuffer: 256 * 1024 * 1024,
	});
	if (status === 0) return stdout;
	const said = `${stdout ?? ""}\n${stderr ?? ""}`.trim().split("\n").slice(-40).join("\n");
	throw new Error(`"${[command, ...args].join(" ")}" failed: ${error?.message ?? `exit code ${status}`}\n${said}`);
}

/** Calls `work` until it succeeds, at most `times` times; for steps that depend on a network. */
export function repeat(times: number, work: () => void): void {
	for (let left = times; ; left--) {
		try {
			work();
			return;
		} catch (error) {
			if (left <= 1) throw error;
			console.log(`Trying again: ${error instanceof Error ? error.message.split("\n", 1)[0] : error}`);
		}
	}
}

/** Absolute path of the first of `names` that is an executable on the PATH. */
export function findExecutable(...names: readonly string[]): string | undefined {
	const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
	return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
