import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type Refusal, type RunningCommand, refuse, type StartOptions } from "../backend.ts";
import { readExitCode } from "../command/read-status.ts";
import { makePrivate } from "../command/temporary.ts";
import { type CommandStreams, ownStreams, watchCommand } from "../command/watch-command.ts";
import { limitsToWatch } from "../command/watch-limits.ts";
import { type ContainedFiles, type Stdio, spawnContained } from "../launch.ts";
import { guardProtected } from "../protect/guard.ts";
import type { GuardJournal } from "../protect/guard-journal.ts";
import type { HarmfulPlaces } from "../protect/harmful-places.ts";
import type { Placeholders } from "../protect/placeholders.ts";
import { copyRepository, type RepositoryCopy } from "../repository/copy-repository.ts";
import { anonymousFile, type MemfdCache, type RunFolder } from "../run-folder.ts";
import type { Cgroups } from "./cgroups/cgroups.ts";
import { countProcesses } from "./cgroups/count-processes.ts";
import { endSandbox, readInitPid } from "./end-sandbox.ts";
import { type OpenEgress, openEgress } from "./network/allow-list-network.ts";
import type { PrivateNetworks } from "./network/private-network.ts";
import type { Pipes } from "./pipes.ts";
import type { Prepared } from "./prepare.ts";
import { seccompProgram } from "./seccomp.ts";
import { collectProtection, watchProtection } from "./watch-protection.ts";

/** What a launch uses besides its preparation. */
export interface LaunchParts {
	/** The program that creates pipes and networks. */
	readonly bwrap: string;
	readonly folder: RunFolder;
	readonly files: MemfdCache;
	readonly placeholders: Placeholders;
	/** Protected places that commands of this host have created. */
	readonly planted: Set<string>;
	readonly pipes: Pipes;
	readonly places: HarmfulPlaces;
	readonly journal: GuardJournal;
	readonly networks: PrivateNetworks;
	/** Only for root, if the kernel has them. */
	readonly cgroups: Cgroups | undefined;
}

/** Creates the placeholders, passes bubblewrap its files, and starts the command. */
export async function startPrepared(
	prepared: Prepared,
	parts: LaunchParts,
	options: StartOptions,
): Promise<RunningCommand | Refusal> {
	const { placeholders, networks } = parts;
	const guard = guardProtected(prepared, parts.places, parts.journal, placeholders.active, (paths) => {
		for (const path of paths) parts.planted.add(path);
	});
	const streams = await openStreams(parts.pipes, options);
	const counted = countProcesses(prepared, parts.cgroups);
	let files: ContainedFiles | undefined;
	let way: OpenEgress | undefined;
	let copy: RepositoryCopy | undefined;
	const release = (): readonly string[] => {
		way?.close();
		for (const handle of Object.values(files ?? {})) closeSync(handle);
		placeholders.release(prepared.layout.placeholders);
		return counted.end();
	};
	try {
		placeholders.hold(prepared.layout.placeholders);
		makePrivate(prepared.temporary);
		if (prepared.repository !== undefined) copy = await copyRepository(prepared.repository);
		if (prepared.egress !== undefined) way = await openEgress(prepared.egress, networks);
		files = openFiles(prepared, parts);
		const changed = prepared.outdated();
		if (changed !== undefined) {
			streams.handOver();
			release();
			await copy?.discard();
			await guard.finish();
			return changed;
		}
		const opened = files;
		const child = counted.start((through) =>
			spawnContained(prepared.bwrap, opened, prepared.argv, streams.theirs, { joins: way?.joined, through }),
		);
		streams.handOver();
		const ends: CommandStreams = {
			...ownStreams(child, options),
			...(streams.output === undefined ? {} : { streams: [streams.output] }),
			input: streams.input,
			exitCode: () => readExitCode(child, opened.status),
			refusedHosts: way?.refusedHosts ?? (() => []),
			bound: counted.bound,
			kill: () => endSandbox(child, opened.status),
			watchProtection: (_, onLost) => {
				const protection = collectProtection(prepared, guard.links);
				const watches = [watchProtection(protection, () => readInitPid(opened.status), onLost), guard.watch(onLost)];
				return () => {
					for (const unwatch of watches) unwatch();
				};
			},
			watchLimits: limitsToWatch(
				prepared.policy,
				prepared.temporary.map(({ kept }) => kept),
			),
			fileBytes: prepared.policy.limits.fileBytes,
		};
		const finish = async () => [...release(), ...((await copy?.takeOver()) ?? []), ...(await guard.finish())];
		const running = watchCommand(child, ends, options, { check: guard.check, finish });
		return way === undefined ? running : await way.release(child, running);
	} catch (error) {
		streams.handOver();
		release();
		await copy?.discard();
		await guard.finish();
		if (error instanceof Error && "code" in error && error.code === "E2BIG")
			return refuse("no-such-program", "The command is too long for this system.");
		return refuse("sandbox-unavailable", `The sandbox could not start: ${String(error)}`);
	}
}

function openFiles({ options, level }: Prepared, { folder, files }: LaunchParts): ContainedFiles {
	return {
		options: files.open(options),
		filter: files.open(seccompProgram(process.arch === "arm64" ? "arm64" : "x64", level)),
		status: anonymousFile(folder, Buffer.alloc(0)),
	};
}

/** The command's streams: its ends and ours. */
interface Streams {
	readonly theirs: readonly [Stdio, Stdio, Stdio];
	/** Undefined if the process creates them itself, or uses the host's. */
	readonly output: Readable | undefined;
	readonly input: Writable | undefined;
	/** Closes the command's ends in this process once it has them. */
	readonly handOver: () => void;
}

async function openStreams(pipes: Pipes, { streams, input }: StartOptions): Promise<Streams> {
	const isKept = streams !== "inherited";
	const out = isKept ? await pipes.forOutput() : undefined;
	const into = input === "open" ? await pipes.forInput() : undefined;
	const output: Stdio = out?.theirs ?? (isKept ? "pipe" : "inherit");
	let open = [out, into].flatMap((pipe) => (pipe === undefined ? [] : [pipe.theirs]));
	return {
		theirs: [into?.theirs ?? (isKept ? "ignore" : "inherit"), streams === "split" ? "pipe" : output, output],
		output: out?.ours,
		input: into?.ours,
		handOver: () => {
			for (const handle of open) closeSync(handle);
			open = [];
		},
	};
}
