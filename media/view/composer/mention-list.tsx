import { countOf, t } from "../../../l10n/t.ts";
import type { PageMentions } from "../../model/attached/page-mentions.ts";
import type { Mention } from "../../wire.ts";
import { isInInputMethod } from "../parts/key-name.ts";
import { usePage } from "../parts/page-context.ts";
import { KIND_ICONS } from "./attached-chips.tsx";
import { ListOption } from "./list-option.tsx";

export const MENTION_LIST = "mention-list";
const PAGE_ROWS = 8;

export function optionId(index: number): string {
	return `mention-${index}`;
}

/** The list of mentions. The focus stays in the prompt, whose keys move through the list. */
export function MentionList() {
	const { mentions } = usePage().composer;
	if (!mentions.isOpen.value) return <MentionStatus text="" />;
	const found = mentions.found.value;
	const missing = mentions.missing.value;
	const nothing = mentions.isAnswered.value ? t("No matches") : t("Searching…");
	const count = found.length > 0 ? countOf(found.length, "{0} suggestion", "{0} suggestions") : nothing;
	return (
		<>
			<MentionStatus text={missing === undefined ? count : `${count}. ${missing}`} />
			{found.length === 0 ? (
				<div class="option-list quiet" aria-hidden="true">
					{nothing}
				</div>
			) : (
				<div id={MENTION_LIST} class="option-list" role="listbox" aria-label={t("Context to mention")}>
					{found.map((mention, index) => (
						<Option key={mention.key} mention={mention} index={index} />
					))}
				</div>
			)}
			{missing !== undefined && (
				<p class="missing-files quiet" aria-hidden="true">
					{missing}
				</p>
			)}
		</>
	);
}

/** Handles a key for the list; returns whether it did. */
export function chooseMention(mentions: PageMentions, event: KeyboardEvent): boolean {
	if (!mentions.isOpen.peek() || isInInputMethod(event)) return false;
	const act = findAction(mentions, event);
	if (act === undefined) return false;
	event.preventDefault();
	// Esc closes the list; it must not stop the turn as well.
	event.stopPropagation();
	act();
	return true;
}

function findAction(mentions: PageMentions, { key, shiftKey }: KeyboardEvent): (() => void) | undefined {
	if (key === "Escape") return () => mentions.close();
	if (mentions.found.peek().length === 0 || shiftKey) return undefined;
	switch (key) {
		case "ArrowDown":
			return () => mentions.move(1);
		case "ArrowUp":
			return () => mentions.move(-1);
		case "PageDown":
			return () => mentions.move(Math.min(PAGE_ROWS, mentions.found.peek().length - 1 - mentions.active.peek()));
		case "PageUp":
			return () => mentions.move(-Math.min(PAGE_ROWS, mentions.active.peek()));
		case "Enter":
		case "Tab":
			return () => mentions.chooseActive();
	}
	return undefined;
}

// Always rendered: a screen reader announces only changes in an element that it knows.
function MentionStatus({ text }: { readonly text: string }) {
	return (
		<span class="sr-only" role="status">
			{text}
		</span>
	);
}

function Option({ mention, index }: { readonly mention: Mention; readonly index: number }) {
	const { mentions } = usePage().composer;
	const { kind, label, title, detail } = mention;
	return (
		<ListOption
			{...{ kind, label, title, detail }}
			id={optionId(index)}
			isActive={mentions.active.value === index}
			icon={KIND_ICONS[kind]}
			onChoose={() => mentions.choose(index)}
		/>
	);
}
