import type { DurableEvent, PublishedEvent, ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { Item } from "../../../agent-host/protocol/thread/item.ts";
import { type ApprovalEntry, entryOfItem, placeInTurn, type QuestionEntry } from "./entry.ts";
import { applyDelta, cutTexts } from "./live-texts.ts";
import type { Running, Transcript } from "./transcript.ts";
import { TranscriptDraft } from "./transcript-builder.ts";

type OfItem = Extract<ThreadEvent, { readonly item: Item }>;
type Requested = Extract<ThreadEvent, { readonly type: "approvalRequested" }>;
type Started = Extract<ThreadEvent, { readonly type: "compactionStarted" }>;
type Resolved = Extract<ThreadEvent, { readonly type: "approvalResolved" }>;
type Asked = Extract<ThreadEvent, { readonly type: "questionAsked" }>;
type Answered = Extract<ThreadEvent, { readonly type: "questionAnswered" }>;
type Decided = Extract<ThreadEvent, { readonly type: "decided" }>;
type Changed = Extract<ThreadEvent, { readonly type: "filesChanged" }>;
type Pinned = Extract<ThreadEvent, { readonly type: "pinChanged" }>;
type Draft = TranscriptDraft<Transcript>;

/** Folds a batch; the thread is copied once, however long the batch is. */
export function foldEvents(transcript: Transcript, events: readonly PublishedEvent[]): Transcript {
	const draft = new TranscriptDraft(transcript);
	for (const published of events) applyEvent(draft, published);
	return draft.seal();
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

function applyDurable(draft: Draft, event: DurableEvent, { key, at }: { key: string; at: number }): void {
	switch (event.type) {
		case "turnStarted":
			if (draft.value.running) endTurn(draft, draft.value.running.turnId);
			draft.set({ running: runningOf(event, at), envelope: event.envelope });
			draft.set({ startedAt: new Map(draft.value.startedAt).set(event.turnId, at) });
			break;
		case "contextUpdated": {
			// The card of the user's own command shows what is told of it.
			if (draft.value.running?.purpose === "userCommand") break;
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
			countStep(draft, event.turnId);
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
		case "questionAsked":
			addQuestion(draft, event);
			break;
		case "questionAnswered":
			answerQuestion(draft, event);
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
			addChanges(draft, key, event);
			break;
		case "restored":
			draft.add({ key, turnId: event.turnId, kind: "restored", files: event.files.length, redone: event.redone });
			break;
		case "pinChanged":
			changePin(draft, event);
			break;
		case "archivedChanged":
			break;
		case "turnCompleted":
			endTurn(draft, event.turnId);
			endCompaction(draft);
			if (draft.value.running?.turnId === event.turnId) draft.set({ running: undefined });
			if (event.spent !== undefined) draft.set({ spent: event.spent });
			if (event.status === "completed") break;
			draft.add({ key, turnId: event.turnId, kind: "turnEnd", status: event.status, error: event.error });
			break;
	}
}

function runningOf({ turnId, purpose }: Extract<DurableEvent, { type: "turnStarted" }>, since: number): Running {
	return { turnId, since, steps: 0, ...(purpose && { purpose }) };
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
	return "callId" in item && item.name === "update_plan";
}

function addChanges(draft: Draft, key: string, { turnId, files, paths, runWithBuild = [] }: Changed): void {
	draft.add({ key, turnId, kind: "changes", files, paths, runWithBuild });
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

function addQuestion(draft: Draft, { turnId, request }: Asked): void {
	const key = `question ${request.questionId}`;
	if (draft.find(turnId, key)) return;
	const entry: QuestionEntry = { key, turnId, kind: "question", request, state: { kind: "pending" } };
	draft.add(entry);
	draft.set({ questions: [...draft.value.questions, entry] });
}

function answerQuestion(draft: Draft, { turnId, questionId, choice }: Answered): void {
	const entry = draft.find(turnId, `question ${questionId}`);
	if (entry?.kind !== "question") return;
	draft.replace(entry, { ...entry, state: { kind: "answered", choice } });
	draft.set({ questions: draft.value.questions.filter(({ key }) => key !== entry.key) });
}

/** Every answer of the model says what it used; a summary that makes room is none of the steps. */
function countStep(draft: Draft, turnId: string): void {
	const { running, compacting } = draft.value;
	if (running?.turnId !== turnId || compacting !== undefined) return;
	draft.set({ running: { ...running, steps: running.steps + 1 } });
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
	const pins = new Set([...draft.value.pins].filter((turnId) => !turnIds.has(turnId)));
	draft.set({ percentLeft: undefined, undoable: undefined, isTold: false, pins });
}

/** With a text the prompt of that turn is kept through compactions; without one no longer. */
function changePin(draft: Draft, { turnId, text }: Pinned): void {
	const pins = new Set(draft.value.pins);
	if (text === undefined) pins.delete(turnId);
	else pins.add(turnId);
	draft.set({ pins });
}

function endTurn(draft: Draft, turnId: string): void {
	cutTexts(draft, turnId);
	const { approvals, questions } = draft.value;
	if (approvals.length > 0) draft.set({ approvals: approvals.filter((entry) => entry.turnId !== turnId) });
	if (questions.length > 0) draft.set({ questions: questions.filter((entry) => entry.turnId !== turnId) });
}
