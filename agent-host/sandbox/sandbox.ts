import { describeProblem } from "../permissions/sandbox-problem.ts";
import type { Backend } from "./backend.ts";
import { type LaunchParts, startPrepared } from "./command/command.ts";
import { createPipes } from "./command/pipes.ts";
import { type CommandRequest, optionsIn, type Prepared, prepareCommand, type Refusal } from "./command/prepare.ts";
import { closeInherited, createSameFiles, newNameIn, openRunFolder } from "./command/run-folder.ts";
import { temporaryOf } from "./command/temporary.ts";
import type { CommandEnd, StartOptions } from "./command/watch.ts";
import { createPlanner } from "./linux/planner.ts";
import { findSandbox, probeSandbox, type SandboxProbe, stampOf } from "./linux/probe.ts";
import { findCgroups } from "./linux/start/cgroups.ts";
import { createOwnNetworks } from "./linux/start/own-network.ts";
import { createSeatbelt } from "./macos/backend.ts";
import { SANDBOX_EXEC } from "./macos/profile.ts";
import { createGuardJournal } from "./protect/guard-journal.ts";
import { createHarmfulPlaces } from "./protect/harmful-places.ts";
import { createPlaceholders } from "./protect/placeholders.ts";

/** What contains the commands of one host. Nothing is tried or made before the first use. */
export interface Sandbox extends Backend {
	/** Runs a command to its end, or until the signal stops it. */
	readonly run: (request: CommandRequest, options: StartOptions, signal: AbortSignal) => Promise<CommandEnd>;
}

export interface SandboxPlaces {
	/** The host's own folder: closed to every command. */
	readonly home: string;
	/** The PATH that bubblewrap is looked for in. */
	readonly path: string | undefined;
	/** Folders a bubblewrap is never taken from. */
	readonly folders: readonly string[];
}

export function createSandbox(places: SandboxPlaces): Sandbox {
	const backend = process.platform === "darwin" ? createSeatbelt(places, SANDBOX_EXEC) : createBubblewrap(places);
	const note = (end: { readonly state: string; readonly code?: string }): void => {
		if (end.state === "refused" && end.code === "sandbox-unavailable") backend.doubt();
	};
	const start: Backend["start"] = async (request, options) => {
		const started = await backend.start(request, options);
		if (started.state === "refused") note(started);
		else void started.ended.then(note);
		return started;
	};
	return {
		...backend,
		start,
		run: async (request, options, signal) => {
			signal.throwIfAborted();
			const started = await start(request, options);
			if (started.state === "refused") return started;
			const stop = (): void => started.stop();
			if (signal.aborted) stop();
			signal.addEventListener("abort", stop, { once: true });
			return started.ended.finally(() => signal.removeEventListener("abort", stop));
		},
	};
}

function createBubblewrap(places: SandboxPlaces): Backend {
	let last: { readonly stamp: string; readonly tried: Promise<SandboxProbe> } | undefined;
	let made: LaunchParts | undefined;
	const plan = createPlanner();
	const probe = async (retry?: "failed"): Promise<SandboxProbe> => {
		const found = await findSandbox(places.path, places.folders);
		if (typeof found !== "string") {
			last = undefined;
			return { ok: false, problem: found };
		}
		const stamp = `${found} ${stampOf(found)}`;
		const known = last?.stamp === stamp ? await last.tried : undefined;
		if (known?.ok === true || (known !== undefined && retry === undefined)) return known;
		last = { stamp, tried: probeSandbox(found) };
		return last.tried;
	};
	const prepare = async (request: CommandRequest): Promise<Refusal | { prepared: Prepared; parts: LaunchParts }> => {
		const tried = await (last?.tried ?? probe());
		if (!tried.ok) return { state: "refused", code: "sandbox-unavailable", reason: describeProblem(tried.problem) };
		if (made?.bwrap !== tried.bwrap) {
			try {
				made = made === undefined ? makeParts(places.home, tried.bwrap) : withProgram(made, tried.bwrap);
			} catch (error) {
				return { state: "refused", code: "sandbox-unavailable", reason: `No folder of our own to work in: ${error}` };
			}
		}
		const parts = made;
		const { folder, placeholders } = parts;
		const prepared = await prepareCommand(request, {
			probe: tried,
			maskFile: folder.maskFile,
			plan,
			hasCgroups: parts.cgroups !== undefined,
			standing: placeholders.standing,
			planted: parts.planted,
			places: parts.places,
			temporary: temporaryOf(places.home, request.owner),
			copies: () => newNameIn(folder),
		});
		return prepared.state === "refused" ? prepared : { prepared, parts };
	};
	const start: Backend["start"] = async (request, options) => {
		const ready = await prepare(request);
		return "state" in ready ? ready : startPrepared(ready.prepared, ready.parts, options);
	};
	return {
		kind: "bubblewrap",
		probe,
		doubt: () => {
			last = undefined;
		},
		missing: async () => {
			const found = await findSandbox(places.path, places.folders);
			return typeof found === "string" ? undefined : found;
		},
		start,
		compile: async (request) => {
			const ready = await prepare(request);
			return "state" in ready ? ready : [ready.prepared.bwrap, ...optionsIn(ready.prepared)];
		},
	};
}

function makeParts(home: string, bwrap: string): LaunchParts {
	closeInherited();
	const folder = openRunFolder(home);
	return {
		bwrap,
		folder,
		files: createSameFiles(folder),
		placeholders: createPlaceholders(folder.path, folder.spare),
		planted: new Set(),
		pipes: createPipes(folder, bwrap),
		places: createHarmfulPlaces(),
		journal: createGuardJournal(folder.path),
		networks: createOwnNetworks(bwrap),
		// An ordinary user's processes are bound without.
		cgroups: process.getuid?.() === 0 ? findCgroups() : undefined,
	};
}

/** The same with what another bubblewrap makes; what running commands hold stays. */
function withProgram(made: LaunchParts, bwrap: string): LaunchParts {
	return { ...made, bwrap, pipes: createPipes(made.folder, bwrap), networks: createOwnNetworks(bwrap) };
}
