import type { ThreadId } from "../../protocol/ids.ts";
import type { PartialSettings } from "../../protocol/settings.ts";
import type { ThreadState } from "../../store/thread-state.ts";
import type { Facts } from "../facts.ts";
import type { Draft, LiveThread } from "./live-thread.ts";
import { choiceRecords } from "./rights.ts";

/** Full access holds for one thread in the window and the workspace in which the user gave it. Kept in memory only. */
export interface FullAccess {
	/** Takes note of what the user chose for a thread just now. */
	readonly note: (threadId: ThreadId, chosen: PartialSettings) => void;
	/** The thread with the settings that are in force: full access that was given elsewhere is none of them. */
	readonly held: (state: ThreadState) => ThreadState;
	/** What to record of a thread whose full access is over, so that it says so and stays so. */
	readonly lapse: (state: ThreadState) => readonly Draft[];
}

const ENDED =
	"Full access has ended: it holds only in the window and the folders where it was given. Choose permissions to give it again.";

export function createFullAccess(facts: Pick<Facts, "folders">): FullAccess {
	const given = new Map<ThreadId, string>();
	const here = (): string => JSON.stringify([...facts.folders].sort());
	const isOver = ({ threadId, settings }: ThreadState): boolean =>
		settings.permissions?.mode === "full" && given.get(threadId) !== here();
	const held = (state: ThreadState): ThreadState =>
		isOver(state) ? { ...state, settings: withoutMode(state.settings) } : state;
	return {
		note: (threadId, { permissions }) => {
			if (permissions?.mode === "full") given.set(threadId, here());
			else if (permissions?.mode !== undefined) given.delete(threadId);
		},
		held,
		lapse: (state) => (isOver(state) ? choiceRecords(held(state), "full-access-ended", ENDED) : []),
	};
}

/** Ends what is over before anything is done in its name. */
export async function endFullAccess(thread: LiveThread, full: FullAccess): Promise<void> {
	const state = thread.state();
	const drafts = full.lapse(state);
	if (drafts.length === 0 || thread.refusal !== undefined) return;
	if (state.written) await thread.commit(drafts, "synced");
	else thread.configure(full.held(state));
}

function withoutMode(settings: PartialSettings): PartialSettings {
	const { mode: _, ...permissions } = settings.permissions ?? {};
	return { ...settings, permissions };
}
