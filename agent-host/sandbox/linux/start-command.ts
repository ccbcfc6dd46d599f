import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type Refusal, type RunningCommand, refuse, type StartOptions } from "../backend.ts";
import { readExitCode } from "../command/read-status.ts";
import { makePrivate } from "../command/temporary.ts";
import { type CommandStreams, ownStreams, watchCommand } from "../command/watch-command.ts";
import { limitsToWatch } from "../command/watch-limits.ts";
import {
	bubblewrapWords,
	type ContainedFiles,
	type ContainedProcess,
	gateFor,
	type Joined,
	type Stdio,
	spawnContained,
} from "../launch.ts";
import { guardProtected } from "../protect/guard.ts";
import type { GuardJournal } from "../protect/guard-journal.ts";
import type { HarmfulPlaces } from "../protect/harmful-places.ts";
import type { Placeholders } from "../protect/placeholders.ts";
import { copyRepository, type RepositoryCopy } from "../repository/copy-repository.ts";
import type { MemfdCache, RunFolder } from "../run-folder.ts";
import type { Cgroups } from "./cgroups/cgroups.ts";
import { type CountedProcesses, countProcesses } from "./cgroups/count-processes.ts";
import { endSandbox } from "./end-sandbox.ts";
import { type HeldCommand, holdBack } from "./hold-back.ts";
import { launchWords } from "./launch-script.ts";
import { type OpenEgress, openEgress } from "./network/allow-list-network.ts";
import type { PrivateNetworks } from "./network/private-network.ts";
import type { Pipes } from "./pipes.ts";
import type { Prepared } from "./prepare.ts";
import type { WaitingShell } from "./waiting-shell.ts";
import { canWaitFor, openFiles, type WaitingShells } from "./waiting-shells.ts";
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
	readonly shells: WaitingShells;
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
	const mayWait = canWaitFor(prepared, options);
	const shell = mayWait ? parts.shells.take(prepared) : undefined;
	const streams = shell === undefined ? await openStreams(parts.pipes, options) : streamsOf(shell);
	const counted = shell?.counted ?? countProcesses(prepared, parts.cgroups);
	let files: ContainedFiles | undefined;
	let way: OpenEgress | undefined;
	let copy: RepositoryCopy | undefined;
	let started: Started;
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
		const opened = shell?.files ?? openFiles(parts.folder, parts.files, prepared.options, prepared.level);
		if (shell === undefined) files = opened;
		const changed = prepared.outdated();
		if (changed !== undefined) {
			streams.handOver();
			shell?.discard();
			release();
			await copy?.discard();
			await guard.finish();
			return changed;
		}
		if (shell?.waits() === false) throw new Error("the shell that waited for it was ended");
		const { child, held } =
			shell === undefined
				? startNow(prepared, counted, { files: opened, stdio: streams.theirs, joined: way?.joined })
				: { child: shell.child, held: shell.start(prepared, counted) };
		files = opened;
		streams.handOver();
		const ends: CommandStreams = {
			...ownStreams(child, options),
			...(streams.output === undefined ? {} : { streams: [streams.output] }),
			input: streams.input,
			exitCode: () => readExitCode(child, opened.status),
			refusedHosts: way?.refusedHosts ?? (() => []),
			bound: counted.bound,
			kill: () => endSandbox(child, opened.status),
			watchProtection: (pid, onLost) => {
				const protection = collectProtection(prepared, guard.links);
				const watches = [
					held.check(pid, onLost),
					watchProtection(protection, held.findInit, onLost),
					guard.watch(onLost),
				];
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
		if (mayWait) {
			parts.shells.refillAfterBegin();
			const refill = () => parts.shells.refillAfterEnd(prepared);
			// A failure reaches those that wait for the end; here it changes nothing.
			void running.ended.then(refill, refill);
		}
		started = { child, running, held, way };
	} catch (error) {
		streams.handOver();
		shell?.discard();
		release();
		await copy?.discard();
		await guard.finish();
		if (error instanceof Error && "code" in error && error.code === "E2BIG")
			return refuse("no-such-program", "The command is too long for this system.");
		return refuse("sandbox-unavailable", `The sandbox could not start: ${String(error)}`);
	}
	return begin(started, prepared, options);
}

/** In a process of its own. */
function startNow(
	{ bwrap, argv, told, fileBlocks }: Prepared,
	{ join }: CountedProcesses,
	given: {
		readonly files: ContainedFiles;
		readonly stdio: Streams["theirs"];
		readonly joined: Joined | undefined;
	},
): Pick<Started, "child" | "held"> {
	const words = [...launchWords({ join, fileBlocks }), ...bubblewrapWords(bwrap, gateFor(argv), given.joined)];
	const { child, go } = spawnContained(words, given.files, given.stdio);
	return { child, held: holdBack(told, given.files.status, go) };
}

/** A command that is held back in its sandbox. */
interface Started {
	readonly child: ContainedProcess;
	readonly running: RunningCommand;
	readonly held: HeldCommand;
	readonly way: OpenEgress | undefined;
}

/** Lets it begin once everything before it is done, and ends it otherwise. While bubblewrap works, the host has time. */
async function begin(
	{ child, running, held, way }: Started,
	{ outdated }: Prepared,
	{ before, timeLimit }: StartOptions,
): Promise<RunningCommand | Refusal> {
	if (before !== undefined) {
		const discard = async (): Promise<void> => {
			running.stop();
			await running.ended;
		};
		try {
			await (timeLimit?.pauseFor(before) ?? before());
		} catch (error) {
			await discard();
			throw error;
		}
		// That may have taken a while.
		const changed = outdated();
		if (changed !== undefined) {
			await discard();
			return changed;
		}
	}
	if (way !== undefined) return way.release(child, running, held.release);
	held.release();
	return running;
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

/** It has the command's ends already. */
function streamsOf({ output }: WaitingShell): Streams {
	return { theirs: ["ignore", "ignore", "ignore"], output, input: undefined, handOver: () => undefined };
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
