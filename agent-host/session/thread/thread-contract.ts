import { type Contract, contractFor, type Held } from "../../envelope/kept-contract.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { Facts } from "../facts.ts";
import { readHeld, readWorkspace } from "./last-envelope.ts";
import type { Draft } from "./live-thread.ts";

type Recorded = Pick<ThreadState, "held" | "envelope" | "settings" | "cwd">;

/** Where a thread works. */
export interface ThreadFolder {
	readonly cwd: string | undefined;
	readonly roots: readonly string[];
	/** False if the folder is not open in this window: the thread is then read-only. */
	readonly isOpen: boolean;
	/** For a folder that is not open: the trust when the thread last ran there. */
	readonly trusted: boolean;
	/** In a worktree, the Git directory that it shares with its repository. */
	readonly repository?: string;
}

/** The contract of a thread's next turn, except what is read from the world. */
export interface ThreadContract extends Contract {
	readonly folder: ThreadFolder;
}

export function threadContract(
	state: Recorded,
	facts: Pick<Facts, "settings" | "isCeiling" | "closedFolders" | keyof OpenFacts>,
): ThreadContract {
	const held = state.held ?? readHeld(state.envelope);
	return { ...recallContract(facts, held, state.settings), folder: findFolder(state, facts) };
}

/** The last contract of each thread, by its own settings. Each turn asks several times, and all three are replaced instead of changed. */
const lastContracts = new WeakMap<
	PartialSettings,
	{ readonly client: PartialSettings; readonly held: Held | undefined; readonly contract: Contract }
>();

function recallContract(
	{ settings, isCeiling }: Pick<Facts, "settings" | "isCeiling">,
	held: Held | undefined,
	own: PartialSettings,
): Contract {
	const last = lastContracts.get(own);
	if (last?.client === settings && last.held === held) return last.contract;
	const contract = contractFor(settings, held, own, isCeiling);
	lastContracts.set(own, { client: settings, held, contract });
	return contract;
}

/**
 * Overrides everything else in a folder that is not open. Approvals are off, because the user sees another folder in
 * this window.
 */
export const ONLY_READING: PartialSettings = {
	approval: "never",
	permissions: { mode: "readOnly", network: "off", writableRoots: [], rules: [] },
};

type OpenFacts = Pick<Facts, "folders" | "trusted" | "worktrees">;

/**
 * Where a thread in this folder works, if the folder is open: inside a workspace folder, or in a worktree of one, which
 * is then the thread's only folder and as trusted as the workspace.
 */
export function findOpenFolder(cwd: string, { folders, trusted, worktrees }: OpenFacts): ThreadFolder | undefined {
	const own = worktrees.list.find(({ path }) => isInside(cwd, path));
	const isHere = own !== undefined && folders.some((open) => isInside(own.folder, open));
	if (isHere && own.state === "ready")
		return { cwd, roots: [own.path], isOpen: true, trusted, repository: own.repository };
	// The threads of a worktree that was dropped continue in its repository's folder.
	if (isHere) return { cwd: own.folder, roots: [...folders], isOpen: true, trusted };
	return folders.some((open) => isInside(cwd, open)) ? { cwd, roots: [...folders], isOpen: true, trusted } : undefined;
}

/** All folders that threads of this window work in: the open ones, and the worktrees of their repositories. */
export function listWorkFolders({ folders, worktrees }: Pick<OpenFacts, "folders" | "worktrees">): readonly string[] {
	const own = worktrees.list.filter(
		({ state, folder }) => state === "ready" && folders.some((open) => isInside(folder, open)),
	);
	return [...folders, ...own.map(({ path }) => path)];
}

/** A thread continues in its own folder. If this window closes that folder, its threads move with the window. */
function findFolder({ cwd, envelope }: Recorded, facts: Pick<Facts, "closedFolders" | keyof OpenFacts>): ThreadFolder {
	const { folders, closedFolders, trusted } = facts;
	const open = cwd === undefined ? undefined : findOpenFolder(cwd, facts);
	if (open !== undefined) return open;
	const holds = (folder: string): boolean => cwd !== undefined && isInside(cwd, folder);
	// Only a thread that ran there with the user's consent continues reading there.
	const last = readWorkspace(envelope);
	const ranIn = last?.roots.filter(holds) ?? [];
	if (last === undefined || ranIn.length === 0 || closedFolders.some(holds))
		return { cwd: folders[0], roots: [...folders], isOpen: true, trusted };
	return { cwd, roots: ranIn, isOpen: false, trusted: trusted && last.trusted };
}

/** What to record with a turn so that the thread keeps its contract. */
export function contractRecords(state: Recorded, { own, held }: Contract): readonly Draft[] {
	const isNarrowed = !isSame(own, state.settings);
	if (!isNarrowed && isSame(held, state.held)) return [];
	const folder = state.cwd === undefined ? {} : { cwd: state.cwd };
	return [
		{ kind: "settings", settings: own, held, ...folder },
		...(isNarrowed ? [{ kind: "event", event: { type: "settingsChanged", settings: own, ...folder } } as const] : []),
	];
}

// Both were made by the same code, so equal values have equal JSON except for the key order.
function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
