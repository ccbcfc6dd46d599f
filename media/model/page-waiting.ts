import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ToWebview } from "../wire.ts";
import type { FormDraft } from "./approval/form-answers.ts";
import type { ApprovalEntry, QuestionEntry } from "./thread/entry.ts";
import { approvalKey, questionKey } from "./thread/fold-events.ts";
import type { PageThread } from "./thread/page-thread.ts";

type Waiting = Pick<Extract<ToWebview, { readonly type: "agentsWaiting" }>, "approvals" | "questions">;

interface Begun {
	readonly forms: Map<string, FormDraft>;
	readonly notes: Map<string, string>;
}

const NOTHING: Waiting = { approvals: [], questions: [] };
const PENDING = { kind: "pending" } as const;

/** What waits for the user: of the open thread first, then of its sub-agents. */
export class PageWaiting {
	readonly approvals: ReadonlySignal<readonly ApprovalEntry[]>;
	readonly questions: ReadonlySignal<readonly QuestionEntry[]>;
	/** Answers that are begun, by question, and notes, by approval: a card goes while another thread or approval is shown. */
	readonly begun: Begun = { forms: new Map(), notes: new Map() };
	readonly #ofAgents: Signal<Waiting> = signal(NOTHING);

	constructor(thread: Pick<PageThread, "transcript">) {
		/** A card that has been read stays the same entry. */
		const known = new Map<string, ApprovalEntry>();
		this.approvals = computed(() => {
			const { approvals, envelope } = thread.transcript.value;
			// Sub-agents work in the folders of the thread that started them.
			const workspace = { roots: envelope?.roots ?? [], cwd: envelope?.cwd };
			const ofAgents = this.#ofAgents.value.approvals.map((request): ApprovalEntry => {
				const { turnId, approvalId } = request;
				const entry = { key: approvalKey(approvalId), turnId, kind: "approval", request, workspace } as const;
				return known.get(approvalId) ?? { ...entry, state: PENDING };
			});
			known.clear();
			for (const entry of ofAgents) known.set(entry.request.approvalId, entry);
			return ofAgents.length === 0 ? approvals : [...approvals, ...ofAgents];
		});
		this.questions = computed(() => {
			const { questions } = thread.transcript.value;
			const ofAgents = this.#ofAgents.value.questions.map((request): QuestionEntry => {
				const { turnId, questionId } = request;
				return { key: questionKey(questionId), turnId, kind: "question", request, state: PENDING };
			});
			return ofAgents.length === 0 ? questions : [...questions, ...ofAgents];
		});
	}

	show(ofAgents: Waiting): void {
		this.#ofAgents.value = ofAgents;
	}

	clear(): void {
		this.#ofAgents.value = NOTHING;
	}
}
