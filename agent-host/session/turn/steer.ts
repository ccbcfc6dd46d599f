import { historyTokens } from "../../compaction/measure.ts";
import type { Fragment } from "../../context/fragment.ts";
import { editorContext } from "../../context/fragments/editor-context.ts";
import { asHistoryItem, type HistoryItem, type UserImage } from "../../history/history-item.ts";
import { projectHistory } from "../../history/normalize.ts";
import { HostError } from "../../protocol/errors.ts";
import { ItemId, type TurnId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { TurnPurpose } from "../../protocol/thread/events.ts";
import type { turnSteer } from "../../protocol/thread/turn.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { readableUnder } from "../../workspace/files/readable.ts";
import { readSkills } from "../brought/read-skills.ts";
import { createUseSkill } from "../brought/use-skill.ts";
import type { Ports } from "../ports/ports.ts";
import { loadImages, unseenImages } from "../start/load-images.ts";
import { refuseClosedTexts } from "../start/refuse-closed-texts.ts";
import { listAttachments, listChosen, listSkills, readPrompt } from "../start/turn-input.ts";
import { asContextUpdate } from "../thread/due-fragments.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import type { Turn } from "../thread/running-turn.ts";

type Steer = ParsedParamsOf<typeof turnSteer>;

/** Records a steering message. Resolves when it is durable; the turn takes it at its next step. */
export async function steerTurn(thread: LiveThread, steer: Steer, ports: Ports): Promise<void> {
	if (thread.refusal !== undefined) throw thread.refusal;
	const text = readPrompt(steer.input);
	const id = ItemId.parse(ports.newId());
	const { images, fragments } = await readAttachments(thread, steer);
	// Decided inside the queue: the turn may end while this waits for its place.
	await thread.commit((state): readonly Draft[] => {
		if (wasTaken(state, steer)) return [];
		refuseUnlessOpen(state, steer);
		refuseUnlessFits(thread, [{ kind: "userMessage", text }, ...images, ...fragments.map(asHistoryItem)]);
		const { turnId, clientId } = steer;
		const own = { ...listAttachments(steer.input, images), ...(clientId === undefined ? {} : { clientId }) };
		const item = { kind: "userMessage", id, messageKind: "plain", text, steered: true, ...own } as const;
		return [
			{ kind: "event", event: { type: "itemCompleted", turnId, item } },
			...attachmentRecords(turnId, { images, fragments }),
			...unseenImages(turnId, images, thread.running?.envelope),
		];
	}, "synced");
}

/** Reads the attachments under the running turn's policy. If no turn is running, the message is refused anyway. */
async function readAttachments({ running }: LiveThread, { input }: Steer): Promise<Attachments> {
	if (running === undefined) return { images: [], fragments: [] };
	await refuseClosedTexts(input, running.envelope);
	const images = await loadImages(input, running.envelope);
	const chosen = listChosen(input);
	const fragments = chosen === undefined ? [] : [editorContext.of({ editor: chosen, gone: [], changed: false })];
	const { capabilities, policy } = running.envelope;
	const useSkill = createUseSkill(capabilities.skills, async () => readableUnder(policy.value));
	const skills = await readSkills(capabilities.skills, readPrompt(input), listSkills(input), useSkill);
	const missing = skills.find((one) => "reason" in one);
	if (missing !== undefined) throw new HostError("input-refused", say("skill-unused", missing));
	return { images, fragments: [...fragments, ...skills.flatMap((one) => ("fragment" in one ? [one.fragment] : []))] };
}

function attachmentRecords(turnId: TurnId, { images, fragments }: Attachments): readonly Draft[] {
	const records: Draft[] = [];
	if (images.length > 0) records.push({ kind: "images", turnId, items: [...images] });
	if (fragments.length > 0) {
		records.push({ kind: "attached", turnId, items: fragments.map(asHistoryItem) });
		records.push({ kind: "event", event: asContextUpdate(turnId, fragments) });
	}
	return records;
}

interface Attachments {
	readonly images: readonly UserImage[];
	readonly fragments: readonly Fragment[];
}

/** The steering messages of the open turn that were not sent to the model yet, in order. */
export function pendingSteers({ openTurn }: ThreadState): readonly HistoryItem[] {
	return openTurn?.unrecordedInput ?? [];
}

/**
 * Between two steps, when every call has its result: steering messages become history. Returns whether there were any.
 */
export async function drainSteers({ thread, envelope }: Turn): Promise<boolean> {
	if (pendingSteers(thread.state()).length === 0) return false;
	await thread.commit((state) => steerRecords(state, envelope.identity.turnId), "synced");
	return true;
}

export function steerRecords(state: ThreadState, turnId: Steer["turnId"]): readonly Draft[] {
	const items = pendingSteers(state);
	return items.length === 0 ? [] : [{ kind: "items", turnId, items: [...items] }];
}

function wasTaken({ inputs }: ThreadState, { turnId, clientId }: Steer): boolean {
	return inputs.some((input) => input.turnId === turnId && input.clientId === clientId);
}

const CANNOT_STEER: Readonly<Record<TurnPurpose, Said>> = {
	compaction: say("steered-while-compacting"),
	userCommand: say("steered-while-command-runs"),
};

function refuseUnlessOpen({ openTurn }: ThreadState, { turnId }: Steer): void {
	if (openTurn?.turnId !== turnId) throw refuse(say("steered-turn-over"));
	if (openTurn.purpose !== undefined) throw refuse(CANNOT_STEER[openTurn.purpose]);
}

function refuseUnlessFits({ running }: LiveThread, items: readonly HistoryItem[]): void {
	if (running === undefined) return;
	const { budgets, abilities } = running.envelope.identity;
	const most = budgets.input;
	const tokens = historyTokens(projectHistory(items, abilities.images ? "images" : "text"));
	if (tokens <= most) return;
	throw new HostError("input-refused", say("message-beyond-window", { tokens, most }));
}

function refuse(said: Said): HostError {
	return new HostError("steer-refused", said);
}
