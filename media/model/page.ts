import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { GivenAnswers, QuestionChoice } from "../../agent-host/protocol/approval/question.ts";
import type { InspectorState } from "../inspector-wire.ts";
import type { ChatSettings, NextTurn, PanelCommand, PanelState, ToWebview } from "../wire.ts";
import { type ComposerPorts, PageComposer } from "./composer/page-composer.ts";
import { Find } from "./find/find.ts";
import { PageAside } from "./page-aside.ts";
import { PageWaiting } from "./page-waiting.ts";
import type { ToolEntry } from "./thread/entry.ts";
import type { ScrollTarget } from "./thread/next-stop.ts";
import { PageThread, type ThreadPorts } from "./thread/page-thread.ts";
import type { Row, StepsRow } from "./thread/rows.ts";
import { areStepsOpen, findStepsAround, showSteps } from "./thread/steps.ts";

/** What the page needs from VS Code and the browser. */
export interface PagePorts
	extends Omit<ComposerPorts, "run" | "askAside" | "thread" | "showEnd" | "showRow" | "prompts">,
		Pick<ThreadPorts, "beforePaint"> {
	/** The page's clock, in milliseconds. */
	readonly now: () => number;
	/** Plays a short sound. */
	readonly chime: (about: "done" | "waiting") => void;
}

export interface Problem {
	readonly message: string;
	readonly action: PanelCommand | undefined;
}

/** Only the newest are shown, to leave room for the thread. */
const MAX_PROBLEMS = 3;

/** The state of the page as signals, and its actions. */
export class Page {
	readonly panel: Signal<PanelState | undefined> = signal(undefined);
	/** What the open thread's next turn will use; undefined until the host has reported it for this thread. */
	readonly next: ReadonlySignal<NextTurn | undefined>;
	readonly thread: PageThread;
	readonly composer: PageComposer;
	readonly find: Find;
	readonly aside: PageAside;
	readonly waiting: PageWaiting;
	readonly problems: Signal<readonly Problem[]> = signal([]);
	/** Ids of answered approvals and questions. Each is answered once, even if the host has not confirmed it yet. */
	readonly answered: Signal<ReadonlySet<string>> = signal(new Set());
	/** Approvals whose full diff this page has opened. */
	readonly openedDiffs: Signal<ReadonlySet<string>> = signal(new Set());
	/** Contents of the context window while its breakdown is open. */
	readonly context: Signal<InspectorState | undefined> = signal(undefined);
	/** The last requested scroll position. */
	readonly scrollTarget: Signal<ScrollTarget | undefined> = signal(undefined);
	readonly openFolds: Signal<ReadonlySet<string>> = signal(new Set());
	/** Rows of the list: steps only below an open line. */
	readonly shownRows: ReadonlySignal<readonly Row[]>;
	/** Events whose whole patches were asked for, because something is looked for in all of them. */
	readonly #asked = new Set<number>();
	/** When the extension last sent a message, by the page's clock. */
	lastMessageAt = 0;
	/** Counts how often the page has come into sight again. */
	readonly timesShown = signal(0);
	/** Sends a message to the extension. */
	readonly post: PagePorts["post"];
	readonly now: PagePorts["now"];
	readonly #chime: PagePorts["chime"];

	constructor(ports: PagePorts) {
		this.post = ports.post;
		this.now = ports.now;
		this.#chime = ports.chime;
		const resync = (): void => this.post({ type: "resync" });
		const foldsSteps = (): ChatSettings["foldSteps"] => this.panel.value?.chat.foldSteps ?? "auto";
		this.thread = new PageThread({ beforePaint: ports.beforePaint, resync, foldsSteps });
		this.waiting = new PageWaiting(this.thread);
		this.next = computed(() => {
			const next = this.panel.value?.next;
			return next?.threadId === this.thread.id.value ? next : undefined;
		});
		this.aside = new PageAside({
			...ports,
			giveBack: (question) => {
				if (this.composer.draft.value === "") this.composer.type(`/btw ${question}`);
			},
		});
		this.composer = new PageComposer({
			...ports,
			askAside: (question) => this.aside.ask(question),
			run: (command) => this.run(command),
			thread: () => this.thread.newest,
			showEnd: () => this.scrollTo({ to: "end" }),
			showRow: (key) => this.scrollTo({ to: "row", key }),
			prompts: () => this.next.value?.prompts ?? [],
		});
		let shown: readonly Row[] = [];
		this.shownRows = computed(() => {
			// One update for fold and rows: otherwise the list would think the reader is at the end, and follow it.
			shown = showSteps(this.thread.rows.value, this.openFolds.value, shown);
			return shown;
		});
		this.find = new Find(this.thread.rows, ({ row, fold }) => {
			if (fold !== undefined) this.openFolds.value = new Set(this.openFolds.value).add(fold);
			this.scrollTo({ to: "row", key: row });
		});
	}

