import { type Contract, contractFor } from "../../envelope/kept-contract.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { Facts } from "../facts.ts";
import { heldIn, workspaceIn } from "./last-envelope.ts";
import type { Draft } from "./live-thread.ts";

type Recorded = Pick<ThreadState, "held" | "envelope" | "settings" | "cwd">;

/** Where a thread works. */
export interface ThreadFolder {
	readonly cwd: string | undefined;
	readonly roots: readonly string[];
	/** False for a folder that this window does not have open: there the thread only reads. */
	readonly isOpen: boolean;
	/** Of a folder that is not open: what the user said of it when the thread last ran there. */
	readonly trusted: boolean;
}

/** What binds the next turn of a thread, as far as it is not read from the world. */
export interface ThreadContract extends Contract {
	readonly folder: ThreadFolder;
}

export function threadContract(
	state: Recorded,
	facts: Pick<Facts, "settings" | "folders" | "closedFolders" | "trusted">,
): ThreadContract {
	const contract = contractFor(facts.settings, state.held ?? heldIn(state.envelope), state.settings);
	return { ...contract, folder: folderOf(state, facts) };
}

/** What holds in a folder that is not open, above everything else. Nobody is asked: the user sees another folder in this window. */
export const ONLY_READING: PartialSettings = {
	approval: "never",
	permissions: { mode: "readOnly", network: "off", writableRoots: [], rules: [] },
};

/** A thread goes on in its own folder. When this window closes that one, its threads move along with it. */
function folderOf(
	{ cwd, envelope }: Recorded,
	{ folders, closedFolders, trusted }: Pick<Facts, "folders" | "closedFolders" | "trusted">,
): ThreadFolder {
	const holds = (folder: string): boolean => cwd !== undefined && isInside(cwd, folder);
	if (folders.some(holds)) return { cwd, roots: [...folders], isOpen: true, trusted };
	// Only a thread that ran there, with the user's consent, goes on reading there.
	const last = workspaceIn(envelope);
	const ranIn = last?.roots.filter(holds) ?? [];
	if (last === undefined || ranIn.length === 0 || closedFolders.some(holds))
		return { cwd: folders[0], roots: [...folders], isOpen: true, trusted };
	return { cwd, roots: ranIn, isOpen: false, trusted: trusted && last.trusted };
}

/** What has to be recorded with a turn so that the thread keeps its contract from now on. */
export function contractRecords(state: Recorded, { own, held }: Contract): readonly Draft[] {
	const isNarrowed = !isSame(own, state.settings);
	if (!isNarrowed && isSame(held, state.held)) return [];
	const folder = state.cwd === undefined ? {} : { cwd: state.cwd };
	return [
		{ kind: "settings", settings: own, held, ...folder },
		...(isNarrowed ? [{ kind: "event", event: { type: "settingsChanged", settings: own, ...folder } } as const] : []),
	];
}

// Both were made by the same code, so that equal values have equal texts but for the order of keys.
function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
