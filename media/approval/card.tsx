import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApprovalDecision } from "../../agent-host/protocol/approval.ts";
import { t } from "../../l10n/t.ts";
import type { ApprovalEntry } from "../transcript/entry.ts";
import { Icon } from "../view/icon.tsx";
import { usePage } from "../view/page-context.ts";
import { Answers } from "./answers.tsx";
import { PressGuard } from "./guard.ts";
import { LongPart } from "./long-part.tsx";
import { SubjectView } from "./subject.tsx";
import { questionOf } from "./words.ts";

interface Props {
	readonly entry: ApprovalEntry;
	readonly place: number;
	readonly count: number;
	/** Asked when the card appears: whether the focus may go to it. */
	readonly mayTakeFocus: () => boolean;
}

/** One question. It says everything, is answered once, and cannot be answered by accident. */
export function ApprovalCard({ entry, place, count, mayTakeFocus }: Props) {
	const page = usePage();
	const card = useRef<HTMLElement>(null);
	const denyButton = useRef<HTMLButtonElement>(null);
	const guard = useGuard(card);
	const [isRead, setRead] = useState(false);
	const isSent = page.answered.value.has(entry.request.approvalId);
	const state = isSent ? "sent" : isRead ? "ready" : "unread";
	const titleId = `question ${entry.key}`;
	useEffect(() => {
		if (mayTakeFocus()) denyButton.current?.focus({ preventScroll: true });
	}, []);
	const answer = (decision: ApprovalDecision, note?: string): void =>
		page.answerApproval(entry.request, decision, note);
	const onPress = (event: Event): void => {
		const isHeld = event instanceof KeyboardEvent && event.repeat && isPressing(event);
		if (!guard.press(event.timeStamp) || isHeld) swallow(event);
	};
	const onClick = (event: Event): void => {
		if (!guard.click(event.timeStamp)) swallow(event);
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (!event.altKey || isSent) return;
		if (event.key === "Backspace") answer("deny");
		else if (event.key === "Enter" && state === "ready" && entry.request.choices.includes("allow")) answer("allow");
		else return;
		swallow(event);
	};
	return (
		<article
			ref={card}
			class="approval"
			aria-labelledby={titleId}
			data-approval={entry.request.approvalId}
			onPointerDownCapture={onPress}
			onKeyDownCapture={onPress}
			onClickCapture={onClick}
			onKeyDown={onKeyDown}
		>
			<div class="approval-head">
				<Icon name="shield" />
				<h2 id={titleId}>{questionOf(entry.request.subject)}</h2>
				<span class="quiet">{t("{0} of {1}", place, count)}</span>
			</div>
			<SubjectView
				entry={entry}
				frame={(whole) => (
					<LongPart label={t("What would happen, {0} of {1}", place, count)} onRead={() => setRead(true)}>
						{whole}
					</LongPart>
				)}
			/>
			{entry.request.subject.kind === "network" && <Read onRead={() => setRead(true)} />}
			<Answers entry={entry} denyButton={denyButton} state={state} onAnswer={answer} />
		</article>
	);
}

/** Arms the guard whenever the card has come to stand where it did not stand before. */
function useGuard(card: { readonly current: HTMLElement | null }): { readonly press: Check; readonly click: Check } {
	const { current } = useRef({ guard: new PressGuard(), place: "" });
	const look = (): void => {
		const place = placeOf(card.current);
		if (place !== current.place) current.guard.arm(performance.now());
		current.place = place;
	};
	useEffect(() => {
		const observer = new ResizeObserver(look);
		const dock = card.current?.closest(".dock");
		for (const element of [card.current, card.current?.parentElement, dock]) if (element) observer.observe(element);
		return () => observer.disconnect();
	}, []);
	const check = (kind: "press" | "click"): Check => {
		return (at) => {
			look();
			return current.guard[kind](at);
		};
	};
	return { press: check("press"), click: check("click") };
}

type Check = (at: number) => boolean;

/** Where the card stands in the window, but for what the reader has scrolled. */
function placeOf(card: HTMLElement | null): string {
	const list = card?.parentElement;
	const dock = list?.closest(".dock");
	if (!card || !list || !dock) return "";
	return [card.offsetTop, list.offsetTop, Math.round(dock.getBoundingClientRect().top), card.offsetWidth].join(" ");
}

function isPressing({ key }: KeyboardEvent): boolean {
	return key === "Enter" || key === " ";
}

function swallow(event: Event): void {
	event.preventDefault();
	event.stopPropagation();
}

/** Nothing long to read. */
function Read({ onRead }: { readonly onRead: () => void }) {
	useLayoutEffect(() => onRead(), []);
	return null;
}
