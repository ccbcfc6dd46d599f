import { createInterface } from "node:readline/promises";
import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from "../../protocol/approval/approval.ts";
import type { QuestionAnswer, QuestionRequest } from "../../protocol/approval/question.ts";
import { describeApproval, describeQuestion } from "../approval-text.ts";
import { answerForm, isYes } from "./answer-form.ts";
import type { CommandIo } from "./cli-command.ts";

/** What a person can type, by the decision that it is. */
const KEYS = [
	{ decision: "allow", key: "y", words: "[y]es, once" },
	{ decision: "allowThread", key: "t", words: "yes, in this [t]hread" },
	{ decision: "deny", key: "n", words: "[n]o" },
	{ decision: "abort", key: "s", words: "no, and [s]top" },
] as const satisfies readonly { decision: ApprovalDecision; key: string; words: string }[];

/** Asks the person at the terminal, one thing after the other. */
export interface TerminalAsker {
	readonly approval: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;
	readonly question: (request: QuestionRequest, signal: AbortSignal) => Promise<QuestionAnswer>;
}

/** `stop` is called for Ctrl+C, which is no signal while the terminal is read line by line. */
export function askOnTerminal({ stdin, stderr }: Pick<CommandIo, "stdin" | "stderr">, stop: () => void): TerminalAsker {
	let queue: Promise<unknown> = Promise.resolve();
	const ask = (text: string, signal: AbortSignal): Promise<string> => {
		const answer = queue.then(() => readAnswer(text, signal));
		queue = answer.catch(() => undefined);
		return answer;
	};
	const readAnswer = async (text: string, signal: AbortSignal): Promise<string> => {
		signal.throwIfAborted();
		const terminal = createInterface({ input: stdin, output: stderr });
		// A terminal that is closed is no answer.
		const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
		terminal.once("SIGINT", () => {
			stop();
			terminal.close();
		});
		try {
			return await Promise.race([terminal.question(text, { signal }), closed]);
		} finally {
			terminal.close();
		}
	};
	return {
		async approval(request, signal) {
			const offered = KEYS.filter(({ decision }) => request.choices.includes(decision));
			const choices = offered.map(({ words }) => words).join(", ");
			const typed = await ask(`\n${describeApproval(request)}\nAllow? ${choices}: `, signal);
			return { decision: readDecision(typed, request.choices), digest: request.digest };
		},
		async question(request, signal) {
			const { subject } = request;
			const about = `\n${describeQuestion(request)}`;
			if (subject.kind === "form") return answerForm(subject, (text) => ask(`${text}: `, signal), about);
			const isAgreed = isYes(await ask(`${about} [y]es, [n]o: `, signal));
			if (subject.kind === "address") return { choice: isAgreed ? "open" : "dismiss" };
			return { choice: isAgreed ? "continue" : "stop" };
		},
	};
}

/** Anything but a clear yes is a no. */
export function readDecision(typed: string, choices: readonly ApprovalDecision[]): ApprovalDecision {
	const word = typed.trim().toLowerCase();
	const found = KEYS.find(({ key }) => key === word) ?? (word === "yes" ? KEYS[0] : undefined);
	return found !== undefined && choices.includes(found.decision) ? found.decision : "deny";
}
