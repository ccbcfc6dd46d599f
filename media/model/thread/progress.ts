import { countOf, exactTimeOf, t } from "../../../l10n/t.ts";
import { showInvisible } from "../words/invisible.ts";
import { describeSeconds } from "../words/text.ts";
import type { Running, Transcript } from "./transcript.ts";

/** After this much silence of the model, the status says that it is waiting. */
export const WAITING_MS = 5_000;
/** After this much silence, the status is a warning. */
export const SILENCE_MS = 60_000;

const MINUTE_MS = 60_000;
/** Longest title of the running call. */
const MAX_NOW_CHARS = 60;

/** Short description of what a running turn is doing. */
export interface Progress {
	readonly text: string;
	/** `question`: the thread itself asks, on its own card. `agent`: one of its sub-agents does. */
	readonly look: "working" | "question" | "agent" | "countdown" | "silent";
}

/** `approvals`, `questions`: with those of its sub-agents. `lastMessageAt`: when the last message arrived, by the same clock as `now`. */
export function describeProgress(
	transcript: Pick<Transcript, "running" | "approvals" | "questions" | "compacting" | "entries">,
	lastMessageAt: number,
	now: number,
): Progress {
	const { running, approvals, questions, compacting } = transcript;
	// While it waits for the user, silence is expected.
	const asked = [...approvals, ...questions].map(({ request }) => request.agent);
	if (asked.includes(undefined)) return { text: t("Waiting for you"), look: "question" };
	const [agent] = asked;
	if (agent !== undefined) return { text: t("Agent {0} needs your answer", showInvisible(agent.name)), look: "agent" };
	const { retry } = running ?? {};
	if (retry !== undefined && retry.at > now) {
		const left = describeSeconds(retry.at - now + 999);
		const isLimit = retry.code === "rate-limit";
		const text = isLimit
			? t("Rate limited. Retrying in {0}, at {1}", left, exactTimeOf(retry.at))
			: t("Retrying in {0}", left);
		return { text, look: "countdown" };
	}
	const silentMs = now - Math.max(lastMessageAt, retry?.at ?? 0);
	if (compacting !== undefined) {
		const { before, after } = compacting;
		// More than before is what it may take at most, not what it comes to.
		const text = after < before ? t("Compacting {0} → about {1} tokens", before, after) : t("Compacting");
		return { text, look: "working" };
	}
	// A command may run for long without output, and the model is silent meanwhile.
	const runs = runningTool(transcript);
	if (runs !== undefined) return { text: runs, look: "working" };
	if (silentMs > SILENCE_MS) return { text: t("No response for {0}", describeSeconds(silentMs)), look: "silent" };
	return { text: silentMs >= WAITING_MS ? t("Waiting for the model") : t("Working"), look: "working" };
}

/** Elapsed time of a turn: seconds at first, later with the number of steps, to show that it progresses. */
export function describeElapsed({ since, steps }: Pick<Running, "since" | "steps">, now: number): string {
	const minutes = Math.floor((now - since) / MINUTE_MS);
	if (minutes < 1 || steps === 0) return describeSeconds(now - since);
	const inSteps = countOf(steps, "{0} step", "{0} steps");
	return t("Still working: {0}, {1}", inSteps, countOf(minutes, "{0} minute", "{0} minutes"));
}

/** Title of the running call, on one line. */
function runningTool({ entries }: Pick<Transcript, "entries">): string | undefined {
	const last = entries.findLast(({ kind }) => kind !== "approval");
	if (last?.kind !== "toolCall" || last.status !== "running") return undefined;
	const [line = ""] = (last.title || last.name).split("\n");
	return showInvisible(line.length <= MAX_NOW_CHARS ? line : `${line.slice(0, MAX_NOW_CHARS - 1)}…`);
}
