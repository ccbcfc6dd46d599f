import type { QuestionAnswer, QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { t } from "../../l10n/t.ts";
import type { Withdrawal } from "./approvals.ts";

/** Questions of the host about how to continue. An answer never grants a permission. */
export interface Questions {
	/** Waits for the user; fails if the host withdraws the request. */
	readonly ask: (request: QuestionRequest, withdrawn: Withdrawal) => Promise<QuestionAnswer>;
	/** Passes an answer to the host, once. Returns the reason if it is rejected. */
	readonly answer: (questionId: string, answer: QuestionAnswer) => string | undefined;
	/** Oldest first. */
	readonly pending: () => readonly QuestionRequest[];
	/** Drops all requests of a host that has ended. */
	readonly dropAll: () => void;
}

interface Waiting {
	readonly request: QuestionRequest;
	readonly resolve: (answer: QuestionAnswer) => void;
	readonly reject: (reason: Error) => void;
}

/** `open` shows an address that the user wants to see. */
export function createQuestions(changed: () => void, open: (url: string) => void): Questions {
	const waiting = new Map<string, Waiting>();
	const take = (questionId: string): Waiting | undefined => {
		const found = waiting.get(questionId);
		if (waiting.delete(questionId)) changed();
		return found;
	};
	const withdraw = (questionId: string): void => take(questionId)?.reject(new Error("The question was withdrawn."));
	return {
		pending: () => [...waiting.values()].map(({ request }) => request),
		dropAll: () => {
			for (const questionId of [...waiting.keys()]) withdraw(questionId);
		},
		ask: (request, withdrawn) =>
			new Promise((resolve, reject) => {
				if (withdrawn.isCancellationRequested) return reject(new Error("The question was withdrawn."));
				waiting.set(request.questionId, { request, resolve, reject });
				withdrawn.onCancellationRequested(() => withdraw(request.questionId));
				changed();
			}),
		answer: (questionId, { choice, answers }) => {
			const found = waiting.get(questionId);
			if (found === undefined || !found.request.choices.includes(choice)) return t("That question is no longer open.");
			const { subject } = found.request;
			// The address that the host sent: the page cannot change it.
			if (choice === "open" && subject.kind === "address") open(subject.url);
			take(questionId)?.resolve({ choice, ...(answers && { answers }) });
			return undefined;
		},
	};
}
