import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { type Choice, chooseApproval } from "../../model/approval/choose-approval.ts";
import { groupSimilar } from "../../model/approval/group-similar.ts";
import type { ApprovalEntry } from "../../model/thread/entry.ts";
import { IconAction } from "../parts/icon-action.tsx";
import { usePage } from "../parts/page-context.ts";
import { AllowGroup } from "./allow-group.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { useFocusRule } from "./focus-rule.ts";
import { scrollWithKeys } from "./scroll-card.ts";

/** The pending approvals, one at a time, oldest first. A new one never takes the place of the one that is shown. */
export function Approvals() {
	const page = usePage();
	const list = useRef<HTMLElement>(null);
	const pending = page.waiting.approvals.value;
	const [asked, setAsked] = useState<Choice>();
	const last = useRef<Choice | undefined>(undefined);
	const keys = pending.map(({ key }) => key);
	const shown = chooseApproval(keys, asked !== undefined && keys.includes(asked.key) ? asked : last.current);
	const isFirst = last.current === undefined || last.current.key === shown?.key;
	const [seen, setSeen] = useState<ReadonlySet<ApprovalEntry>>(new Set());
	const mayTakeFocus = useFocusRule();
	useFocusAfter(list, pending);
	useLayoutEffect(() => {
		last.current = shown;
		if (shown === undefined) setAsked(undefined);
		// Each approval is read from its first line.
		if (list.current) list.current.scrollTop = 0;
	}, [shown?.key, shown?.place]);
	const entry = shown === undefined ? undefined : pending[shown.place];
	if (shown === undefined || entry === undefined) return null;
	const turnTo = (place: number): void => {
		const key = keys[place];
		if (key !== undefined) setAsked({ key, place });
	};
	return (
		<section ref={list} class="approvals" aria-label={t("Approvals")} onKeyDown={scrollWithKeys}>
			{/* Above the card: what comes and goes there moves nothing below it. */}
			{groupSimilar(pending)
				.filter(({ members }) => members.includes(entry))
				.map((group) => (
					<AllowGroup key={group.kind} group={group} pending={pending} seen={seen} />
				))}
			{pending.length > 1 && (
				<Pager place={shown.place} count={pending.length} onTurn={(by) => turnTo(shown.place + by)} />
			)}
			<ApprovalCard
				key={entry.key}
				entry={entry}
				place={shown.place + 1}
				count={pending.length}
				arrival={isFirst ? "new" : "replacing"}
				wasSeen={seen.has(entry)}
				mayTakeFocus={mayTakeFocus}
				onSeen={() => setSeen((before) => new Set(before).add(entry))}
			/>
		</section>
	);
}

interface PagerProps {
	readonly place: number;
	readonly count: number;
	readonly onTurn: (by: 1 | -1) => void;
}

function Pager({ place, count, onTurn }: PagerProps) {
	return (
		<div class="approvals-pager">
			<span class="quiet">{t("{0} of {1}", place + 1, count)}</span>
			<IconAction name={t("Previous approval")} icon="chevron-up" isReady={place > 0} onClick={() => onTurn(-1)} />
			<IconAction name={t("Next approval")} icon="chevron-down" isReady={place < count - 1} onClick={() => onTurn(1)} />
		</div>
	);
}

/** After an answer, the focus moves to the next card, or back to the prompt. */
function useFocusAfter(list: { readonly current: HTMLElement | null }, pending: readonly ApprovalEntry[]): void {
	const page = usePage();
	const hadFocus = useRef(false);
	useLayoutEffect(() => {
		if (hadFocus.current && !list.current?.contains(document.activeElement)) {
			const next = list.current?.querySelector<HTMLElement>("[data-decision=deny]:enabled");
			if (next) next.focus({ preventScroll: true });
			else if (pending.length === 0) page.composer.focus();
		}
		hadFocus.current = list.current?.contains(document.activeElement) ?? false;
	}, [pending]);
	useEffect(() => {
		const note = (): void => {
			hadFocus.current = list.current?.contains(document.activeElement) ?? false;
		};
		document.addEventListener("focusin", note);
		return () => document.removeEventListener("focusin", note);
	}, []);
}
