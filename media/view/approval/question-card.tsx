import { useEffect, useRef } from "preact/hooks";
import type { GivenAnswers, QuestionChoice } from "../../../agent-host/protocol/approval/question.ts";
import { describeAnswer, describeQuestion, nameQuestion } from "../../../l10n/question-words.ts";
import { type Message, t } from "../../../l10n/t.ts";
import type { QuestionEntry } from "../../model/thread/entry.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { AskingAgent } from "../parts/asking-agent.tsx";
import { EscapedText } from "../parts/escaped-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { isInInputMethod } from "../parts/key-name.ts";
import { usePage } from "../parts/page-context.ts";
import { isFree } from "./focus-rule.ts";
import { QuestionForm } from "./question-form.tsx";
import { TooSoon } from "./too-soon.tsx";
import { stopEvent, useGuard } from "./use-guard.ts";

const CHOICES: Readonly<Record<QuestionChoice, Message>> = {
	continue: "Keep Going",
	stop: "Stop",
	answer: "Send Answer",
	open: "Open Page",
	dismiss: "Dismiss",
};

/** Pending questions, oldest first. */
export function Questions() {
	return usePage().waiting.questions.value.map((entry) => <QuestionCard key={entry.key} entry={entry} />);
}

/** One question. It is answered once, and not by a press that was meant for something else. */
function QuestionCard({ entry: { key, request } }: { readonly entry: QuestionEntry }) {
	const page = usePage();
	const card = useRef<HTMLElement>(null);
	const { questionId, subject, choices } = request;
	const dismisses = (event: KeyboardEvent): boolean =>
		event.key === "Escape" && !isInInputMethod(event) && choices.includes("dismiss");
	const { handlers, isRefused } = useGuard(card, key, { alsoAnswers: dismisses });
	const isSent = page.answered.value.has(questionId);
	const answer = (choice: QuestionChoice, answers?: GivenAnswers): void =>
		page.answerQuestion(questionId, choice, answers);
	useEffect(() => {
		if (isFree(document.activeElement) && document.hasFocus())
			firstControl(card.current)?.focus({ preventScroll: true });
	}, []);
	const onKeyDown = (event: KeyboardEvent): void => {
		if (!dismisses(event)) return;
		stopEvent(event);
		answer("dismiss");
	};
	return (
		<article
			ref={card}
			class="approval question"
			aria-labelledby={`question ${key}`}
			data-question={questionId}
			{...handlers}
			onKeyDown={onKeyDown}
		>
			<div class="approval-head">
				<Icon name="question" />
				<h2 id={`question ${key}`}>{showInvisible(nameQuestion(subject))}</h2>
			</div>
			<AskingAgent agent={request.agent} />
			{subject.kind === "loop" && <p class="plain">{showInvisible(describeQuestion(subject))}</p>}
			{subject.kind !== "loop" && subject.message !== undefined && (
				<p class="plain">{showInvisible(subject.message)}</p>
			)}
			{subject.kind === "form" && subject.server !== undefined && (
				<p class="quiet">{t("The server gets what you write. Don't enter passwords or keys.")}</p>
			)}
			{subject.kind === "address" && (
				<p class="plain">
					<code class="code-inline">
						<EscapedText text={subject.url} />
					</code>
				</p>
			)}
			<TooSoon isRefused={isRefused} />
			{subject.kind === "form" ? (
				<QuestionForm
					id={questionId}
					subject={subject}
					isSent={isSent}
					onAnswer={(answers) => answer("answer", answers)}
					onDismiss={() => answer("dismiss")}
				/>
			) : (
				<div class="answers">
					<div class="actions">
						{choices.map((choice, index) => (
							<button
								key={choice}
								type="button"
								class={index === 0 ? "button" : "button-secondary"}
								data-choice={choice}
								disabled={isSent}
								onClick={() => answer(choice)}
							>
								{t(CHOICES[choice])}
							</button>
						))}
					</div>
				</div>
			)}
		</article>
	);
}

function firstControl(card: HTMLElement | null): HTMLElement | null | undefined {
	return card?.querySelector<HTMLElement>("input:checked, input, textarea, button");
}

/** A question in the transcript, with its answer. */
export function QuestionRecord({ entry: { request, state } }: { readonly entry: QuestionEntry }) {
	return (
		<div class="line quiet">
			<Icon name="question" />
			<span class="plain">
				{showInvisible(describeQuestion(request.subject))}
				{state.kind === "pending" ? "" : ` ${showInvisible(describeAnswer(state.choice, state.answers))}`}
			</span>
		</div>
	);
}
