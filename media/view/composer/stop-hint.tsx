import { useEffect, useState } from "preact/hooks";
import { t } from "../../../l10n/t.ts";
import { usePage } from "../page-context.ts";

/** How soon the second press must follow. */
const SECOND_PRESS_MS = 1_000;

/** Esc pressed twice stops the running turn; the first press says so. */
export function StopHint() {
	const page = usePage();
	const isRunning = page.thread.isRunning.value;
	const [isArmed, setArmed] = useState(false);
	useEffect(() => {
		if (!isRunning) return;
		const onKeyDown = (event: KeyboardEvent): void => {
			if (event.key !== "Escape" || event.isComposing || event.repeat) return;
			if (isArmed) page.stop();
			setArmed(!isArmed);
		};
		const timer = isArmed ? setTimeout(() => setArmed(false), SECOND_PRESS_MS) : undefined;
		document.addEventListener("keydown", onKeyDown);
		return () => {
			clearTimeout(timer);
			document.removeEventListener("keydown", onKeyDown);
		};
	}, [isRunning, isArmed, page]);
	return (
		<span class="stop-hint quiet" role="status">
			{isRunning && isArmed ? t("Press Esc again to stop") : ""}
		</span>
	);
}
