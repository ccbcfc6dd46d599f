import { useEffect, useState } from "preact/hooks";
import { t } from "../../l10n/t.ts";
import { CommandButton } from "./command-button.tsx";
import { Icon } from "./icon.tsx";
import { usePage } from "./page-context.ts";
import { describeProgress, type Progress } from "./progress.ts";
import { describeSeconds } from "./text.ts";

const TICK_MS = 1_000;

/** Says that a turn runs, what it does, and for how long. */
export function StatusLine() {
	const { running } = usePage().thread.transcript.value;
	return running === undefined ? null : <Working since={running.since} />;
}

const ICONS: Readonly<Record<Progress["look"], string>> = {
	working: "loading",
	question: "shield",
	countdown: "watch",
	silent: "loading",
};

function Working({ since }: { readonly since: number }) {
	const page = usePage();
	const now = useClock();
	const { text, look } = describeProgress(page.thread.transcript.value, page.heardAt, now);
	return (
		<div class={`status ${look === "silent" ? "warning" : ""}`} data-progress={look}>
			{ICONS[look] === "loading" ? <Icon name="loading" spin="spinning" /> : <Icon name={ICONS[look]} />}
			<span>{text}</span>
			{look !== "countdown" && <span class="quiet">{describeSeconds(now - since)}</span>}
			{look === "countdown" && (
				<button type="button" class="text-button" data-action="stop" onClick={() => page.stop()}>
					{t("Stop")}
				</button>
			)}
			{look === "silent" && <CommandButton command="showLog" look="text-button" />}
		</div>
	);
}

function useClock(): number {
	const [now, setNow] = useState(Date.now);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), TICK_MS);
		return () => clearInterval(timer);
	}, []);
	return now;
}
