import { countOf, t } from "../../../l10n/t.ts";
import { showInvisible } from "../words/invisible.ts";
import { describeSeconds } from "../words/text.ts";
import type { Running, Transcript } from "./transcript.ts";

/** Silence of the model after which the reader is told that it is being waited for. */
export const WAITING_MS = 5_000;
/** Silence after which that is worth a warning. */
export const SILENCE_MS = 60_000;

const MINUTE_MS = 60_000;
/** Of what runs now, as much as fits beside the time. */
const MAX_NOW_CHARS = 60;

/** What a running turn is doing, in a few words. */
export interface Progress {
	readonly text: string;
	readonly look: "working" | "question" | "countdown" | "silent";
}

/** `lastMessageAt`: when the last message arrived, by the same clock as `now`. */
export function describeProgress(
	transcript: Pick<Transcript, "running" | "approvals" | "questions" | "compacting" | "entries">,
	lastMessageAt: number,
	now: number,
): Progress {
	const { running, approvals, questions, compacting } = transcript;
	// Whoever waits for the user has nothing to say.
	if (approvals.length + questions.length > 0) return { text: t("Waiting for you"), look: "question" };
	const { retry } = running ?? {};
	if (retry !== undefined && retry.at > now) {
		const left = describeSeconds(retry.at - now + 999);
		const isLimit = retry.code === "rate-limit";
		const text = isLimit ? t("Rate limit: trying again in {0}", left) : t("Trying again in {0}", left);
		return { text, look: "countdown" };
	}
	const silentMs = now - Math.max(lastMessageAt, retry?.at ?? 0);
	if (compacting !== undefined) {
		const { before, after } = compacting;
		return { text: t("Compacting {0} → about {1} tokens", before, after), look: "working" };
	}
	// A command may work for long without a word, and the model then has nothing to say.
	const runs = runningTool(transcript);
	if (runs !== undefined) return { text: runs, look: "working" };
	if (silentMs > SILENCE_MS) return { text: t("No reply for {0}", describeSeconds(silentMs)), look: "silent" };
	return { text: silentMs >= WAITING_MS ? t("Waiting for the model") : t("Working"), look: "working" };
}

/** For how long a turn has been running: in seconds at first, then with what it has done, so that it is seen to get on. */
export function describeElapsed({ since, steps }: Pick<Running, "since" | "steps">, now: number): string {
	const minutes = Math.floor((now - since) / MINUTE_MS);
	if (minutes < 1 || steps === 0) return describeSeconds(now - since);
	const inSteps = countOf(steps, "{0} step", "{0} steps");
	return t("Still working: {0}, {1}", inSteps, countOf(minutes, "{0} minute", "{0} minutes"));
}

/** What runs now, in one line. */
function runningTool({ entries }: Pick<Transcript, "entries">): string | undefined {
	const last = entries.at(-1);
	if (last?.kind !== "toolCall" || last.status !== "running") return undefined;
	const [line = ""] = (last.title || last.name).split("\n");
	return showInvisible(line.length <= MAX_NOW_CHARS ? line : `${line.slice(0, MAX_NOW_CHARS - 1)}…`);
}
