import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

/** One way to send. */
export interface SendWay {
	readonly id: string;
	readonly name: string;
	readonly icon: string;
	readonly keys: string;
	readonly send: () => void;
}

/** Every way to send while a turn runs, in words, with its key. */
export function SendMenu({ ways }: { readonly ways: readonly SendWay[] }) {
	const { composer } = usePage();
	const menu = useRef<HTMLDivElement>(null);
	const isOpen = useSignal(false);
	useLayoutEffect(() => {
		if (isOpen.value) menu.current?.querySelector("button")?.focus();
	}, [isOpen.value]);
	const close = (): void => {
		isOpen.value = false;
		composer.focus();
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (event.key === "Escape" || event.key === "Tab") close();
		else if (!moveFocus(menu.current, event.key)) return;
		event.preventDefault();
		// This Esc closes the menu; it must not stop the turn.
		event.stopPropagation();
	};
	return (
		<>
			<button
				type="button"
				id="send-menu"
				class="icon-button"
				title={t("More ways to send")}
				aria-label={t("More ways to send")}
				aria-haspopup="menu"
				aria-expanded={isOpen.value}
				// Otherwise the menu would lose the focus and close before the click could.
				onMouseDown={(event) => event.preventDefault()}
				onClick={() => {
					isOpen.value = !isOpen.value;
				}}
			>
				<Icon name="chevron-up" />
			</button>
			{isOpen.value && (
				<div
					ref={menu}
					class="send-menu"
					role="menu"
					tabIndex={-1}
					aria-label={t("More ways to send")}
					onKeyDown={onKeyDown}
					onFocusOut={({ relatedTarget }) => {
						if (!(relatedTarget instanceof Node && menu.current?.contains(relatedTarget))) isOpen.value = false;
					}}
				>
					{ways.map(({ id, name, icon, keys, send }) => (
						<button
							key={id}
							type="button"
							id={id}
							role="menuitem"
							onClick={() => {
								send();
								close();
							}}
						>
							<Icon name={icon} />
							<span class="send-way">{name}</span>
							<span class="quiet">{keys}</span>
						</button>
					))}
				</div>
			)}
		</>
	);
}

/** Moves the focus within the menu; returns whether the key was for that. */
function moveFocus(menu: HTMLElement | null, key: string): boolean {
	const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
	const buttons: readonly Element[] = [...(menu?.querySelectorAll("button") ?? [])];
	const now = document.activeElement === null ? -1 : buttons.indexOf(document.activeElement);
	const next = buttons.at((now + step) % buttons.length);
	if (step !== 0 && next instanceof HTMLElement) next.focus();
	return step !== 0;
}
