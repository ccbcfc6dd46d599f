import type {
	DurableEvent,
	EnvelopeSummary,
	Item,
	PublishedEvent,
	ThreadEvent,
	TurnErrorCode,
} from "../agent-host/protocol/events.ts";
import type { PartialSettings } from "../agent-host/protocol/settings.ts";
import { type ApprovalEntry, cutEntry, type Entry, entryOfItem, placeInTurn } from "./entry.ts";
import { TranscriptDraft } from "./transcript-draft.ts";
import type { LiveText } from "./wire.ts";

type Delta = Extract<ThreadEvent, { readonly type: "itemDelta" }>;
type OfItem = Extract<ThreadEvent, { readonly item: Item }>;
type Requested = Extract<ThreadEvent, { readonly type: "approvalRequested" }>;
type Started = Extract<ThreadEvent, { readonly type: "compactionStarted" }>;
type Resolved = Extract<ThreadEvent, { readonly type: "approvalResolved" }>;
type Decided = Extract<ThreadEvent, { readonly type: "decided" }>;
type Usage = Extract<ThreadEvent, { readonly type: "usage" }>;
type Draft = TranscriptDraft<Transcript>;
type InFlight = Pick<LiveText, "turnId" | "itemId" | "itemKind">;

/** An attempt that comes at a time of the page's clock. */
export interface Retry {
	readonly at: number;
	readonly code: TurnErrorCode;
}

/** A thread as the page shows it: a fold of its events, so that a reload shows the same. */
export interface Transcript {
	/** Number of the newest durable event folded in. */
	readonly last: number;
	/** Something is missing between what is known and what arrived; only the extension can fill it. */
	readonly gap: boolean;
	readonly title: string;
	readonly entries: readonly Entry[];
	/** Texts in flight by item. Apart from the entries, so that a delta does not copy the thread. */
	readonly live: ReadonlyMap<string, string>;
	/** The turn under way; `retry` says when a failed request is made again, and why it failed. */
	readonly running: { readonly turnId: string; readonly since: number; readonly retry?: Retry } | undefined;
	readonly percentLeft: number | undefined;
	/** What the thread and its newest turn have cost. */
	readonly spent: Usage["spent"] | undefined;
	/** The newest answer whose server counted its tokens itself. */
	readonly counted: Usage | undefined;
	/** Questions that wait for an answer, oldest first. */
	readonly approvals: readonly ApprovalEntry[];
	/** What the newest turn was bound to. */
	readonly envelope: EnvelopeSummary | undefined;
	/** What the user has set for this thread alone. */
	readonly own: { readonly settings: PartialSettings; readonly cwd: string | undefined } | undefined;
	/** Key of the newest plan; older ones are only what once was planned. */
	readonly plan: string | undefined;
	/** A compaction under way, and whether the model would know of the world without it. */
	readonly compacting: { readonly before: number; readonly after: number; readonly wasTold: boolean } | undefined;
	/** The compaction that can still be taken back. */
	readonly undoable: string | undefined;
	/** When each turn began. */
	readonly startedAt: ReadonlyMap<string, number>;
	/** The model has been told of the world, so that from here on it is told changes only. */
	readonly isTold: boolean;
}

export function emptyTranscript(title: string): Transcript {
	const none = { plan: undefined, compacting: undefined, undoable: undefined };
	const nothing = { ...none, running: undefined, percentLeft: undefined, envelope: undefined, own: undefined };
	const unknown = { ...nothing, spent: undefined, counted: undefined };
	return {
		last: 0,
		gap: false,
		title,
		entries: [],
		live: new Map(),
		startedAt: new Map(),
		approvals: [],
		isTold: false,
		...unknown,
	};
}

export function reduceTranscript(transcript: Transcript, published: PublishedEvent): Transcript {
	return foldEvents(transcript, [published]);
}

/** Folds a batch; the thread is copied once, however long the batch is. */
export function foldEvents(transcript: Transcript, events: readonly PublishedEvent[]): Transcript {
	const draft = new TranscriptDraft(transcript);
	for (const published of events) applyEvent(draft, published);
	return draft.seal();
}

/** Takes over the text of the item being written. Deltas seen meanwhile may already be ahead of it. */
export function applyLive(transcript: Transcript, live: LiveText): Transcript {
	const draft = new TranscriptDraft(transcript);
	const known = knownText(draft, live);
	if (known === undefined) return transcript;
	setText(draft, live, known.startsWith(live.text) ? known : live.text);
	draft.set({ gap: false });
	return draft.seal();
}

