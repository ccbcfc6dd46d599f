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
	const wasRunning = useRef(isRunning);
	const [said, setSaid] = useState("");
	useEffect(() => {
		if (wasRunning.current === isRunning) return;
		wasRunning.current = isRunning;
		if (!page.thread.loading.peek()) setSaid(isRunning ? t("Vitrine is working.") : describeEnd(transcript));
	}, [isRunning]);
	const asked = page.waiting.approvals.value.at(-1);
	useEffect(() => {
		if (asked)
			setSaid(
				t(
					"Vitrine needs your answer: {0} {1}",
					describeApproval(asked.request.subject),
					summarizeSubject(asked.request.subject),
				),
			);
	}, [asked]);
	const question = page.waiting.questions.value.at(-1);
	useEffect(() => {
		if (question)
			setSaid(
				t(
					"Vitrine needs your answer: {0} {1}",
					describeQuestion(question.request.subject),
					nameQuestion(question.request.subject),
				),
			);
	}, [question]);
	return (
		<div class="sr-only" role="status">
			{showInvisible(said)}
		</div>
	);
}

function describeEnd({ entries }: Transcript): string {
	const last = entries.at(-1);
	if (last?.kind !== "turnEnd") return t("Vitrine has answered.");
	return last.status === "failed" ? t("The turn failed. {0}", last.error ? sayHost(last.error) : "") : t("Stopped.");
}
