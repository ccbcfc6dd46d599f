import { type ThreadId, TurnId } from "../../protocol/ids.ts";
import { asMessage, type Said, say } from "../../protocol/say.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { Rights } from "../../store/records/admit-records.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { Facts } from "../facts.ts";
import type { Draft, LiveThread } from "./live-thread.ts";

/** Full access holds for one thread in the window and the workspace in which the user gave it. Kept in memory only. */
export interface FullAccess {
	/** Takes note of what the user chose for a thread just now. */
	readonly note: (threadId: ThreadId, chosen: PartialSettings) => void;
	/** The thread with the settings that are in force: full access that was given elsewhere is none of them. */
	readonly held: (state: ThreadState) => ThreadState;
	/** What to record of a thread whose full access is over, so that it says so and stays so. */
	readonly lapse: (state: ThreadState) => readonly Draft[];
}

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
		lapse: (state) => (isOver(state) ? choiceRecords(held(state), "full-access-ended", say("full-access-ended")) : []),
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

/** What a thread may do whose own choices cannot be believed, until the user chooses again. */
const READ_ONLY: PartialSettings = { permissions: { mode: "readOnly", network: "off" } };

const DOUBTS: Record<Exclude<Rights["state"], "proved">, Said> = {
	unsealed: say("rights-unsealed"),
	changed: say("rights-changed"),
};

/** A thread as it may go on: as its records say where they are this host's own, else only reading. */
export function believed(state: ThreadState, rights: Rights): ThreadState {
	return rights.state === "proved" ? state : { ...state, settings: READ_ONLY, held: {} };
}

/** What to record of a thread whose choices cannot be believed, so that it says so, and stays so until the user chooses. */
export function doubtRecords(state: ThreadState, { state: rights }: Rights): readonly Draft[] {
	return rights === "proved" ? [] : choiceRecords(state, "permissions-unverified", DOUBTS[rights]);
}

/** The settings of a thread as the host has changed them, and why, in the words that its transcript shows. */
export function choiceRecords({ settings, cwd, turnStarts }: ThreadState, code: string, said: Said): readonly Draft[] {
	const folder = cwd === undefined ? {} : { cwd };
	const turnId = turnStarts.at(-1)?.turnId ?? TurnId.parse("opened");
	return [
		{ kind: "settings", settings, ...folder },
		{ kind: "event", event: { type: "settingsChanged", settings, ...folder } },
		{ kind: "event", event: { type: "warning", turnId, code, ...asMessage(said) } },
	];
}
