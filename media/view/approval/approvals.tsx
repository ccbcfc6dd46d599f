import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { groupSimilar } from "../../model/approval/group-similar.ts";
import type { ApprovalEntry } from "../../model/thread/entry.ts";
import { usePage } from "../parts/page-context.ts";
import { AllowGroup } from "./allow-group.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { RecordLine } from "./approval-record.tsx";
import { MOVED } from "./use-guard.ts";

/** After a key press in an input within this time, the user counts as typing. */
const WRITING_MS = 1_500;

/**
 * All pending approvals, oldest first. New ones are added below. While the pointer is over the list nothing moves: an
 * answered card keeps its space, and the list its height, until no approval is pending.
 */
export function Approvals() {
	const page = usePage();
	const list = useRef<HTMLElement>(null);
	const pending = page.thread.transcript.value.approvals;
	const [heldHeight, setHeldHeight] = useState<number>();
	const isHeld = heldHeight !== undefined && pending.length > 0;
	const slots = useSlots(pending, isHeld);
	const heights = useHeights(list);
	const [seen, setSeen] = useState<ReadonlySet<ApprovalEntry>>(new Set());
	const mayTakeFocus = useFocusRule(list);
	useFocusAfter(list, pending, slots.length);
	const isEmpty = slots.length === 0;
	useLayoutEffect(() => {
		// A list that goes away sees no pointer leave; the next one has its own height.
		if (isEmpty) setHeldHeight(undefined);
	}, [isEmpty]);
	if (isEmpty) return null;
	return (
		<section
			ref={list}
			class="approvals"
			aria-label={t("Approvals")}
			style={isHeld ? { height: `${heldHeight}px` } : {}}
			onPointerEnter={() => setHeldHeight(list.current?.offsetHeight)}
			onPointerLeave={() => setHeldHeight(undefined)}
		>
			{slots.map((entry) => {
				const place = pending.indexOf(entry) + 1;
				if (place === 0) return <AnsweredSlot key={entry.key} entry={entry} height={heights.get(entry.key) ?? 0} />;
				return (
					<ApprovalCard
						key={entry.key}
						entry={entry}
						place={place}
						count={pending.length}
						mayTakeFocus={mayTakeFocus}
						onSeen={() => setSeen((before) => new Set(before).add(entry))}
					/>
				);
			})}
			{groupSimilar(slots).map((group) => (
				<AllowGroup key={group.kind} group={group} pending={pending} seen={seen} />
			))}
		</section>
	);
}

function AnsweredSlot({ entry, height }: { readonly entry: ApprovalEntry; readonly height: number }) {
	const page = usePage();
	const now = page.thread.transcript.value.entries.findLast(({ key }) => key === entry.key);
	return (
		<div class="approval approval-answered" style={{ minHeight: `${height}px` }}>
			{now?.kind === "approval" && <RecordLine entry={now} />}
		</div>
	);
}

/** Pending approvals, and answered ones that must keep their space. */
function useSlots(pending: readonly ApprovalEntry[], isHeld: boolean): readonly ApprovalEntry[] {
	const slots = useRef<readonly ApprovalEntry[]>([]);
	const kept = isHeld ? slots.current : slots.current.filter((entry) => pending.includes(entry));
	slots.current = [...kept, ...pending.filter((entry) => !kept.includes(entry))];
	if (pending.length === 0 && !isHeld) slots.current = [];
	return slots.current;
}

function useHeights(list: { readonly current: HTMLElement | null }): ReadonlyMap<string, number> {
	const heights = useRef(new Map<string, number>());
	useLayoutEffect(() => {
		for (const card of list.current?.querySelectorAll<HTMLElement>("[data-approval]") ?? []) {
			heights.current.set(`approval ${card.dataset.approval}`, card.offsetHeight);
		}
	});
	return heights.current;
}

/** The focus may move to a new card, but not away from another card or from an input in use. */
function useFocusRule(list: { readonly current: HTMLElement | null }): () => boolean {
	const page = usePage();
	const lastKey = useRef(Number.NEGATIVE_INFINITY);
	useEffect(() => {
		const note = (event: KeyboardEvent): void => {
			lastKey.current = event.timeStamp;
		};
		document.addEventListener("keydown", note, true);
		return () => document.removeEventListener("keydown", note, true);
	}, []);
	return () => {
		const active = document.activeElement;
		if (!document.hasFocus() || list.current?.contains(active)) return false;
		if (active?.tagName !== "TEXTAREA") return true;
		return page.composer.draft.value === "" && performance.now() - lastKey.current > WRITING_MS;
	};
}

const INPUTS = ["keydown", "pointerdown"] as const;

/** After a keyboard answer, the focus moves to the next card, or back to the prompt. */
function useFocusAfter(
	list: { readonly current: HTMLElement | null },
	pending: readonly ApprovalEntry[],
	slots: number,
): void {
	const page = usePage();
	const hadFocus = useRef(false);
	const lastInput = useRef("");
	useLayoutEffect(() => {
		if (hadFocus.current && !list.current?.contains(document.activeElement)) {
			const next = list.current?.querySelector<HTMLElement>("[data-decision=deny]:enabled");
			if (next) {
				next.focus({ preventScroll: true });
				// Nothing moves under a pointer that has just been used.
				if (lastInput.current === "keydown") {
					next.closest("[data-approval]")?.scrollIntoView({ block: "start" });
					list.current?.dispatchEvent(new Event(MOVED));
				}
			} else if (pending.length === 0) page.composer.focus();
		}
		hadFocus.current = list.current?.contains(document.activeElement) ?? false;
	}, [pending, slots]);
	useEffect(() => {
		const note = (): void => {
			hadFocus.current = list.current?.contains(document.activeElement) ?? false;
		};
		const noteInput = ({ type }: Event): void => {
			lastInput.current = type;
		};
		document.addEventListener("focusin", note);
		for (const type of INPUTS) document.addEventListener(type, noteInput, true);
		return () => {
			document.removeEventListener("focusin", note);
			for (const type of INPUTS) document.removeEventListener(type, noteInput, true);
		};
	}, []);
}
