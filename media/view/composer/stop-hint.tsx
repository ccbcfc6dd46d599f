import { useLayoutEffect, useState } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { isInInputMethod } from "../parts/key-name.ts";
import { usePage } from "../parts/page-context.ts";

/** Time within which the second press must follow. */
const SECOND_PRESS_MS = 1_000;

/** Esc pressed twice stops the running turn; the first press says so. */
export function StopHint() {
	const page = usePage();
	const isRunning = page.thread.isRunning.value;
	const [isArmed, setArmed] = useState(false);
	// Registered before the paint: a press may come earlier.
	useLayoutEffect(() => {
		if (!isRunning) return;
		// Not in the state: the second press may come before the first one is drawn.
		let disarm: ReturnType<typeof setTimeout> | undefined;
		const rest = (): void => {
			clearTimeout(disarm);
			disarm = undefined;
			setArmed(false);
		};
		const onKeyDown = (event: KeyboardEvent): void => {
			if (event.key !== "Escape" || isInInputMethod(event) || event.repeat) return;
			if (disarm !== undefined) {
				rest();
				page.stop();
				return;
			}
			disarm = setTimeout(rest, SECOND_PRESS_MS);
			setArmed(true);
		};
		document.addEventListener("keydown", onKeyDown);
		return () => {
			rest();
			document.removeEventListener("keydown", onKeyDown);
		};
	}, [isRunning, page]);
	return (
		<span class="stop-hint quiet" role="status">
			{isRunning && isArmed ? t("Press Esc again to stop") : ""}
		</span>
	);
}
