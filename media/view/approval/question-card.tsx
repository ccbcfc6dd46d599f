import type { QuestionChoice } from "../../../agent-host/protocol/approval/question.ts";
import { describeChoice, describeQuestion } from "../../../l10n/question-words.ts";
import { type Message, t } from "../../../l10n/t.ts";
import type { QuestionEntry } from "../../model/thread/entry.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

const CHOICES: Readonly<Record<QuestionChoice, Message>> = { continue: "Keep Going", stop: "Stop" };

/** Pending questions, oldest first. */
export function Questions() {
	return usePage().thread.transcript.value.questions.map((entry) => <QuestionCard key={entry.key} entry={entry} />);
}

function QuestionCard({ entry: { key, request } }: { readonly entry: QuestionEntry }) {
	const page = usePage();
	const isSent = page.answered.value.has(request.questionId);
	return (
		<article class="approval" aria-labelledby={`question ${key}`} data-question={request.questionId}>
			<div class="approval-head">
				<Icon name="question" />
				<h2 id={`question ${key}`}>{t("Should it keep going?")}</h2>
			</div>
			<p class="plain">{showInvisible(describeQuestion(request.subject))}</p>
			<div class="answers">
				<div class="actions">
					{request.choices.map((choice, index) => (
						<button
							key={choice}
							type="button"
							class={index === 0 ? "button" : "button-secondary"}
							data-choice={choice}
							disabled={isSent}
							onClick={() => page.answerQuestion(request.questionId, choice)}
						>
							{t(CHOICES[choice])}
						</button>
					))}
				</div>
			</div>
		</article>
	);
}

/** A question in the transcript, with its answer. */
export function QuestionRecord({ entry: { request, state } }: { readonly entry: QuestionEntry }) {
	return (
		<div class="line quiet">
			<Icon name="question" />
			<span class="plain">
				{showInvisible(describeQuestion(request.subject))}
				{state.kind === "pending" ? "" : ` ${describeChoice(state.choice)}`}
			</span>
		</div>
	);
}
