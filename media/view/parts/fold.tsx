import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import { usePage } from "./page-context.ts";

interface Props {
	/** Identifies the fold; it stays open when its row is scrolled out of view. */
	readonly id: string;
	readonly summary: ComponentChildren;
	/** Called only while open. */
	readonly draw: () => ComponentChildren;
}

/** One line that opens to show more. */
export function Fold({ id, summary, draw }: Props) {
	const page = usePage();
	const isOpen = page.openFolds.value.has(id);
	return (
		<div class="fold">
			<button type="button" class="fold-line" aria-expanded={isOpen} onClick={() => page.toggleFold(id)}>
				<span class="fold-summary">{summary}</span>
				<Icon name={isOpen ? "chevron-down" : "chevron-right"} />
			</button>
			{isOpen && <div class="fold-body">{draw()}</div>}
		</div>
	);
}
