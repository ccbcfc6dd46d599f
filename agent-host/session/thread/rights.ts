import { TurnId } from "../../protocol/ids.ts";
import type { PartialSettings } from "../../protocol/settings.ts";
import type { Rights } from "../../store/admit.ts";
import type { ThreadState } from "../../store/thread-state.ts";
import type { Draft } from "./live-thread.ts";

/** What a thread may do whose own choices cannot be believed, until the user chooses again. */
const READ_ONLY: PartialSettings = { permissions: { mode: "readOnly", network: "off" } };

const DOUBTS: Record<Exclude<Rights["state"], "proved">, string> = {
	unsealed:
		"This thread comes from an earlier version of Vitrine or from elsewhere, so it can only read for now. Choose its permissions to let it do more.",
	changed:
		"What this thread may do cannot be verified, because its file was changed outside Vitrine or is incomplete. It can only read until you choose its permissions.",
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
export function choiceRecords(
	{ settings, cwd, turnStarts }: ThreadState,
	code: string,
	message: string,
): readonly Draft[] {
	const folder = cwd === undefined ? {} : { cwd };
	const turnId = turnStarts.at(-1)?.turnId ?? TurnId.parse("opened");
	return [
		{ kind: "settings", settings, ...folder },
		{ kind: "event", event: { type: "settingsChanged", settings, ...folder } },
		{ kind: "event", event: { type: "warning", turnId, code, message } },
	];
}
