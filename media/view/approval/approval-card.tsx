import { useEffect, useRef, useState } from "preact/hooks";
import type { ApprovalDecision, ApprovalSubject } from "../../../agent-host/protocol/approval/approval.ts";
import { t } from "../../../l10n/t.ts";
import { describeApproval } from "../../model/approval/approval-words.ts";
import { GUARD_MS, REPLACED_MS } from "../../model/approval/press-guard.ts";
import type { ApprovalEntry } from "../../model/thread/entry.ts";
import { AskingAgent } from "../parts/asking-agent.tsx";
import { EscapedText } from "../parts/escaped-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";
import { sentence } from "../parts/sentence.ts";
import { Answers } from "./approval-answers.tsx";
import { SubjectView } from "./approval-subject.tsx";
import { stopEvent, useGuard } from "./use-guard.ts";
import { useSight } from "./use-sight.ts";

interface Props {
	readonly entry: ApprovalEntry;
	readonly place: number;
	readonly count: number;
	/** Whether it has taken the place of another card. */
	readonly arrival: "new" | "replacing";
	/** Everything on it has been visible before. */
	readonly wasSeen: boolean;
	/** Called when the card appears: whether it may take the focus. */
	readonly mayTakeFocus: () => boolean;
	/** Called once everything on the card has been visible. */
	readonly onSeen: () => void;
}

/** One approval. It shows everything, is answered once, and cannot be answered by accident. */
export function ApprovalCard({ entry, place, count, arrival, wasSeen, mayTakeFocus, onSeen }: Props) {
	const page = usePage();
	const card = useRef<HTMLElement>(null);
	const denyButton = useRef<HTMLButtonElement>(null);
	const [isRead, setRead] = useState(wasSeen);
	const [guardMs] = useState(arrival === "new" ? GUARD_MS : REPLACED_MS);
	// A button that has just become active counts like a card that has just appeared.
	const { handlers, isRefused } = useGuard(card, `${entry.key} ${isRead ? "read" : "unread"}`, { ms: guardMs });
	const isSent = page.answered.value.has(entry.request.approvalId);
	const { subject, approvalId } = entry.request;
	// What the card does not show must be opened before it can be allowed.
	const isLong = subject.kind === "patch" && subject.whole !== undefined;
	const isOpened = !isLong || page.openedDiffs.value.has(approvalId);
	const state = isSent ? "sent" : isRead && isOpened ? "ready" : isRead ? "unopened" : "unread";
	const titleId = `question ${entry.key}`;
	useEffect(() => {
		if (mayTakeFocus()) denyButton.current?.focus({ preventScroll: true });
	}, []);
	useSight(card, () => setRead(true));
	useEffect(() => {
		if (isRead) onSeen();
		// A thread that is sent again has new entries.
	}, [isRead, entry]);
	const answer = (decision: ApprovalDecision, note?: string): void =>
		page.answerApproval(entry.request, decision, note);
	const onKeyDown = (event: KeyboardEvent): void => {
		// In a note, Alt+Backspace deletes a word.
		if (!event.altKey || isSent || event.target instanceof HTMLTextAreaElement) return;
		if (event.key === "Backspace") answer("deny");
		else if (event.key === "Enter" && state === "ready" && entry.request.choices.includes("allow")) answer("allow");
		else return;
		stopEvent(event);
	};
	return (
		<article
			ref={card}
			class="approval"
			aria-labelledby={titleId}
			data-approval={entry.request.approvalId}
			{...handlers}
			onKeyDown={onKeyDown}
		>
			<div class="approval-head">
				<Icon name="shield" />
				<h2 id={titleId}>
					<Question subject={entry.request.subject} />
				</h2>
			</div>
			<AskingAgent agent={entry.request.agent} />
			<SubjectView
				entry={entry}
				frame={(whole) => (
					// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
					<section class="long-part" tabIndex={0} aria-label={t("Details of approval {0} of {1}", place, count)}>
						{whole}
					</section>
				)}
			/>
			<Answers entry={entry} denyButton={denyButton} state={state} isRefused={isRefused} onAnswer={answer} />
		</article>
	);
}

function Question({ subject }: { readonly subject: ApprovalSubject }) {
	if (subject.kind !== "permission") return <>{describeApproval(subject)}</>;
	return <>{sentence("Allow reading {0}?", <EscapedText text={subject.read.join(", ")} />)}</>;
}
