import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval.ts";
import type { ThreadEvent } from "../../agent-host/protocol/events.ts";
import type { ImageFacts } from "../../agent-host/protocol/image.ts";
import type { Entry } from "../entry.ts";
import { Find } from "../find/find.ts";
import { applyLive, emptyTranscript, foldEvents, type Transcript } from "../transcript.ts";
import { type ComposerState, draftOf, enterThread, openComposer, typeText } from "../view/composer/composer-state.ts";
import { readSlash, type Slash } from "../view/composer/slash.ts";
import { buildRows, NO_ROWS, type RowList } from "../view/transcript/rows.ts";
import type { Move } from "../view/transcript/virtual-list.tsx";
import type { FromWebview, InspectorState, PanelCommand, PanelState, ToWebview } from "../wire.ts";
import { PageAttached } from "./page-attached.ts";
import { type ImagePorts, PageImages } from "./page-images.ts";
import { PageMentions } from "./page-mentions.ts";
import { Sender } from "./sender.ts";

/** What survives a reload of the page. */
export interface SavedState extends Pick<ComposerState, "drafts" | "queues"> {
	/** Kinds of the editor's chips that the reader switched. */
	readonly switched: PageAttached["switched"]["value"];
}

/** What the page needs of VS Code and of the browser. */
export interface PagePorts extends Pick<ImagePorts, "newId" | "readImage"> {
	readonly post: (message: FromWebview) => void;
	readonly save: (state: SavedState) => void;
	/** What `save` was given last, perhaps by an older release. */
	readonly saved: unknown;
	/** Runs a function before a paint soon. */
	readonly beforePaint: (draw: () => void) => void;
}

export interface Problem {
	readonly message: string;
	readonly action: PanelCommand | undefined;
}

/** The newest ones; a page of complaints would leave no room for the thread. */
const MAX_PROBLEMS = 3;

type Message<T extends ToWebview["type"]> = Extract<ToWebview, { readonly type: T }>;

/** Everything the page shows, as signals, and everything it can do. */
export class Page {
	readonly panel: Signal<PanelState | undefined> = signal(undefined);
	readonly threadId: Signal<string | null> = signal(null);
	readonly transcript: Signal<Transcript> = signal(emptyTranscript(""));
	readonly rows: Signal<RowList> = signal(NO_ROWS);
	readonly loading = signal(false);
	readonly problems: Signal<readonly Problem[]> = signal([]);
	readonly composer: Signal<ComposerState>;
	readonly draft: ReadonlySignal<string> = computed(() => draftOf(this.composer.value));
	readonly images: PageImages;
	readonly attached: PageAttached;
	readonly mentions: PageMentions;
	/** Questions that this page has answered: each once, whatever is pressed until the host says so too. */
	readonly answered: Signal<ReadonlySet<string>> = signal(new Set());
	/** What fills the model's window, while the reader looks at it. */
	readonly context: Signal<InspectorState | undefined> = signal(undefined);
	/** Where the reader was last taken. */
	readonly move: Signal<Move | undefined> = signal(undefined);
	readonly find: Find;
	readonly openFolds: Signal<ReadonlySet<string>> = signal(new Set());
	/** Counts up when the composer should take the focus. */
	readonly focusAsked = signal(0);
	/** Where the caret should stand in the composer; undefined leaves it alone. */
	readonly caretAsked: Signal<number | undefined> = signal(undefined);
	readonly isRunning: ReadonlySignal<boolean> = computed(() => this.transcript.value.running !== undefined);
	/** The turn that a retry would repeat: only the newest, and only when nothing runs. */
	readonly retryable: ReadonlySignal<string | undefined> = computed(() => retryableTurn(this.transcript.value));
	/** The compaction that can still be taken back, while no turn runs. */
	readonly undoable: ReadonlySignal<string | undefined> = computed(() =>
		this.isRunning.value ? undefined : this.transcript.value.undoable,
	);
	/** What turns of this thread are bound to; the same value while nothing of it changes. */
	readonly contract: ReadonlySignal<Pick<Transcript, "envelope" | "own">>;
	readonly startedAt: ReadonlySignal<Transcript["startedAt"]> = computed(() => this.transcript.value.startedAt);
	readonly newestPlan: ReadonlySignal<string | undefined> = computed(() => this.transcript.value.plan);
	readonly sender: Sender;
	/** When the extension last said anything, by this page's clock. */
	heardAt = 0;
	/** Says something to the extension. */
	readonly post: PagePorts["post"];
	readonly #ports: PagePorts;
	/** Folded at once, shown before a paint: a burst of deltas costs one drawing. */
	#folded = emptyTranscript("");
	#isDrawingAsked = false;
	#isReloading = false;
	#editing: { readonly turnId: string; readonly text: string; readonly images: readonly ImageFacts[] } | undefined;