/** The text of an entry as far as it is known. */
export function textOf(transcript: Transcript, entry: { readonly itemId: string; readonly text: string }): string {
	return transcript.live.get(entry.itemId) ?? entry.text;
}

function applyEvent(draft: Draft, { seq, at, event }: PublishedEvent): void {
	if (event.type === "itemDelta") applyDelta(draft, event);
	else if (seq !== undefined && seq > draft.value.last + 1) draft.set({ gap: true });
	else if (seq === draft.value.last + 1) {
		draft.set({ last: seq, gap: false });
		draft.dropKind("draft");
		applyDurable(draft, event, { key: `e${seq}`, at });
	}
}

function applyDelta(draft: Draft, delta: Delta): void {
	const known = knownText(draft, delta);
	if (known === undefined) return;
	// Asked only for a repeated piece: comparing would flatten the text on every delta.
	const repeated = delta.offset < known.length && known.startsWith(delta.text, delta.offset);
	if (delta.offset > known.length) draft.set({ gap: true });
	else if (!repeated) setText(draft, delta, known.slice(0, delta.offset) + delta.text);
}

function applyDurable(draft: Draft, event: DurableEvent, { key, at }: { key: string; at: number }): void {
	switch (event.type) {
		case "turnStarted":
			if (draft.value.running) cutTurn(draft, draft.value.running.turnId);
			draft.set({ running: { turnId: event.turnId, since: at }, envelope: event.envelope });
			draft.set({ startedAt: new Map(draft.value.startedAt).set(event.turnId, at) });
			break;
		case "contextUpdated": {
			const told = draft.value.isTold ? "changes" : "world";
			draft.add({ key, turnId: event.turnId, kind: "context", told, fragments: event.fragments });
			draft.set({ isTold: true });
			break;
		}
		case "itemStarted":
			placeItem(draft, event, { state: "streaming", at });
			break;
		case "itemCompleted":
			draft.dropLive(event.item.id);
			placeItem(draft, event, { state: "done", at });
			break;
		case "usage":
			draft.set({ percentLeft: event.percentLeft, spent: event.spent ?? draft.value.spent });
			if (!event.estimated) draft.set({ counted: event });
			break;
		case "warning":
			draft.add({ key, turnId: event.turnId, kind: "warning", code: event.code, text: event.message });
			break;
		case "approvalRequested":
			addApproval(draft, event);
			break;
		case "approvalResolved":
			resolveApproval(draft, event);
			break;
		case "decided":
			explain(draft, event);
			break;
		case "settingsChanged":
			draft.set({ own: { settings: event.settings, cwd: event.cwd } });
			break;
		case "rolledBack":
			rollBack(draft, new Set<string>(event.turnIds));
			break;
		case "retrying":
			if (draft.value.running?.turnId === event.turnId) {
				draft.set({ running: { ...draft.value.running, retry: { at: at + event.waitMs, code: event.code } } });
			}
			break;
		case "titleChanged":
			draft.set({ title: event.title });
			break;
		case "compactionStarted":
			startCompaction(draft, event);
			break;
		case "compactionCompleted":
			draft.set({ compacting: undefined, undoable: event.compactionId });
			break;
		case "compactionUndone":
			undoCompaction(draft, event.compactionId);
			break;
		case "filesChanged":
			draft.add({ key, turnId: event.turnId, kind: "changes", files: event.files, paths: event.paths });
			break;
		case "restored":
			draft.add({ key, turnId: event.turnId, kind: "restored", files: event.files.length, redone: event.redone });
			break;
		case "archivedChanged":
		case "pinChanged":
			break;
		case "turnCompleted":
			cutTurn(draft, event.turnId);
			endCompaction(draft);
			if (draft.value.running?.turnId === event.turnId) draft.set({ running: undefined });
			if (event.spent !== undefined) draft.set({ spent: event.spent });
			if (event.status === "completed") break;
			draft.add({ key, turnId: event.turnId, kind: "turnEnd", status: event.status, error: event.error });
			break;
	}
}

function placeItem(draft: Draft, { item, turnId }: OfItem, { state, at }: Placing): void {
	const { envelope } = draft.value;
	const known = draft.find(turnId, item.id);
	draft.place(placeInTurn(entryOfItem(item, turnId, state), { at, known, envelope }));
	if (isPlan(item)) draft.set({ plan: item.id });
}

