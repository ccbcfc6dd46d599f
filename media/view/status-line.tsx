import { useEffect, useState } from "preact/hooks";
import type { Transcript } from "../transcript.ts";
import { CommandButton } from "./command-button.tsx";
import { Icon } from "./icon.tsx";
import { usePage } from "./page-context.ts";

/** Silence after which the reader is told that nothing has come. */
const SILENCE_MS = 60_000;
const TICK_MS = 1_000;

/** Says that a turn runs, what it does, and for how long. */
export function StatusLine() {
	const { running } = usePage().transcript.value;
	return running === undefined ? null : <Working since={running.since} retryAt={running.retryAt ?? 0} />;
}

function Working({ since, retryAt }: { readonly since: number; readonly retryAt: number }) {
	const page = usePage();
	const now = useClock();
	const waiting = describeWaiting(page.transcript.value);
	// Whoever waits for the user has nothing to say.
	const isSilent = waiting === undefined && now - Math.max(page.heardAt, retryAt) > SILENCE_MS;
	const doing = retryAt > now ? `Trying again in ${describeTime(retryAt - now + TICK_MS - 1)}` : "Working";
	return (
		<div class={`status ${isSilent ? "warning" : ""}`}>
			{page.transcript.value.approvals.length > 0 ? <Icon name="shield" /> : <Icon name="loading" spin="spinning" />}
			<span>{isSilent ? `No reply for ${describeTime(now - page.heardAt)}` : (waiting ?? doing)}</span>
			<span class="quiet">{describeTime(now - since)}</span>
			{isSilent && <CommandButton command="showLog" look="text-button" />}
		</div>
	);
}

function describeWaiting({ approvals, compacting }: Transcript): string | undefined {
	if (approvals.length > 0) return "Waiting for you";
	if (compacting === undefined) return undefined;
	const [before, after] = [compacting.before, compacting.after].map((tokens) => tokens.toLocaleString("en-US"));
	return `Compacting ${before} → about ${after} tokens`;
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
