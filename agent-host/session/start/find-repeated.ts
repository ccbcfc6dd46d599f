import type { HistoryItem, UserImage } from "../../history/history-item.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";

interface Prompt {
	readonly prompt: string;
	readonly images: readonly UserImage[];
}

/**
 * The turn that a prompt repeats, if the model still reads that prompt there: it is the newest turn, did not finish,
 * and was neither rolled back nor compacted. Otherwise the prompt has to be sent.
 */
export function findRepeated(
	{ history, turnStarts }: Pick<ThreadState, "history" | "turnStarts">,
	turnId: TurnId | undefined,
	prompt: Prompt,
): TurnId | undefined {
	if (turnId === undefined || turnStarts.at(-1)?.turnId !== turnId) return undefined;
	const ended = history.at(-1);
	const isUnfinished = ended?.kind === "fragment" && ended.fragment === "turn-aborted";
	// A turn that was itself a retry has no message of its own.
	const said = history.findLastIndex(({ kind }) => kind === "userMessage");
	const start = turnStarts.findLast(({ at }) => at <= said);
	return isUnfinished && start !== undefined && containsPrompt(history.slice(start.at), prompt) ? turnId : undefined;
}

/** Whether a history contains exactly this prompt, with its images right behind it. */
export function containsPrompt(history: readonly HistoryItem[], { prompt, images }: Prompt): boolean {
	return history.some((item, at) => {
		if (item.kind !== "userMessage" || item.text !== prompt) return false;
		const found = history.slice(at + 1, at + 1 + images.length);
		const isNext = history[at + 1 + images.length]?.kind === "userImage";
		return !isNext && images.every((image, index) => JSON.stringify(found[index]) === JSON.stringify(image));
	});
}
