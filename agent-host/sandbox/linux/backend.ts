import { describeRefusal } from "../../permissions/policy/sandbox-problem.ts";
import type { Backend, CommandRequest, Refusal, SandboxPlaces } from "../backend.ts";
import { temporaryFolderOf } from "../command/temporary.ts";
import { createPlanner } from "../layout/plan-layout.ts";
import { createGuardJournal } from "../protect/guard-journal.ts";
import { createHarmfulPlaces } from "../protect/harmful-places.ts";
import { createPlaceholders } from "../protect/placeholders.ts";
import { closeInherited, createMemfdCache, newNameIn, openRunFolder, temporaryFoldersIn } from "../run-folder.ts";
import { findCgroups } from "./cgroups/cgroups.ts";
import { createPrivateNetworks } from "./network/private-network.ts";
import { createPipes } from "./pipes.ts";
import { listWords, type Prepared, prepareCommand } from "./prepare.ts";
import { type LaunchParts, startPrepared } from "./start-command.ts";
import {
	bundledNotice,
	findSandbox,
	identifyFile,
	isScript,
	probeSandbox,
	type SandboxProbe,
	stampBwrap,
} from "./try-bwrap.ts";
import { createWaitingShells } from "./waiting-shells.ts";

/** Contains the commands of one host with bubblewrap. Nothing is tried or created before the first use. */
export function createBubblewrap(places: SandboxPlaces): Backend {
	let last: { readonly stamp: string; readonly tried: Promise<SandboxProbe> } | undefined;
	/** The last trial that succeeded. */
	let worked: { readonly stamp: string; readonly probe: SandboxProbe } | undefined;
	let made: LaunchParts | undefined;
	const plan = createPlanner();
	const probe = async (retry?: "failed"): Promise<SandboxProbe> => {
		const found = await findSandbox(places.path, places.folders);
		if (!("file" in found)) {
			last = undefined;
			return { ok: false, problem: found };
		}
		const { file, isBundled } = found;
		const stamp = `${file} ${stampBwrap(file)}`;
		const known = last?.stamp === stamp ? await last.tried : undefined;
		if (known?.ok === true || (known !== undefined && retry === undefined)) return known;
		const noticed = (tried: SandboxProbe) => (tried.ok && isBundled ? { ...tried, notice: bundledNotice() } : tried);
		last = { stamp, tried: tryOut(file, stamp).then(noticed) };
		return last.tried;
	};
	/** A trial that could not be carried out says nothing: a busy machine must not count as one without a sandbox. */
	const tryOut = async (file: string, stamp: string): Promise<SandboxProbe> => {
		const result = await probeSandbox(file);
		if (result.ok) worked = { stamp, probe: result };
		return !result.ok && result.isUntried === true && worked?.stamp === stamp ? worked.probe : result;
	};
	/** The state right before a launch: nothing that the trial depended on may have changed since. */
	const probeForLaunch = async (): Promise<SandboxProbe> => {
		if (last === undefined) return probe();
		const { stamp, tried } = last;
		const known = await tried;
		if (!known.ok || identifyFile(known.bwrap) !== known.identity) return known;
		const isSame = `${known.bwrap} ${stampBwrap(known.bwrap)}` === stamp;
		// A script depends on files that nothing here compares.
		return isSame && !isScript(known.bwrap) ? known : probeSandbox(known.bwrap);
	};
	const prepare = async (request: CommandRequest): Promise<Refusal | { prepared: Prepared; parts: LaunchParts }> => {
		const tried = await probeForLaunch();
		if (!tried.ok) return { state: "refused", code: "sandbox-unavailable", reason: describeRefusal(tried.problem) };
		if (made?.bwrap !== tried.bwrap) {
			try {
				made = made === undefined ? makeParts(places.home, tried.bwrap) : withProgram(made, tried.bwrap);
			} catch (error) {
				return {
					state: "refused",
					code: "sandbox-unavailable",
					reason: `The agent host could not create its working folder: ${error}`,
				};
			}
		}
		const parts = made;
		const { folder, placeholders } = parts;
		const prepared = await prepareCommand(request, {
			probe: tried,
			maskFile: folder.maskFile,
			plan,
			hasCgroups: parts.cgroups !== undefined,
			active: placeholders.active,
			planted: parts.planted,
			places: parts.places,
			temporary: temporaryFolderOf(places.home, request.owner),
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
			return "file" in found ? undefined : found;
		},
		start,
		compile: async (request) => {
			const ready = await prepare(request);
			return "state" in ready ? ready : listWords(ready.prepared);
		},
	};
}

function makeParts(home: string, bwrap: string): LaunchParts {
	closeInherited();
	const folder = openRunFolder(home);
	const files = createMemfdCache(folder);
	const pipes = createPipes(folder, bwrap);
	// An ordinary user's processes are limited without them.
	const cgroups = process.getuid?.() === 0 ? findCgroups() : undefined;
	return {
		bwrap,
		folder,
		files,
		placeholders: createPlaceholders(folder.path, folder.spare),
		planted: new Set(),
		pipes,
		shells: createWaitingShells(folder, files, pipes, cgroups),
		places: createHarmfulPlaces(temporaryFoldersIn(home)),
		journal: createGuardJournal(folder.path),
		networks: createPrivateNetworks(bwrap),
		cgroups,
	};
}

/** The same parts for another bubblewrap; what running commands use stays. */
function withProgram(made: LaunchParts, bwrap: string): LaunchParts {
	const pipes = createPipes(made.folder, bwrap);
	made.shells.discard();
	const shells = createWaitingShells(made.folder, made.files, pipes, made.cgroups);
	return { ...made, bwrap, pipes, shells, networks: createPrivateNetworks(bwrap) };
}
