import type { Transcript } from "../transcript.ts";
import { describeSeconds } from "./text.ts";

/** Silence of the model after which the reader is told that it is being waited for. */
export const WAITING_MS = 5_000;
/** Silence after which that is worth a warning. */
export const SILENCE_MS = 60_000;

/** What a running turn is doing, in a few words. */
export interface Progress {
	readonly text: string;
	readonly look: "working" | "question" | "countdown" | "silent";
}

/** `heardAt`: when the page last heard anything, by the same clock as `now`. */
export function describeProgress(
	transcript: Pick<Transcript, "running" | "approvals" | "compacting" | "entries">,
	heardAt: number,
	now: number,
): Progress {
	const { running, approvals, compacting } = transcript;
	// Whoever waits for the user has nothing to say.
	if (approvals.length > 0) return { text: "Waiting for you", look: "question" };
	const { retry } = running ?? {};
	if (retry !== undefined && retry.at > now) {
		const why = retry.code === "rate-limit" ? "Rate limit: trying" : "Trying";
		return { text: `${why} again in ${describeSeconds(retry.at - now + 999)}`, look: "countdown" };
	}
	const silentMs = now - Math.max(heardAt, retry?.at ?? 0);
	if (compacting !== undefined) {
		const [before, after] = [compacting.before, compacting.after].map((tokens) => tokens.toLocaleString("en-US"));
		return { text: `Compacting ${before} → about ${after} tokens`, look: "working" };
	}
	if (silentMs > SILENCE_MS) return { text: `No reply for ${describeSeconds(silentMs)}`, look: "silent" };
	const waits = silentMs >= WAITING_MS && !runsTool(transcript);
	return { text: waits ? "Waiting for the model" : "Working", look: "working" };
}

/** A command may work for long without a word, and the model then has nothing to say. */
function runsTool({ entries }: Pick<Transcript, "entries">): boolean {
	const last = entries.at(-1);
	return last?.kind === "toolCall" && last.status === "running";
}
