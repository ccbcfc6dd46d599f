import { useEffect, useState } from "preact/hooks";
import { CommandButton } from "./command-button.tsx";
import { Icon } from "./icon.tsx";
import { usePage } from "./page-context.ts";

/** Silence after which the reader is told that nothing has come. */
const SILENCE_MS = 60_000;
const TICK_MS = 1_000;

/** Says that a turn runs and for how long. */
export function StatusLine() {
	const page = usePage();
	const { running } = page.transcript.value;
	return running === undefined ? null : <Working since={running.since} retryAt={running.retryAt ?? 0} />;
}

function Working({ since, retryAt }: { readonly since: number; readonly retryAt: number }) {
	const { heardAt } = usePage();
	const now = useClock();
	const isSilent = now - Math.max(heardAt, retryAt) > SILENCE_MS;
	const doing = retryAt > now ? `Trying again in ${describeTime(retryAt - now + TICK_MS - 1)}` : "Working";
	return (
		<div class={`status ${isSilent ? "warning" : ""}`}>
			<Icon name="loading" spin="spinning" />
			<span>{isSilent ? `No reply for ${describeTime(now - heardAt)}` : doing}</span>
			<span class="quiet">{describeTime(now - since)}</span>
			{isSilent && <CommandButton command="showLog" look="text-button" />}
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

function describeTime(ms: number): string {
	const seconds = Math.max(0, Math.floor(ms / 1_000));
	const minutes = Math.floor(seconds / 60);
	if (minutes < 1) return `${seconds} s`;
	return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