	receive(message: ToWebview): void {
		this.lastMessageAt = this.now();
		switch (message.type) {
			case "restore":
				this.composer.restore(message.state, message.images);
				break;
			case "shown":
				this.timesShown.value++;
				break;
			case "panel":
				this.#showPanel(message.panel);
				break;
			case "opening":
				batch(() => {
					if (this.thread.leaveFor(message) === "another") this.#openThread(message.threadId, message.begun);
				});
				break;
			case "thread":
				batch(() => {
					if (this.thread.openThread(message) === "another") this.#openThread(message.threadId);
				});
				break;
			case "events":
				if (message.threadId !== this.thread.id.value) break;
				this.#takeEvents(message);
				break;
			case "agentsWaiting":
				if (message.threadId === this.thread.id.value) this.waiting.show(message);
				break;
			case "submitted":
				this.composer.takeAnswer(message.id, message.problem);
				break;
			case "aside":
				this.aside.receive(message);
				break;
			case "image":
				this.composer.images.hold(message.imageId, message.url);
				break;
			case "patch":
				this.#asked.delete(message.seq);
				if (message.threadId === this.thread.id.value) this.thread.completePatch(message);
				break;
			case "context":
				this.context.value = message.context;
				break;
			case "problem":
				this.#addProblem({ message: message.message, action: message.action });
				break;
			case "focusInput":
				this.composer.focus();
				break;
			case "chime":
				this.#chime(message.about);
				break;
			case "editorChips":
				this.composer.attached.offered.value = message.chips;
				break;
			case "mentions":
				this.composer.mentions.receive(message);
				break;
			case "compose":
				this.composer.compose(message);
				break;
			case "readTyped":
				this.composer.tellTyped();
				break;
		}
	}

	#showPanel(panel: PanelState): void {
		const before = this.panel.value?.next?.context.tokens;
		this.panel.value = panel;
		// The breakdown always adds up to the meter.
		if (this.context.value !== undefined && panel.next?.context.tokens !== before) this.post({ type: "readContext" });
	}

	/** Scrolls the list to a row, the end, or the next prompt or code block. */
	scrollTo(move: ScrollTarget): void {
		this.scrollTarget.value = move;
	}

	run(command: PanelCommand): void {
		this.post({ type: "run", command });
	}

	stop(): void {
		this.post({ type: "stop" });
	}

	copy(text: string): void {
		this.post({ type: "copy", text });
	}

	/** Asks for the rest of a patch of which only the beginning was sent; again whenever it is opened, if that failed. */
	readPatch({ cut }: ToolEntry): void {
		if (cut === undefined) return;
		this.#asked.add(cut.seq);
		this.post({ type: "readPatch", seq: cut.seq });
	}

	/** The same, once, for all patches of the thread. */
	readPatches(): void {
		for (const entry of this.thread.newest.entries) {
			if (entry.kind === "toolCall" && entry.cut !== undefined && !this.#asked.has(entry.cut.seq))
				this.readPatch(entry);
		}
	}

	/** Answers an approval once, with the digest of what was shown. */
	answerApproval({ approvalId, digest }: ApprovalRequest, decision: ApprovalDecision, note?: string): void {
		if (this.answered.value.has(approvalId)) return;
		this.answered.value = new Set(this.answered.value).add(approvalId);
		this.waiting.begun.notes.delete(approvalId);
		const words = note === undefined ? {} : { note };
		this.post({ type: "answerApproval", approvalId, digest, decision, ...words });
	}

	/** Answers a question of the host once. */
	answerQuestion(questionId: string, choice: QuestionChoice, answers?: GivenAnswers): void {
		if (this.answered.value.has(questionId)) return;
		this.answered.value = new Set(this.answered.value).add(questionId);
		this.waiting.begun.forms.delete(questionId);
		this.post({ type: "answerQuestion", questionId, choice, ...(answers && { answers }) });
	}

	dismiss(problem: Problem): void {
		this.problems.value = this.problems.value.filter((other) => other !== problem);
	}

	toggleFold(key: string): void {
		const open = new Set(this.openFolds.value);
		if (!open.delete(key)) open.add(key);
		// Closing a step keeps the steps around it open.
		const around = findStepsAround(this.thread.rows.value, key);
		if (around) open.add(around.key);
		this.openFolds.value = open;
	}

	toggleSteps(row: StepsRow): void {
		const open = new Set(this.openFolds.value);
		if (areStepsOpen(row, open)) for (const { key } of [row, ...row.steps]) open.delete(key);
		else open.add(row.key);
		this.openFolds.value = open;
	}

	#takeEvents(message: Extract<ToWebview, { readonly type: "events" }>): void {
		const known = this.thread.isLoading ? undefined : this.thread.newest.last;
		this.composer.onEvents(message.events, this.thread.fold(message));
		if (known === undefined) return;
		for (const { seq = 0, event } of message.events) if (seq > known) this.composer.onFresh(event);
	}

	#openThread(threadId: string | null, begun = false): void {
		this.#asked.clear();
		this.openFolds.value = new Set();
		this.scrollTarget.value = undefined;
		this.context.value = undefined;
		// A side question can begin the thread that it is about; what failed in another thread is not about this one.
		if (!begun) {
			this.aside.dismiss();
			this.problems.value = [];
		}
		this.waiting.clear();
		this.answered.value = new Set();
		this.composer.openThread(threadId, begun);
	}

	#addProblem(problem: Problem): void {
		const others = this.problems.value.filter(({ message }) => message !== problem.message);
		this.problems.value = [...others, problem].slice(-MAX_PROBLEMS);
	}
}