	constructor(ports: PagePorts) {
		this.#ports = ports;
		this.post = ports.post;
		this.images = new PageImages({ ...ports, ask: (imageId) => ports.post({ type: "readImage", imageId }) });
		const rows = computed(() => this.rows.value.rows);
		this.find = new Find(rows, ({ row, fold }) => {
			if (fold !== undefined) this.openFolds.value = new Set(this.openFolds.value).add(fold);
			this.move.value = { to: "row", key: row };
		});
		this.composer = signal(openComposer(ports.saved));
		this.attached = new PageAttached(ports.saved, () => this.#save());
		this.sender = new Sender({
			post: ports.post,
			newId: ports.newId,
			read: () => this.composer.peek(),
			change: (next) => this.#setComposer(next),
			thread: () => this.#folded,
			images: this.images,
			attached: this.attached,
		});
		this.mentions = new PageMentions({
			newId: ports.newId,
			ask: (id, query) => ports.post({ type: "findMentions", id, query }),
			take: (mention, text, caret) => {
				this.type(text);
				this.attached.add([mention]);
				this.caretAsked.value = caret;
			},
		});
		const envelope = computed(() => this.transcript.value.envelope);
		const own = computed(() => this.transcript.value.own);
		this.contract = computed(() => ({ envelope: envelope.value, own: own.value }));
	}

	receive(message: ToWebview): void {
		this.heardAt = Date.now();
		switch (message.type) {
			case "panel":
				this.panel.value = message.panel;
				break;
			case "thread":
				this.#showThread(message);
				break;
			case "events":
				if (message.threadId === this.threadId.value) this.#foldMessage(message);
				break;
			case "submitted":
				this.sender.takeAnswer(message.id, message.problem);
				break;
			case "image":
				this.images.hold(message.imageId, message.url);
				break;
			case "context":
				this.context.value = message.context;
				break;
			case "problem":
				this.#addProblem({ message: message.message, action: message.action });
				break;
			case "focusInput":
				this.focusAsked.value++;
				break;
			case "editorChips":
				this.attached.offered.value = message.chips;
				break;
			case "mentions":
				this.mentions.receive(message);
				break;
			case "compose":
				this.#compose(message);
				break;
		}
	}

	run(command: PanelCommand): void {
		this.#ports.post({ type: "run", command });
	}

	stop(): void {
		this.#ports.post({ type: "stop" });
	}

	retry(turnId: string): void {
		this.#ports.post({ type: "retry", turnId });
	}

	/** Answers a question about exactly what was shown. */
	answerApproval({ approvalId, digest }: ApprovalRequest, decision: ApprovalDecision, note?: string): void {
		if (this.answered.value.has(approvalId)) return;
		this.answered.value = new Set(this.answered.value).add(approvalId);
		const words = note === undefined ? {} : { note };
		this.#ports.post({ type: "answerApproval", approvalId, digest, decision, ...words });
	}

	/** Takes a turn and what came after it back; its prompt comes into the composer when the host has done so. */
	editPrompt(turnId: string, text: string, images: readonly ImageFacts[]): void {
		this.#editing = { turnId, text, images };
		this.#ports.post({ type: "rollBack", turnId });
	}

	restore(turnId: string): void {
		this.#ports.post({ type: "restore", turnId });
	}

	undoFiles(turnId: string): void {
		this.#ports.post({ type: "undoFiles", turnId });
	}

	fork(turnId: string): void {
		this.#ports.post({ type: "fork", turnId });
	}

	copy(text: string): void {
		this.#ports.post({ type: "copy", text });
	}

	type(text: string): void {
		this.#setComposer(typeText(this.composer.value, text));
	}

	async attach(files: readonly File[]): Promise<void> {
		const problem = await this.images.attach(files);
		if (problem !== undefined) this.#setComposer({ ...this.composer.value, problem });
	}

	/** Puts a text into the composer for the reader to change or send. */
	suggest(text: string): void {
		this.type(text);
		this.focusAsked.value++;
	}

	submit(): void {
		const slash = readSlash(this.draft.value);
		if (slash.kind !== "text") {
			this.#runSlash(slash);
			return;
		}
		this.mentions.close();
		this.sender.send();
	}

	dismiss(problem: Problem): void {
		this.problems.value = this.problems.value.filter((other) => other !== problem);
	}

	toggleFold(key: string): void {
		const open = new Set(this.openFolds.value);
		if (!open.delete(key)) open.add(key);
		this.openFolds.value = open;
	}

	/** What is being written stays; then nothing is sent by itself. */
	#compose({ text, attach, how }: Message<"compose">): void {
		const draft = this.draft.value;
		this.attached.add(attach);
		const joined = [draft, text].filter((part) => part !== "").join("\n\n");
		this.suggest(joined);
		this.caretAsked.value = joined.length;
		if (how === "send" && draft === "" && !this.isRunning.value) this.submit();
	}

