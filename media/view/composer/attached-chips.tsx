import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import type { Chip } from "../../model/attached/page-attached.ts";
import { showExactly, showInvisible, showPath } from "../../model/words/invisible.ts";
import type { AttachableKind } from "../../wire.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

export const KIND_ICONS: Readonly<Record<AttachableKind, string>> = {
	activeFile: "file",
	selection: "list-selection",
	openFiles: "files",
	problems: "warning",
	file: "file",
	folder: "folder",
	symbol: "symbol-method",
	changes: "git-compare",
	terminal: "terminal",
	thread: "comment-discussion",
	resource: "database",
	text: "note",
};

/** One chip for each attachment besides images. */
export function AttachedChips() {
	const chips = usePage().composer.attached.chips.value;
	const list = useRef<HTMLUListElement>(null);
	const last = useRef(0);
	// What was just attached comes last.
	useLayoutEffect(() => {
		if (chips.length > last.current) list.current?.lastElementChild?.scrollIntoView({ block: "nearest" });
		last.current = chips.length;
	}, [chips.length]);
	if (chips.length === 0) return null;
	return (
		<ul ref={list} class="context-chips" aria-label={t("Attached context")}>
			{chips.map((chip) => (
				<li key={`${chip.from} ${chip.chip.key}`} class="context-chip" data-kind={chip.chip.kind} data-from={chip.from}>
					{chip.from === "editor" ? <Switch entry={chip} /> : <Chosen entry={chip} />}
				</li>
			))}
		</ul>
	);
}

function Switch({ entry: { chip, isOn } }: { readonly entry: Extract<Chip, { from: "editor" }> }) {
	const page = usePage();
	const title = isOn
		? t("{0}. Sent with the prompt; click to exclude", chip.title)
		: t("{0}. Not sent; click to attach", chip.title);
	return (
		<button
			type="button"
			class="chip"
			aria-pressed={isOn}
			title={showInvisible(title)}
			aria-label={showInvisible(t("Attach {0}", `${chip.label}: ${chip.title}`))}
			onClick={() => page.composer.attached.toggle(chip)}
		>
			<Icon name={KIND_ICONS[chip.kind]} />
			<span class="chip-text">{showPath(chip.label)}</span>
		</button>
	);
}

function Chosen({ entry: { chip } }: { readonly entry: Extract<Chip, { from: "reader" }> }) {
	const page = usePage();
	return (
		<span class="chip" title={showExactly(chip.title)}>
			<Icon name={KIND_ICONS[chip.kind]} />
			<span class="chip-text">{showPath(chip.label)}</span>
			<button
				type="button"
				class="icon-button"
				title={t("Remove")}
				aria-label={showInvisible(t("Remove {0}", chip.title))}
				onClick={() => {
					page.composer.attached.remove([chip.key]);
					page.composer.focus();
				}}
			>
				<Icon name="close" />
			</button>
		</span>
	);
}
