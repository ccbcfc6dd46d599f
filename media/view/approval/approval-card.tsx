import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApprovalDecision, ApprovalSubject } from "../../../agent-host/protocol/approval/approval.ts";
import { t } from "../../../l10n/t.ts";
import { describeApproval } from "../../model/approval/approval-words.ts";
import type { ApprovalEntry } from "../../model/thread/entry.ts";
import { EscapedText } from "../parts/escaped-text.tsx";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";
import { sentence } from "../parts/sentence.ts";
import { Answers } from "./approval-answers.tsx";
import { SubjectView } from "./approval-subject.tsx";
import { LongPart } from "./long-part.tsx";
import { stopEvent, useGuard } from "./use-guard.ts";

interface Props {
	readonly entry: ApprovalEntry;
	readonly place: number;
	readonly count: number;
	/** Called when the card appears: whether it may take the focus. */
	readonly mayTakeFocus: () => boolean;
	/** Called once everything on the card has been visible. */
	readonly onSeen: () => void;
}

/** One approval. It shows everything, is answered once, and cannot be answered by accident. */
export function ApprovalCard({ entry, place, count, mayTakeFocus, onSeen }: Props) {
	const page = usePage();
	const card = useRef<HTMLElement>(null);
	const denyButton = useRef<HTMLButtonElement>(null);
	const guarded = useGuard(card, entry.key);
	const [isRead, setRead] = useState(false);
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
	useSightOfEnd(card, isRead ? entry : undefined, onSeen);
	const answer = (decision: ApprovalDecision, note?: string): void =>
		page.answerApproval(entry.request, decision, note);
	const onKeyDown = (event: KeyboardEvent): void => {
		if (!event.altKey || isSent) return;
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
			{...guarded}
			onKeyDown={onKeyDown}
		>
			<div class="approval-head">
				<Icon name="shield" />
				<h2 id={titleId}>
					<Question subject={entry.request.subject} />
				</h2>
				<span class="quiet">{t("{0} of {1}", place, count)}</span>
			</div>
			<SubjectView
				entry={entry}
				frame={(whole) => (
					<LongPart label={t("Details of approval {0} of {1}", place, count)} onRead={() => setRead(true)}>
						{whole}
					</LongPart>
				)}
			/>
			{["network", "permission"].includes(entry.request.subject.kind) && <Read onRead={() => setRead(true)} />}
			<Answers entry={entry} denyButton={denyButton} state={state} onAnswer={answer} />
		</article>
	);
}

function Question({ subject }: { readonly subject: ApprovalSubject }) {
	if (subject.kind !== "permission") return <>{describeApproval(subject)}</>;
	return <>{sentence("Allow reading {0}?", <EscapedText text={subject.read.join(", ")} />)}</>;
}

/** Calls `onSeen` when the last line has been visible, after the long part has been read. */
function useSightOfEnd(card: RefObject<HTMLElement | null>, read: ApprovalEntry | undefined, onSeen: () => void): void {
	useEffect(() => {
		const end = card.current?.querySelector(".facts > :last-child > dd");
		if (read === undefined || !end) return;
		const observer = new IntersectionObserver((sightings) => {
			if (sightings.some(({ isIntersecting }) => isIntersecting)) onSeen();
		});
		observer.observe(end);
		return () => observer.disconnect();
		// A thread that is sent again has new entries, which have not been seen.
	}, [read]);
}

/** For approvals without a long part: read at once. */
function Read({ onRead }: { readonly onRead: () => void }) {
	useLayoutEffect(() => onRead(), []);
	return null;
}