	#addProblem(problem: Problem): void {
		const others = this.problems.value.filter(({ message }) => message !== problem.message);
		this.problems.value = [...others, problem].slice(-MAX_PROBLEMS);
	}

	#showThread({ threadId, title }: Message<"thread">): void {
		this.#folded = emptyTranscript(title);
		this.#isReloading = threadId !== null && threadId === this.threadId.value;
		// The same thread sent again stays on the screen until it is whole, so that the reader keeps the place.
		if (this.#isReloading) return;
		batch(() => {
			this.threadId.value = threadId;
			this.loading.value = threadId !== null;
			this.openFolds.value = new Set();
			this.move.value = undefined;
			this.context.value = undefined;
			this.answered.value = new Set();
			this.images.shown.value = new Map();
			this.#editing = undefined;
			this.#setComposer(enterThread(this.composer.value, threadId));
			this.#show();
		});
	}

	#foldMessage({ events, live, loading }: Message<"events">): void {
		const hadGap = this.#folded.gap;
		const wasLoading = this.loading.value || this.#isReloading;
		this.#folded = foldEvents(this.#folded, events);
		for (const text of live ?? []) this.#folded = applyLive(this.#folded, text);
		this.loading.value = loading;
		if (!loading) this.#isReloading = false;
		this.sender.forget(events);
		if (!loading && (wasLoading || events.some(({ event }) => event.type === "turnCompleted"))) this.sender.sendNext();
		if (this.#editing && events.some(({ event }) => takesBack(event, this.#editing?.turnId))) this.#takePrompt();
		if (this.#folded.gap && !hadGap) this.#ports.post({ type: "resync" });
		this.#askForDrawing();
	}

	/** Commands never reach the model. */
	#runSlash(slash: Exclude<Slash, { readonly kind: "text" }>): void {
		if (slash.kind === "refused") {
			this.#setComposer({ ...this.composer.value, problem: slash.reason });
			return;
		}
		this.type(slash.kind === "help" ? "/" : "");
		if (slash.kind === "run") this.run(slash.command);
		if (slash.kind === "compact") this.#ports.post({ type: "compact", ...slash.options });
	}

	/** What was being written is not lost to what was written before. */
	#takePrompt(): void {
		const draft = this.draft.value;
		this.suggest(draft === "" ? (this.#editing?.text ?? "") : `${this.#editing?.text}\n\n${draft}`);
		this.images.attachAgain(this.#editing?.images ?? []);
		this.#editing = undefined;
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
			this.rows.value = buildRows(this.#folded, this.rows.value);
		});
	}

	#setComposer(next: ComposerState): void {
		const before = this.composer.value;
		this.composer.value = next;
		if (next.drafts !== before.drafts || next.queues !== before.queues) this.#save();
	}

	#save(): void {
		const { drafts, queues } = this.composer.value;
		this.#ports.save({ drafts, queues, switched: this.attached.switched.value });
	}
}

function takesBack(event: ThreadEvent, turnId: string | undefined): boolean {
	return event.type === "rolledBack" && event.turnIds.some((id) => id === turnId);
}

function retryableTurn({ entries, running }: Transcript): string | undefined {
	const last: Entry | undefined = entries.at(-1);
	return last?.kind === "turnEnd" && !running ? last.turnId : undefined;
}
