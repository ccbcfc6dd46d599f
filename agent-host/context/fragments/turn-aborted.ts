import { defineFragment } from "../fragment.ts";

const REASONS = {
	stopped: "The user stopped the previous turn before it was finished.",
	died: "The previous turn was interrupted because the agent host stopped.",
	failed: "The previous turn failed before it was finished.",
	limit: "The previous turn ended before it was finished, at a limit set by the user.",
	loop: "The previous turn was ended because the same call kept returning the same result.",
} as const;

export type AbortReason = keyof typeof REASONS;

/** Tells the model that the previous turn did not finish. */
export const turnAborted = defineFragment<{ readonly reason: AbortReason }>({
	kind: "turn-aborted",
	role: "user",
	tag: "turn_aborted",
	origin: "host",
	maxChars: 400,
	about: "The turn before this one did not finish, and why.",
	summary: ({ reason }) => `turn ${reason}`,
	body: ({ reason }) =>
		`${REASONS[reason]} The last text may be incomplete. Do not assume that any unfinished work was done.`,
});
