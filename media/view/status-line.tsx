import { useEffect, useState } from "preact/hooks";
import { t } from "../../l10n/t.ts";
import { describeElapsed, describeProgress, type Progress } from "../model/thread/progress.ts";
import type { Running } from "../model/thread/transcript.ts";
import { showInvisible } from "../model/words/invisible.ts";
import { CommandButton } from "./parts/command-button.tsx";
import { Icon } from "./parts/icon.tsx";
import { usePage } from "./parts/page-context.ts";

const TICK_MS = 1_000;

/** Status of the running turn: what it does, and for how long. */
export function StatusLine() {
	const { running } = usePage().thread.transcript.value;
	return running === undefined ? null : <Working {...running} />;
}

const ICONS: Readonly<Record<Exclude<Progress["look"], "question">, string>> = {
	working: "loading",
	agent: "bell",
	countdown: "watch",
	silent: "loading",
};

function Working({ turnId, since, steps, retry }: Running) {
	const page = usePage();
	const now = useClock(page.now);
	const waiting = { approvals: page.waiting.approvals.value, questions: page.waiting.questions.value };
	const shown = { ...page.thread.transcript.value, ...waiting };
	const { text, look } = describeProgress(shown, page.lastMessageAt, now);
	// The card asks already.
	if (look === "question") return null;
	return (
		<div class={`status ${look === "silent" ? "warning" : ""}`} data-progress={look}>
			{ICONS[look] === "loading" ? <Icon name="loading" spin="spinning" /> : <Icon name={ICONS[look]} />}
			<span>
				{text}
				{look === "countdown" && retry?.reason && <span class="quiet"> · {showInvisible(retry.reason)}</span>}
			</span>
			{look === "working" && <span class="quiet">{describeElapsed({ since, steps }, now)}</span>}
			{look === "countdown" && (
				<button type="button" class="text-button" data-action="stop" onClick={() => page.stop()}>
					{t("Stop")}
				</button>
			)}
			{look === "silent" && (
				<>
					<button
						type="button"
						class="text-button"
						data-action="retry"
						title={t("Stop and retry")}
						onClick={() => page.post({ type: "retry", turnId, stop: true })}
					>
						{t("Retry")}
					</button>
					<CommandButton command="showLog" look="text-button" />
				</>
			)}
		</div>
	);
}

function useClock(read: () => number): number {
	const [now, setNow] = useState(read);
	useEffect(() => {
		const timer = setInterval(() => setNow(read()), TICK_MS);
		return () => clearInterval(timer);
	}, []);
	return now;
}
