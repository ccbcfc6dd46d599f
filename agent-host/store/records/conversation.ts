import type { FragmentKind } from "../../context/fragment.ts";
import { compactedContext, compactedIntent, historyBridge } from "../../context/fragments/compacted.ts";
import { imageOmitted, OMITTED_IMAGES } from "../../context/fragments/image-omitted.ts";
import { turnAborted } from "../../context/fragments/turn-aborted.ts";
import { turnRetried } from "../../context/fragments/turn-retried.ts";
import { userEdits, userShellCommand } from "../../context/fragments/user-actions.ts";
import { HistoryItem } from "../../history/history-item.ts";
import { ThreadEvent } from "../../protocol/thread/events.ts";
import { RecordBody } from "./record.ts";

type Fragment = Extract<HistoryItem, { readonly kind: "fragment" }>;
type Event = Extract<RecordBody, { readonly kind: "event" }>["event"];

/** Replaces what is not imported, because other records refer to items by index. Never sent. */
export const LEFT_OUT: HistoryItem = { kind: "fragment", fragment: "left-out", role: "user", origin: "host", text: "" };

/** Fragments that contain what was said and done; all others describe the world or give instructions. */
const SPOKEN: ReadonlyMap<string, FragmentKind<never>> = new Map(
	[compactedIntent, compactedContext, userShellCommand, userEdits].map((kind) => [kind.kind, kind]),
);

/** All host texts that belong to a conversation, except the bridges, which count turns. */
const OWN_WORDS: ReadonlySet<string> = new Set([
	...(["stopped", "died", "failed", "limit"] as const).map((reason) => turnAborted.of({ reason }).text),
	turnRetried.of(undefined).text,
	...OMITTED_IMAGES.map((omitted) => imageOmitted.of(omitted).text),
]);

/**
 * Whether a record says more than a conversation does: permissions, approvals, what the model was told, which files can
 * be restored. Such a record counts only under this host's seal.
 */
export function needsSeal(body: RecordBody): boolean {
	switch (body.kind) {
		case "thread":
		case "settings":
		case "envelope":
		case "told":
		case "touch":
		case "review":
		case "attached":
			return true;
		case "items":
		case "rewrite":
			return body.items.some((item) => item.kind === "fragment" || "encrypted" in item);
		case "event":
			return HOST_ONLY.has(body.event.type) || isUsersCommand(body.event);
		case "mute":
		case "images":
		case "request":
		case "spent":
		case "partial":
			return false;
	}
}

/** Events that let the host write files or start turns. */
const HOST_ONLY: ReadonlySet<Event["type"]> = new Set(["restored", "goalChanged"]);

/** Who ran a command is not part of the conversation. */
function isUsersCommand(event: Event): boolean {
	return "item" in event && "by" in event.item;
}

/** The part of an untrusted record that counts: the conversation in it, if any. Never throws. */
export function extractConversation(body: RecordBody): RecordBody | undefined {
	if (body.kind === "items" || body.kind === "rewrite") {
		const items = Array.isArray(body.items) ? body.items.map(spokenIn) : [];
		const parsed = RecordBody.safeParse({ ...body, items: [] });
		return parsed.success ? ({ ...parsed.data, items } as RecordBody) : undefined;
	}
	if (body.kind === "event") {
		if (typeof body.event !== "object" || HOST_ONLY.has(body.event.type)) return undefined;
		const event = ThreadEvent.safeParse(body.event);
		return event.success && Number.isSafeInteger(body.seq)
			? { kind: "event", seq: body.seq, event: event.data }
			: undefined;
	}
	if (needsSeal(body)) return undefined;
	return RecordBody.safeParse(body).data;
}

/**
 * A history item without authority: no host text except what belongs to a conversation, and nothing sealed by a server.
 */
function spokenIn(item: HistoryItem): HistoryItem {
	const parsed = HistoryItem.safeParse(item);
	if (!parsed.success) return LEFT_OUT;
	switch (parsed.data.kind) {
		case "fragment":
			return isSpoken(parsed.data) ? { ...parsed.data, role: "user" } : LEFT_OUT;
		case "reasoning": {
			const { encrypted: _, ...open } = parsed.data;
			return open;
		}
		case "sealedSummary":
			return LEFT_OUT;
		case "userMessage":
		case "userImage":
		case "agentMessage":
		case "toolCall":
		case "toolOutput":
			return parsed.data;
	}
}

function isSpoken({ fragment, role, text }: Fragment): boolean {
	if (role !== "user") return false;
	if (fragment === historyBridge.kind) return isBridge(text);
	const kind = SPOKEN.get(fragment);
	return kind === undefined ? OWN_WORDS.has(text) : kind.read(text) !== undefined;
}

function isBridge(text: string): boolean {
	const turns = Number(/\((\d{1,9}) turns?\)/.exec(text)?.[1]);
	return (["summarised", "sealed", "trimmed"] as const).some((how) => historyBridge.of({ turns, how }).text === text);
}

/**
 * What is imported from an event of another machine: what was said and called, and how turns ended. No consent, no
 * settings, no authorship of commands, no spending, no client ids, and no host text.
 */
export function spokenEvent(event: Event): Event | undefined {
	switch (event.type) {
		case "turnStarted": {
			const { provider, model, window } = event.envelope;
			const { clientId: _, ...started } = event;
			return { ...started, envelope: { provider, model, window, roots: [], trusted: false, tools: [] } };
		}
		case "itemStarted":
		case "itemCompleted":
			return spokenItem(event);
		case "turnCompleted":
			return { type: event.type, turnId: event.turnId, status: event.status };
		case "compactionStarted":
		case "compactionCompleted":
		case "compactionSkipped":
		case "compactionUndone":
		case "muteChanged":
		case "turnDiff":
		case "filesChanged":
		case "rolledBack":
		case "rollbackUndone":
		case "titleChanged":
			return event;
		case "contextUpdated":
		case "usage":
		case "pinChanged":
		case "warning":
		case "approvalRequested":
		case "approvalResolved":
		case "questionAsked":
		case "questionAnswered":
		case "decided":
		case "agentChanged":
		case "grantRevoked":
		case "restored":
		case "goalChanged":
		case "reviewed":
		case "settingsChanged":
		case "retrying":
		case "archivedChanged":
		case "itemDelta":
			return undefined;
	}
}

function spokenItem(event: Extract<Event, { readonly type: "itemStarted" | "itemCompleted" }>): Event | undefined {
	const { item } = event;
	if (item.kind === "notice") return undefined;
	if ("callId" in item) {
		const { by: _, ...call } = item;
		return { ...event, item: call };
	}
	if (item.kind !== "userMessage") return event;
	// Sent again with one click, so it must be what the user attached here.
	const { clientId: _, attached: __, ...said } = item;
	return { ...event, item: said };
}
