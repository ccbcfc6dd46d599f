import { useEffect, useRef } from "preact/hooks";
import { showExactly, showPath } from "../../model/words/invisible.ts";
import { Icon } from "../parts/icon.tsx";

interface Props {
	readonly id: string;
	readonly isActive: boolean;
	readonly label: string;
	/** `code`: in the code font. */
	readonly look?: "text" | "code";
	/** Quieter, after the label. */
	readonly detail: string;
	readonly icon?: string;
	readonly title?: string;
	/** What it stands for, as `data-kind`. */
	readonly kind?: string;
	readonly onChoose: () => void;
}

/** One row of a list above the prompt, which keeps the focus: its keys move through the list. */
export function ListOption({ id, isActive, label, look = "text", detail, icon, title, kind, onChoose }: Props) {
	const row = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (isActive) row.current?.scrollIntoView({ block: "nearest" });
	}, [isActive]);
	return (
		<div
			ref={row}
			id={id}
			class="list-option"
			role="option"
			aria-selected={isActive}
			data-kind={kind}
			title={showExactly(title ?? detail)}
			tabIndex={-1}
			onMouseDown={(event) => {
				// Keep the focus in the prompt; otherwise the list would close.
				event.preventDefault();
				onChoose();
			}}
		>
			{icon !== undefined && <Icon name={icon} />}
			<span class={look === "code" ? "option-label mono" : "option-label"}>{showPath(label)}</span>
			<span class="option-detail quiet">{showPath(detail)}</span>
		</div>
	);
}
