import { type ThreadId, TurnId } from "../../protocol/ids.ts";
import { asMessage, type Said, say } from "../../protocol/say.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { Rights } from "../../store/records/admit-records.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { Facts } from "../facts.ts";
import type { Draft, LiveThread } from "./live-thread.ts";

/**
 * Full access applies to one thread, in the window and the workspace in which the user granted it. Kept in memory only.
 */
export interface FullAccess {
	/** Records the user's latest choice for a thread. */
	readonly note: (threadId: ThreadId, chosen: PartialSettings) => void;
	/** The thread with its effective settings, without full access that was granted elsewhere. */
	readonly held: (state: ThreadState) => ThreadState;
	/** The records for a thread whose full access has expired, so that this is visible and permanent. */
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

/** Ends expired full access before anything runs under it. */
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

/** The settings of a thread whose own choices cannot be trusted, until the user chooses again. */
const READ_ONLY: PartialSettings = { permissions: { mode: "readOnly", network: "off" } };

const DOUBTS: Record<Exclude<Rights["state"], "proved">, Said> = {
	unsealed: say("rights-unsealed"),
	changed: say("rights-changed"),
};

/** The thread's state to continue with: from its records if this host wrote them, otherwise read-only. */
export function trustedState(state: ThreadState, rights: Rights): ThreadState {
	return rights.state === "proved" ? state : { ...state, settings: READ_ONLY, held: {} };
}

/**
 * The records for a thread whose choices cannot be trusted, so that this is visible, and permanent until the user
 * chooses.
 */
export function doubtRecords(state: ThreadState, { state: rights }: Rights): readonly Draft[] {
	return rights === "proved" ? [] : choiceRecords(state, "permissions-unverified", DOUBTS[rights]);
}

/** A thread's settings as the host has changed them, with the reason shown in the transcript. */
export function choiceRecords({ settings, cwd, turnStarts }: ThreadState, code: string, said: Said): readonly Draft[] {
	const folder = cwd === undefined ? {} : { cwd };
	const turnId = turnStarts.at(-1)?.turnId ?? TurnId.parse("opened");
	return [
		{ kind: "settings", settings, ...folder },
		{ kind: "event", event: { type: "settingsChanged", settings, ...folder } },
		{ kind: "event", event: { type: "warning", turnId, code, ...asMessage(said) } },
	];
}
