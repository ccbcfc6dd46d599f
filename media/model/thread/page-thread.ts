import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ChatSettings, ToWebview } from "../../wire.ts";
import { completePatch } from "./complete-patch.ts";
import type { UserEntry } from "./entry.ts";
import { foldEvents } from "./fold-events.ts";
import { applyLive } from "./live-texts.ts";
import { buildRows, NO_ROWS, type Row, type RowList } from "./rows.ts";
import { foldSteps } from "./steps.ts";
import { emptyTranscript, type Transcript } from "./transcript.ts";

type Message<T extends ToWebview["type"]> = Extract<ToWebview, { readonly type: T }>;

export interface ThreadPorts {
	/** Runs a function before one of the next paints. */
	readonly beforePaint: (draw: () => void) => void;
	/** Requests the whole thread again because events are missing. */
	readonly resync: () => void;
	/** The user's setting for folding steps. */
	readonly foldsSteps: () => ChatSettings["foldSteps"];
}

/** The open thread: events are applied immediately and drawn before the next paint. */
export class PageThread {
	readonly id: Signal<string | null> = signal(null);
	readonly transcript: Signal<Transcript> = signal(emptyTranscript(""));
	/** All rows, with steps folded into lines. */
	readonly rows: ReadonlySignal<readonly Row[]> = computed(() =>
		foldSteps(this.#rows.value.rows, this.transcript.value, this.#ports.foldsSteps()),
	);
	readonly loading = signal(false);
	/** Id of the thread that the extension opened; empty for a new one, undefined until the extension has sent one. */
	readonly announcedId: Signal<string | undefined> = signal(undefined);
	/** Number of the newest event that is drawn. */
	readonly drawn: ReadonlySignal<number> = computed(() => this.transcript.value.last);
	readonly isRunning: ReadonlySignal<boolean> = computed(() => this.transcript.value.running !== undefined);
	/** The prompt that the running turn answers. */
	readonly runningPrompt: ReadonlySignal<UserEntry | undefined> = computed(() => findPrompt(this.transcript.value));
	/** The turn that Retry would repeat: the newest one, if it was stopped or has failed. */
	readonly retryable: ReadonlySignal<string | undefined> = computed(() => this.transcript.value.halted);
	/** The compaction that can still be undone, if no turn is running. */
	readonly undoable: ReadonlySignal<string | undefined> = computed(() =>
		this.isRunning.value ? undefined : this.transcript.value.undoable,
	);
	/** The row whose restore or rollback is undone next, if no turn is running. */
	readonly undoRow: ReadonlySignal<string | undefined> = computed(() => findUndoRow(this.transcript.value));
	readonly startedAt: ReadonlySignal<Transcript["startedAt"]> = computed(() => this.transcript.value.startedAt);
	readonly pins: ReadonlySignal<Transcript["pins"]> = computed(() => this.transcript.value.pins);
	readonly newestPlan: ReadonlySignal<string | undefined> = computed(() => this.transcript.value.plan);
	readonly #rows: Signal<RowList> = signal(NO_ROWS);
	readonly #ports: ThreadPorts;
	/** Applied immediately but shown before a paint, so that a burst of deltas is drawn once. */
	#folded = emptyTranscript("");
	#isDrawingAsked = false;
	#isReloading = false;

	constructor(ports: ThreadPorts) {
		this.#ports = ports;
	}

	/** The newest state of the thread, whether it is drawn or not. */
	get newest(): Transcript {
		return this.#folded;
	}

	/** Whether events come that happened before, because the thread is being loaded. */
	get isLoading(): boolean {
		return this.loading.value || this.#isReloading;
	}

	/** Leaves the open thread at once, so that nothing that is pressed from now on is about it. */
	leaveFor({ threadId }: Message<"opening">): "same" | "another" {
		if (threadId === this.id.value) return "same";
		this.#begin(threadId, "");
		return "another";
	}

	/** A thread that is sent again stays visible until it is complete, so that the reader keeps the position. */
	openThread({ threadId, title }: Message<"thread">): "same" | "another" {
		this.announcedId.value = threadId ?? "";
		if (threadId === null || threadId !== this.id.value) {
			this.#begin(threadId, title);
			return "another";
		}
		this.#folded = emptyTranscript(title);
		this.#isReloading = !this.loading.value;
		return "same";
	}

	#begin(threadId: string | null, title: string): void {
		this.#folded = emptyTranscript(title);
		this.#isReloading = false;
		batch(() => {
			this.id.value = threadId;
			this.loading.value = threadId !== null;
			this.#show();
		});
	}

	/** Applies events. Returns "settled" if they complete a load or a turn, so that queued work may continue. */
	fold({ events, live, loading }: Message<"events">): "settled" | "going" {
		const hadGap = this.#folded.gap;
		const wasLoading = this.isLoading;
		this.#folded = foldEvents(this.#folded, events);
		for (const text of live ?? []) this.#folded = applyLive(this.#folded, text);
		this.loading.value = loading;
		if (!loading) this.#isReloading = false;
		if (this.#folded.gap && !hadGap) this.#ports.resync();
		this.#askForDrawing();
		const hasEnded = wasLoading || events.some(({ event }) => event.type === "turnCompleted");
		return !loading && hasEnded ? "settled" : "going";
	}

	/** Puts the whole of a patch where only its beginning was known. */
	completePatch(message: Message<"patch">): void {
		this.#folded = completePatch(this.#folded, message);
		this.#askForDrawing();
	}

	#askForDrawing(): void {
		if (this.#isDrawingAsked) return;
		this.#isDrawingAsked = true;
		this.#ports.beforePaint(() => {
			this.#isDrawingAsked = false;
			if (!this.#isReloading) this.#show();
		});
	}

	#show(): void {
		batch(() => {
			this.transcript.value = this.#folded;
			this.#rows.value = buildRows(this.#folded, this.#rows.value);
		});
	}
}

function findUndoRow({ entries, running }: Transcript): string | undefined {
	const last = running ? undefined : entries.findLast(({ kind }) => kind === "restored" || kind === "rolledBack");
	return last?.kind === "restored" && last.redone ? undefined : last?.key;
}

function findPrompt({ entries, running }: Transcript): UserEntry | undefined {
	if (running === undefined) return undefined;
	const before = entries.findLastIndex(({ turnId }) => turnId !== running.turnId);
	const prompt = entries.slice(before + 1).find(({ kind }) => kind === "userMessage");
	return prompt?.kind === "userMessage" && prompt.messageKind === "plain" ? prompt : undefined;
}
