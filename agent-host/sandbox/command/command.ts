import { closeSync } from "node:fs";
import { type ContainedFiles, type Stdio, spawnContained } from "../launch.ts";
import type { OwnNetworks } from "../linux/own-network.ts";
import { seccompProgram } from "../linux/seccomp.ts";
import { endSandbox } from "../linux/status.ts";
import { openWay, type WayOutside } from "../linux/way-outside.ts";
import { guardProtected } from "../protect/guard.ts";
import type { Nested } from "../protect/nested.ts";
import type { Placeholders } from "../protect/placeholders.ts";
import type { Pipes } from "./pipes.ts";
import type { Prepared, Refusal } from "./prepare.ts";
import { type RunFolder, type SameFiles, unnamedFile } from "./run-folder.ts";
import { type Ends, type RunningCommand, type StartOptions, watchCommand } from "./watch.ts";

/** What a launch uses besides what was prepared for it. */
export interface LaunchParts {
	readonly folder: RunFolder;
	readonly files: SameFiles;
	readonly placeholders: Placeholders;
	readonly pipes: Pipes;
	readonly nested: Nested;
	readonly networks: OwnNetworks;
}

/** Makes the placeholders, hands bubblewrap its files, and starts the command. */
export async function startPrepared(
	prepared: Prepared,
	{ folder, files, placeholders, pipes, nested, networks }: LaunchParts,
	options: StartOptions,
): Promise<RunningCommand | Refusal> {
	const guard = await guardProtected(prepared, nested, placeholders.standing);
	const isKept = options.streams === "kept";
	const [out, into] = [
		isKept ? await pipes.forOutput() : undefined,
		options.input === "open" ? await pipes.forInput() : undefined,
	];
	const handles: number[] = [];
	const closeLater = (handle: number): number => {
		handles.push(handle);
		return handle;
	};
	let way: WayOutside | undefined;
	const release = (): void => {
		way?.close();
		for (const handle of handles) closeSync(handle);
		placeholders.release(prepared.layout.placeholders);
	};
	try {
		placeholders.hold(prepared.layout.placeholders);
		if (prepared.wayOut !== undefined) way = await openWay(prepared.wayOut, networks);
		const contained: ContainedFiles = {
			options: closeLater(files.open(prepared.options)),
			filter: closeLater(files.open(seccompProgram(process.arch === "arm64" ? "arm64" : "x64", prepared.level))),
			status: closeLater(unnamedFile(folder, Buffer.alloc(0))),
		};
		const input: Stdio = into?.theirs ?? (isKept ? "ignore" : "inherit");
		const output: Stdio = out?.theirs ?? (isKept ? "pipe" : "inherit");
		const child = spawnContained(prepared.bwrap, contained, prepared.argv, [input, output, output], way?.joined);
		const ends: Ends = {
			streams: out === undefined ? [child.stdout, child.stderr] : [out.ours],
			input: into?.ours,
			status: contained.status,
			refusedHosts: way?.refusedHosts ?? (() => []),
			kill: () => endSandbox(child, contained.status),
		};
		const running = watchCommand(child, ends, options, async () => {
			release();
			return guard.settle();
		});
		return way === undefined ? running : await way.letGo(child, running);
	} catch (error) {
		release();
		return { state: "refused", code: "sandbox-unavailable", reason: `The sandbox did not start: ${String(error)}` };
	} finally {
		for (const pipe of [out, into]) if (pipe !== undefined) closeSync(pipe.theirs);
	}
}