interface Placing {
	readonly state: "streaming" | "done";
	readonly at: number;
}

function isPlan(item: Item): boolean {
	return item.kind === "toolCall" && item.name === "update_plan";
}

function addApproval(draft: Draft, { turnId, request }: Requested): void {
	const { roots = [], cwd } = draft.value.envelope ?? {};
	const key = approvalKey(request.approvalId);
	if (draft.find(turnId, key)) return;
	const state = { kind: "pending" } as const;
	const entry: ApprovalEntry = { key, turnId, kind: "approval", request, workspace: { roots, cwd }, state };
	draft.add(entry);
	draft.set({ approvals: [...draft.value.approvals, entry] });
}

function resolveApproval(draft: Draft, { turnId, approvalId, decision, by, note }: Resolved): void {
	const entry = draft.find(turnId, approvalKey(approvalId));
	if (entry?.kind !== "approval") return;
	draft.replace(entry, { ...entry, state: { kind: "resolved", decision, by, note } });
	draft.set({ approvals: draft.value.approvals.filter(({ key }) => key !== entry.key) });
}

/** A call of a turn that runs again under the same name is the later one. */
function explain(draft: Draft, { turnId, callId, decision, reason }: Decided): void {
	// Of a refusal the result says why.
	if (decision !== "allow") return;
	for (const entry of draft.entriesOf(turnId)) {
		if (entry.kind !== "toolCall" || entry.callId !== callId) continue;
		draft.replace(entry, { ...entry, unasked: reason });
		return;
	}
}

/** Apart from the keys of items, which the host chooses too. */
function approvalKey(approvalId: string): string {
	return `approval ${approvalId}`;
}

/** What replaces the history tells the model of the world anew. */
function startCompaction(draft: Draft, { before, after }: Started): void {
	draft.set({ compacting: { before, after, wasTold: draft.value.isTold }, isTold: false });
}

/** A compaction that its turn did not finish has changed nothing. */
function endCompaction(draft: Draft): void {
	const { compacting } = draft.value;
	if (compacting) draft.set({ compacting: undefined, isTold: compacting.wasTold });
}

function undoCompaction(draft: Draft, compactionId: string): void {
	const entry = draft.findAnywhere(
		(known) => known.kind === "contextCompaction" && known.report.compactionId === compactionId,
	);
	if (entry?.kind === "contextCompaction") draft.replace(entry, { ...entry, state: "undone" });
	draft.set({ undoable: undefined, isTold: false });
}

/** What is no longer sent to the model is no longer part of the conversation; the world is told it again. */
function rollBack(draft: Draft, turnIds: ReadonlySet<string>): void {
	draft.drop(turnIds);
	draft.set({ percentLeft: undefined, undoable: undefined, isTold: false });
}

/** The text so far of an item that may still grow; nothing when it is whole or belongs to no running turn. */
function knownText(draft: Draft, { turnId, itemId, itemKind }: InFlight): string | undefined {
	const live = draft.value.live.get(itemId);
	if (live !== undefined) return live;
	const entry = draft.find(turnId, itemId);
	if (entry) return growingText(entry);
	// A text may begin with its first piece; a call is known before it runs.
	return itemKind !== "toolCall" && draft.value.running?.turnId === turnId ? "" : undefined;
}

function growingText(entry: Entry): string | undefined {
	if (entry.kind === "toolCall") return entry.status === "running" ? entry.output : undefined;
	if (entry.kind === "draft") return entry.text;
	if (entry.kind !== "agentMessage" && entry.kind !== "reasoning") return undefined;
	return entry.state === "streaming" ? entry.text : undefined;
}

function setText(draft: Draft, { turnId, itemId, itemKind }: InFlight, text: string): void {
	if (itemKind !== "toolCall" && !draft.value.live.has(itemId) && !draft.find(turnId, itemId)) {
		const base = { key: itemId, turnId, itemId, text: "" };
		draft.add(itemKind === "draft" ? { ...base, kind: itemKind } : { ...base, kind: itemKind, state: "streaming" });
	}
	draft.setLive(itemId, text);
}

function cutTurn(draft: Draft, turnId: string): void {
	for (const entry of draft.entriesOf(turnId)) {
		draft.replace(entry, cutEntry(entry, draft.value.live.get(entry.key)));
		draft.dropLive(entry.key);
	}
	const { approvals } = draft.value;
	if (approvals.length > 0) draft.set({ approvals: approvals.filter((entry) => entry.turnId !== turnId) });
}
