import { useEffect, useRef, useState } from "preact/hooks";
import { sayHost } from "../../l10n/host-words.ts";
import { describeQuestion, nameQuestion } from "../../l10n/question-words.ts";
import { t } from "../../l10n/t.ts";
import { describeApproval, summarizeSubject } from "../model/approval/approval-words.ts";
import type { Transcript } from "../model/thread/transcript.ts";
import { showInvisible } from "../model/words/invisible.ts";
import { usePage } from "./parts/page-context.ts";

/** Announces to screen readers when a turn starts and how it ended; the text itself is read on demand. */
export function Announcer() {
	const page = usePage();
	const transcript = page.thread.transcript.value;
	const isRunning = transcript.running !== undefined;
	const threadId = page.thread.id.value;
	const before = useRef({ threadId, isRunning });
	const [said, setSaid] = useState({ text: "", about: "" });
	useEffect(() => {
		const { threadId: shown, isRunning: ran } = before.current;
		before.current = { threadId, isRunning };
		// A turn that goes on elsewhere has not ended.
		if (ran === isRunning || shown !== threadId || page.thread.loading.peek()) return;
		setSaid({ text: isRunning ? t("Vitrine is working.") : describeEnd(transcript), about: `${transcript.last}` });
	}, [isRunning, threadId]);
	const approval = page.waiting.approvals.value.at(-1);
	useEffect(() => {
		if (approval === undefined) return;
		const { subject, approvalId } = approval.request;
		setSaid({ text: askFor(describeApproval(subject), summarizeSubject(subject)), about: approvalId });
	}, [approval]);
	const question = page.waiting.questions.value.at(-1);
	useEffect(() => {
		if (question === undefined) return;
		const { subject, questionId } = question.request;
		setSaid({ text: askFor(describeQuestion(subject), nameQuestion(subject)), about: questionId });
	}, [question]);
	return (
		<div class="sr-only" role="status">
			{/* The same words about something else are said again, because they are in another element. */}
			<span key={said.about}>{showInvisible(said.text)}</span>
		</div>
	);
}

function askFor(what: string, about: string): string {
	return t("Vitrine needs your answer: {0} {1}", what, about);
}

function describeEnd({ entries, halted }: Transcript): string {
	const last = entries.findLast(({ kind }) => kind === "turnEnd");
	if (halted === undefined || last?.kind !== "turnEnd") return t("Vitrine has answered.");
	return last.status === "failed" ? t("The turn failed. {0}", last.error ? sayHost(last.error) : "") : t("Stopped.");
}
