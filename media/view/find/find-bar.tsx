import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { buildPattern } from "../../model/find/find-matches.ts";
import { IconAction } from "../parts/icon-action.tsx";
import { isInInputMethod } from "../parts/key-name.ts";
import { usePage } from "../parts/page-context.ts";
import { markFound } from "./mark-found.ts";

/** Find in thread: query, number of matches, next and previous. */
export function FindBar() {
	const { find } = usePage();
	return find.isOpen.value ? <OpenBar /> : null;
}

function OpenBar() {
	const page = usePage();
	const { find } = page;
	const input = useRef<HTMLInputElement>(null);
	const matches = find.matches.value;
	const place = find.place.value;
	const query = find.query.value;
	const asked = find.focusAsked.value;
	// Must take the focus before the next key press.
	useLayoutEffect(() => input.current?.select(), [asked]);
	const { transcript } = page.thread;
	// What is searched includes what was not sent.
	useEffect(() => page.readPatches(), [transcript.value]);
	useEffect(() => markFound(buildPattern(query), matches[place]), [query, matches[place]]);
	const close = (): void => {
		find.close();
		page.composer.focus();
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (isInInputMethod(event)) return;
		if (event.key === "Escape") close();
		else if (event.key === "Enter") find.step(event.shiftKey ? "previous" : "next");
		else return;
		event.preventDefault();
		// This Esc is for the bar; it must not stop the turn.
		event.stopPropagation();
	};
	return (
		// biome-ignore lint/a11y/useSemanticElements: the element is as new as some editors that we support
		<div class="find-bar" role="search" onKeyDown={onKeyDown}>
			<input
				id="find"
				ref={input}
				class="input"
				type="text"
				value={query}
				placeholder={t("Find in thread")}
				aria-label={t("Find in thread")}
				onInput={(event) => find.search(event.currentTarget.value)}
			/>
			<span class="find-count quiet" role="status">
				{query.trim() === "" ? "" : matches.length === 0 ? t("No results") : t("{0} of {1}", place + 1, matches.length)}
			</span>
			<IconAction
				name={t("Previous match (Shift+Enter)")}
				icon="arrow-up"
				isReady={matches.length > 0}
				onClick={() => find.step("previous")}
			/>
			<IconAction
				name={t("Next match (Enter)")}
				icon="arrow-down"
				isReady={matches.length > 0}
				onClick={() => find.step("next")}
			/>
			<IconAction name={t("Close (Esc)")} icon="close" isReady={true} onClick={close} />
		</div>
	);
}
