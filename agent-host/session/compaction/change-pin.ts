import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { estimateTokens } from "../../history/tokens.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { threadPin } from "../../protocol/thread/compaction.ts";
import type { UserMessageItem } from "../../protocol/thread/item.ts";
import type { Pin } from "../../store/records/thread-state.ts";
import type { LiveThread } from "../thread/live-thread.ts";

type Wanted = ParsedParamsOf<typeof threadPin>;

/** Pins or unpins a prompt, or a message that was sent into a running turn. */
export async function changePin(
	thread: LiveThread,
	wanted: Wanted,
	/** The envelope of a turn that would start now. */
	seal: () => Promise<TurnEnvelope>,
): Promise<void> {
	const { turnId, steered, pinned } = wanted;
	// Also a message whose record is gone can be unpinned.
	const { itemId, text } = (pinned ? undefined : findPin(thread, wanted)) ?? (await findMessage(thread, wanted));
	if (pinned) checkRoom(thread, text, await seal());
	const event = {
		type: "pinChanged",
		turnId,
		...(steered === undefined || itemId === undefined ? {} : { itemId }),
		...(pinned ? { text } : {}),
	} as const;
	await thread.commit([{ kind: "event", event }], "synced");
}

function findPin(thread: LiveThread, { turnId, steered }: Wanted): Pin | undefined {
	const pins = thread.state().pins.filter((pin) => pin.turnId === turnId);
	return pins.find(({ itemId, text }) => (steered === undefined ? itemId === undefined : text === steered));
}

async function findMessage(thread: LiveThread, wanted: Wanted): Promise<Pick<Pin, "itemId" | "text">> {
	for (const { event } of await thread.events.read({ after: 0, limit: thread.events.last() })) {
		if (event.type !== "itemCompleted" || event.turnId !== wanted.turnId) continue;
		if (event.item.kind === "userMessage" && isWanted(event.item, wanted)) {
			return { itemId: event.item.id, text: event.item.text };
		}
	}
	throw refuse(say("nothing-to-pin"));
}

function isWanted({ messageKind, steered, text }: UserMessageItem, wanted: Wanted): boolean {
	if (messageKind !== "plain") return false;
	return wanted.steered === undefined ? steered !== true : steered === true && text === wanted.steered;
}

function checkRoom(thread: LiveThread, text: string, { identity }: TurnEnvelope): void {
	const all = [text, ...thread.state().pins.map((pin) => pin.text)];
	const tokens = all.reduce((sum, one) => sum + estimateTokens(one), 0);
	const most = identity.budgets.keptMessages;
	if (tokens > most) throw refuse(say("pins-too-long", { most, tokens }));
}

function refuse(said: Said): HostError {
	return new HostError("compaction-refused", said);
}
