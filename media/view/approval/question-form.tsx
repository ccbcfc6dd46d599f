import { useRef, useState } from "preact/hooks";
import type { AskedQuestion, FormSubject, GivenAnswers } from "../../../agent-host/protocol/approval/question.ts";
import { MAX_ANSWER_CHARS } from "../../../agent-host/protocol/limits.ts";
import { t } from "../../../l10n/t.ts";
import {
	beginForm,
	chooseOption,
	type FormDraft,
	fitsInput,
	hasOwnWords,
	readForm,
	writeAnswer,
} from "../../model/approval/form-answers.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { isInInputMethod } from "../parts/key-name.ts";
import { usePage } from "../parts/page-context.ts";
import { stopEvent } from "./use-guard.ts";

interface Props {
	readonly id: string;
	readonly subject: FormSubject;
	readonly isSent: boolean;
	readonly onAnswer: (answers: GivenAnswers) => void;
	readonly onDismiss: () => void;
}

/**
 * Questions that are answered together. Enter answers, as in the prompt. Escape dismisses them only while no answer is
 * written; else it leads to the button that does.
 */
export function QuestionForm({ id, subject, isSent, onAnswer, onDismiss }: Props) {
	const { questions } = subject;
	const { forms } = usePage().waiting.begun;
	const dismissButton = useRef<HTMLButtonElement>(null);
	const [draft, setDraft] = useState<FormDraft>(() => ({ ...beginForm(questions), ...forms.get(id) }));
	const change = (next: FormDraft): void => {
		forms.set(id, next);
		setDraft(next);
	};
	const answers = readForm(draft, subject);
	const send = (): void => {
		if (answers !== undefined && !isSent) onAnswer(answers);
	};
	return (
		<form
			class="question-form"
			onSubmit={(event) => {
				event.preventDefault();
				send();
			}}
			onKeyDown={(event) => {
				if (event.key === "Escape" && !isInInputMethod(event) && hasOwnWords(draft, questions)) {
					stopEvent(event);
					dismissButton.current?.focus();
					return;
				}
				if (
					event.key !== "Enter" ||
					event.shiftKey ||
					isInInputMethod(event) ||
					event.target instanceof HTMLButtonElement
				)
					return;
				event.preventDefault();
				if (!event.repeat) send();
			}}
		>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<section class="long-part" tabIndex={0} aria-label={t("Questions")}>
				{questions.map((question) => (
					<Asked
						key={question.id}
						form={id}
						question={question}
						saysRequired={question.required === true && questions.some(({ required }) => !required)}
						draft={draft}
						isSent={isSent}
						onChange={change}
					/>
				))}
			</section>
			<div class="answers">
				<div class="actions">
					<button type="submit" class="button" data-choice="answer" disabled={isSent || answers === undefined}>
						{t("Send Answer")}
					</button>
					<button
						type="button"
						ref={dismissButton}
						class="button-secondary"
						data-choice="dismiss"
						disabled={isSent}
						onClick={onDismiss}
					>
						{t("Dismiss")}
					</button>
				</div>
			</div>
		</form>
	);
}

interface AskedProps {
	readonly form: string;
	readonly question: AskedQuestion;
	/** Others need no answer, so it is said of this one that it does. */
	readonly saysRequired: boolean;
	readonly draft: FormDraft;
	readonly isSent: boolean;
	readonly onChange: (draft: FormDraft) => void;
}

function Asked({ form, question, saysRequired, draft, isSent, onChange }: AskedProps) {
	const { id, header, text, options, multiple, input } = question;
	const given = draft[id];
	const name = `${form} ${id}`;
	const isWrong = !fitsInput(question, given?.text ?? "");
	return (
		<fieldset class="asked" disabled={isSent}>
			<legend class="plain">
				{header !== undefined && <span class="asked-header quiet">{showInvisible(header)}</span>}
				{showInvisible(text)}
				{saysRequired && <span class="quiet"> {t("(required)")}</span>}
			</legend>
			{options.map(({ label, description }) => (
				<label key={label} class="asked-option">
					<input
						type={multiple ? "checkbox" : "radio"}
						name={name}
						data-option={label}
						checked={given?.chosen.includes(label) ?? false}
						onChange={() => onChange(chooseOption(draft, question, label))}
					/>
					<span class="plain">
						{showInvisible(label)}
						{description !== undefined && <span class="quiet asked-detail">{showInvisible(description)}</span>}
					</span>
				</label>
			))}
			{input !== undefined && (
				<textarea
					class="input"
					rows={1}
					dir="auto"
					data-input={id}
					maxLength={MAX_ANSWER_CHARS}
					inputMode={input === "text" ? "text" : "decimal"}
					aria-label={options.length === 0 ? t("Your answer") : t("Another answer")}
					placeholder={options.length === 0 ? t("Your answer") : t("Another answer")}
					aria-invalid={isWrong}
					value={given?.text ?? ""}
					onInput={(event) => onChange(writeAnswer(draft, question, event.currentTarget.value))}
				/>
			)}
			{isWrong && (
				<p class="asked-problem" role="status">
					{input === "integer" ? t("Enter a whole number.") : t("Enter a number.")}
				</p>
			)}
		</fieldset>
	);
}
