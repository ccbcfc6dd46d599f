import { useEffect, useRef, useState } from "preact/hooks";
import { questionOf, subjectInShort } from "../approval/words.ts";
import type { Transcript } from "../transcript.ts";
import { showInvisible } from "./invisible.ts";
import { usePage } from "./page-context.ts";

/** Tells screen readers when a turn begins and how it ended; the text itself is read on demand. */
export function Announcer() {
	const page = usePage();
	const transcript = page.transcript.value;
	const isRunning = transcript.running !== undefined;
	const wasRunning = useRef(isRunning);
	const [said, setSaid] = useState("");
	useEffect(() => {
		if (wasRunning.current === isRunning) return;
		wasRunning.current = isRunning;
		if (!page.loading.peek()) setSaid(isRunning ? "Vitrine is working." : describeEnd(transcript));
	}, [isRunning]);
	const asked = transcript.approvals.at(-1);
	useEffect(() => {
		if (asked) setSaid(`Vitrine asks: ${questionOf(asked.request.subject)} ${subjectInShort(asked.request.subject)}`);
	}, [asked]);
	return (
		<div class="sr-only" role="status">
			{showInvisible(said)}
		</div>
	);
}

function describeEnd({ entries }: Transcript): string {
	const last = entries.at(-1);
	if (last?.kind !== "turnEnd") return "Vitrine has answered.";
	return last.status === "failed" ? `The turn failed. ${last.error?.message ?? ""}` : "Stopped.";
}
