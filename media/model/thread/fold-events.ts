import type { AgentReport } from "../../../agent-host/protocol/agent.ts";
import type { DurableEvent, PublishedEvent, ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { Goal } from "../../../agent-host/protocol/thread/goal.ts";
import type { Item } from "../../../agent-host/protocol/thread/item.ts";
import { sayHost, sayNamed } from "../../../l10n/host-words.ts";
import { type ApprovalEntry, entryFromItem, placeInTurn, type QuestionEntry, type ToolEntry } from "./entry.ts";
import { applyDelta, cutTexts } from "./live-texts.ts";
import { rollBack, undoRollback } from "./roll-back.ts";
import type { Running, Transcript } from "./transcript.ts";
import { TranscriptBuilder } from "./transcript-builder.ts";
import { addTurnEnd } from "./turn-facts.ts";

type OfItem = Extract<ThreadEvent, { readonly item: Item }>;
type Requested = Extract<ThreadEvent, { readonly type: "approvalRequested" }>;
type Started = Extract<ThreadEvent, { readonly type: "compactionStarted" }>;
type Resolved = Extract<ThreadEvent, { readonly type: "approvalResolved" }>;
type Asked = Extract<ThreadEvent, { readonly type: "questionAsked" }>;
type Answered = Extract<ThreadEvent, { readonly type: "questionAnswered" }>;
type Decided = Extract<ThreadEvent, { readonly type: "decided" }>;
type Changed = Extract<ThreadEvent, { readonly type: "filesChanged" }>;
type Retrying = Extract<ThreadEvent, { readonly type: "retrying" }>;
type Pinned = Extract<ThreadEvent, { readonly type: "pinChanged" }>;
type Builder = TranscriptBuilder<Transcript>;

/** Applies a batch of events. The entries are copied once per batch, however long it is. */
export function foldEvents(transcript: Transcript, events: readonly PublishedEvent[]): Transcript {
	const builder = new TranscriptBuilder(transcript);
	for (const published of events) applyEvent(builder, published);
	return builder.seal();
}

function applyEvent(builder: Builder, { seq, at, event }: PublishedEvent): void {
	if (event.type === "itemDelta") applyDelta(builder, event);
	else if (seq !== undefined && seq > builder.value.last + 1) builder.set({ gap: true });
	else if (seq === builder.value.last + 1) {
		builder.set({ last: seq, gap: false });
		builder.dropLast(({ kind }) => kind === "draft");
		applyDurable(builder, event, { key: `e${seq}`, seq, at });
	}
}

interface Numbered {
	readonly key: string;
	readonly seq: number;
	readonly at: number;
}

function applyDurable(builder: Builder, event: DurableEvent, { key, seq, at }: Numbered): void {
	switch (event.type) {
		case "turnStarted":
			if (builder.value.running) endTurn(builder, builder.value.running.turnId);
			builder.set({ running: startRunning(event, at), halted: undefined, envelope: event.envelope });
			builder.set({ startedAt: new Map(builder.value.startedAt).set(event.turnId, at) });
			break;
		case "contextUpdated": {
			// The card of a user command shows its own context.
			if (builder.value.running?.purpose === "userCommand") break;
			const told = builder.value.hasContext ? "changes" : "all";
			builder.add({ key, turnId: event.turnId, kind: "context", scope: told, fragments: event.fragments });
			builder.set({ hasContext: true });
			break;
		}
		case "itemStarted":
			placeItem(builder, event, { state: "streaming", seq, at });
			break;
		case "itemCompleted":
			builder.dropLive(event.item.id);
			placeItem(builder, event, { state: "done", seq, at });
			break;
		case "usage":
			builder.set({ spent: event.spent ?? builder.value.spent });
			// Without output it is the size of the context, not of an answered request.
			if (!event.estimated && event.last.output > 0) builder.set({ counted: event });
			countStep(builder, event.turnId);
			break;
		case "warning":
			builder.add({ key, turnId: event.turnId, kind: "warning", code: event.code, text: sayHost(event) });
			break;
		case "approvalRequested":
			addApproval(builder, event);
			break;
		case "approvalResolved":
			resolveApproval(builder, event);
			break;
		case "questionAsked":
			addQuestion(builder, event);
			break;
		case "questionAnswered":
			answerQuestion(builder, event);
			break;
		case "decided":
			addReason(builder, event);
			break;
		case "agentChanged":
			changeAgent(builder, event.agent);
			break;
		case "rolledBack":
			rollBack(builder, event, key);
			break;
		case "rollbackUndone":
			undoRollback(builder, event.gone, key);
			break;
		case "retrying":
			startRetry(builder, event, at);
			break;
		case "titleChanged":
			builder.set({ title: event.title });
			break;
		case "compactionStarted":
			startCompaction(builder, event);
			break;
		case "compactionCompleted":
			builder.set({ compacting: undefined, undoable: event.compactionId });
			break;
		case "compactionSkipped":
			endCompaction(builder);
			break;
		case "compactionUndone":
			undoCompaction(builder, event.compactionId);
			break;
		case "filesChanged":
			addChanges(builder, key, event);
			break;
		case "goalChanged":
			changeGoal(builder, key, event.goal);
			break;
		case "restored":
			builder.add({ key, turnId: event.turnId, kind: "restored", files: event.files.length, redone: event.redone });
			break;
		case "pinChanged":
			changePin(builder, event);
			break;
		case "archivedChanged":
		case "muteChanged":
			break;
		case "turnCompleted":
			endTurn(builder, event.turnId);
			endCompaction(builder);
			addTurnEnd(builder, event, { key, at });
			if (builder.value.running?.turnId === event.turnId) builder.set({ running: undefined });
			builder.set({ halted: event.status === "completed" ? undefined : event.turnId });
			if (event.spent !== undefined) builder.set({ spent: event.spent });
			break;
	}
}

function startRunning(
	{ turnId, purpose, repeats }: Extract<DurableEvent, { type: "turnStarted" }>,
	since: number,
): Running {
	return { turnId, since, steps: 0, retries: 0, ...(purpose && { purpose }), ...(repeats && { repeats: true }) };
}

function placeItem(builder: Builder, { item, turnId }: OfItem, { state, seq, at }: Placing): void {
	const { envelope, running } = builder.value;
	if (running?.repeats && running.turnId === turnId && item.kind === "userMessage") {
		// The prompt is right above, with the turn that did not finish.
		builder.set({ running: { ...running, repeats: false } });
		return;
	}
	const known = builder.find(turnId, item.id);
	builder.place(placeInTurn(entryFromItem(item, turnId, { state, seq }), { at, known, envelope }));
	if (isPlan(item)) builder.set({ plan: item.id });
}

interface Placing {
	readonly state: "streaming" | "done";
	readonly seq: number;
	readonly at: number;
}

function isPlan(item: Item): boolean {
	return "callId" in item && item.name === "update_plan";
}

/** Each turn for a goal changes it; a row says only that it was paused or has ended. */
function changeGoal(builder: Builder, key: string, goal: Goal): void {
	const { goal: before } = builder.value;
	builder.set({ goal });
	if (goal.state === "active" || before?.state === goal.state) return;
	builder.add({ key, turnId: builder.listEntries().at(-1)?.turnId ?? "", kind: "goal", goal });
}

function addChanges(builder: Builder, key: string, { turnId, files, paths, runWithBuild = [] }: Changed): void {
	builder.add({ key, turnId, kind: "changes", files, paths, runWithBuild });
}

function addApproval(builder: Builder, { turnId, request }: Requested): void {
	const { roots = [], cwd } = builder.value.envelope ?? {};
	const key = approvalKey(request.approvalId);
	if (findApproval(builder, turnId, key)) return;
	const state = { kind: "pending" } as const;
	const entry: ApprovalEntry = { key, turnId, kind: "approval", request, workspace: { roots, cwd }, state };
	const call = findCall(builder, turnId, request.callId);
	if (call === undefined) builder.add(entry);
	else builder.replace(call, { ...call, asked: [...call.asked, entry] });
	builder.set({ approvals: [...builder.value.approvals, entry] });
}

function resolveApproval(builder: Builder, { turnId, approvalId, decision, by, note }: Resolved): void {
	const found = findApproval(builder, turnId, approvalKey(approvalId));
	if (found === undefined) return;
	const { entry, call } = found;
	const resolved: ApprovalEntry = { ...entry, state: { kind: "resolved", decision, by, note } };
	if (call === undefined) builder.replace(entry, resolved);
	else builder.replace(call, { ...call, asked: call.asked.map((one) => (one === entry ? resolved : one)) });
	builder.set({ approvals: builder.value.approvals.filter(({ key }) => key !== entry.key) });
}

/** If a call id occurs again in the turn, the later call is meant. */
function findCall(builder: Builder, turnId: string, callId: string): ToolEntry | undefined {
	for (const entry of builder.entriesOf(turnId)) {
		if (entry.kind === "toolCall" && entry.callId === callId) return entry;
	}
	return undefined;
}

/** An approval, and the call whose row shows it. */
function findApproval(
	builder: Builder,
	turnId: string,
	key: string,
): { readonly entry: ApprovalEntry; readonly call: ToolEntry | undefined } | undefined {
	const own = builder.find(turnId, key);
	if (own?.kind === "approval") return { entry: own, call: undefined };
	for (const call of builder.entriesOf(turnId)) {
		const entry = call.kind === "toolCall" ? call.asked.find((one) => one.key === key) : undefined;
		if (entry !== undefined && call.kind === "toolCall") return { entry, call };
	}
	return undefined;
}

/** The notice of a retry is a warning right before it; the status line counts down instead, and the turn's end counts. */
function startRetry(builder: Builder, { turnId, waitMs, code, reason, reasonSaid }: Retrying, at: number): void {
	const { running } = builder.value;
	builder.dropLast((entry) => entry.kind === "warning" && entry.turnId === turnId && entry.code === code);
	if (running?.turnId !== turnId) return;
	cutAnswer(builder, turnId);
	const retry = { at: at + waitMs, code, reason: sayNamed(reason, reasonSaid) };
	builder.set({ running: { ...running, retry, retries: running.retries + 1 } });
}

/** The model writes its answer again, and never reads what it had written by then, also where a text of it was complete. */
function cutAnswer(builder: Builder, turnId: string): void {
	for (const entry of builder.entriesOf(turnId)) {
		if (entry.kind === "reasoning") continue;
		if (entry.kind !== "agentMessage" || entry.state === "cut") return;
		builder.replace(entry, { ...entry, state: "cut" });
	}
}

function addQuestion(builder: Builder, { turnId, request }: Asked): void {
	const key = questionKey(request.questionId);
	if (builder.find(turnId, key)) return;
	const entry: QuestionEntry = { key, turnId, kind: "question", request, state: { kind: "pending" } };
	builder.add(entry);
	builder.set({ questions: [...builder.value.questions, entry] });
}

function answerQuestion(builder: Builder, { turnId, questionId, choice, answers }: Answered): void {
	const entry = builder.find(turnId, questionKey(questionId));
	if (entry?.kind !== "question") return;
	builder.replace(entry, { ...entry, state: { kind: "answered", choice, ...(answers && { answers }) } });
	builder.set({ questions: builder.value.questions.filter(({ key }) => key !== entry.key) });
}

/** The row of the call that started it shows how it is, also while a later turn gives it another task. */
function changeAgent(builder: Builder, agent: AgentReport): void {
	const call = builder.findAnywhere(
		(entry) => entry.kind === "toolCall" && entry.name === START_AGENT && entry.callId === agent.callId,
	);
	if (call?.kind === "toolCall") builder.replace(call, { ...call, agent });
	const agents = new Map(builder.value.agents);
	if (agent.state === "running") agents.set(agent.callId, agent);
	else agents.delete(agent.callId);
	builder.set({ agents });
}

/** No sub-agent outlives the turn it works for. If the host has died with it, the next turn says how it ended. */
function endAgents(builder: Builder): void {
	for (const agent of builder.value.agents.values()) changeAgent(builder, { ...agent, state: "interrupted" });
}

const START_AGENT = "start_agent";

/** Counts model responses; the response that writes a compaction summary is not a step. */
function countStep(builder: Builder, turnId: string): void {
	const { running, compacting } = builder.value;
	if (running?.turnId !== turnId || compacting !== undefined) return;
	builder.set({ running: { ...running, steps: running.steps + 1 } });
}

function addReason(builder: Builder, { turnId, callId, decision, reason, reasonSaid }: Decided): void {
	const call = findCall(builder, turnId, callId);
	if (call === undefined) return;
	// For a refusal, the result of the call contains the reason.
	const verdict = decision === "allow" ? { unasked: sayNamed(reason, reasonSaid) } : ({ isRefused: true } as const);
	builder.replace(call, { ...call, ...verdict });
}

/** Keeps approval keys separate from item ids, which the host chooses too. */
export function approvalKey(approvalId: string): string {
	return `approval ${approvalId}`;
}

export function questionKey(questionId: string): string {
	return `question ${questionId}`;
}

/** A compacted history starts with the full context. */
function startCompaction(builder: Builder, { before, after }: Started): void {
	builder.set({ compacting: { before, after, hadContext: builder.value.hasContext }, hasContext: false });
}

/** A compaction that did not finish has changed nothing. */
function endCompaction(builder: Builder): void {
	const { compacting } = builder.value;
	if (compacting) builder.set({ compacting: undefined, hasContext: compacting.hadContext });
}

function undoCompaction(builder: Builder, compactionId: string): void {
	const entry = builder.findAnywhere(
		(known) => known.kind === "contextCompaction" && known.report.compactionId === compactionId,
	);
	if (entry?.kind === "contextCompaction") builder.replace(entry, { ...entry, state: "undone" });
	builder.set({ undoable: undefined, hasContext: false });
}

/** With a text, that message or the prompt of that turn is pinned; without one, it is unpinned. */
function changePin(builder: Builder, { turnId, itemId, text }: Pinned): void {
	const pins = new Map(builder.value.pins);
	if (text === undefined) pins.delete(itemId ?? turnId);
	else pins.set(itemId ?? turnId, turnId);
	builder.set({ pins });
}

function endTurn(builder: Builder, turnId: string): void {
	cutTexts(builder, turnId);
	endAgents(builder);
	const { approvals, questions } = builder.value;
	if (approvals.length > 0) builder.set({ approvals: approvals.filter((entry) => entry.turnId !== turnId) });
	if (questions.length > 0) builder.set({ questions: questions.filter((entry) => entry.turnId !== turnId) });
}
