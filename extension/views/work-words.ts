import { countOf, t } from "../../l10n/t.ts";

/** What goes on in this window's threads. */
export interface Work {
	/** Pending ones, over all threads and sub-agents. */
	readonly approvals: number;
	readonly questions: number;
	/** Running turns. */
	readonly running: number;
	/** How the last turn ended, if nobody saw it. */
	readonly ended: "done" | "failed" | undefined;
}

/** The status bar item for it; what needs the user goes first. Undefined if there is nothing to say. */
export function describeWork({
	approvals,
	questions,
	running,
	ended,
}: Work): { text: string; tooltip: string } | undefined {
	if (approvals + questions > 0) {
		const text =
			questions === 0
				? countOf(approvals, "{0} approval needed", "{0} approvals needed")
				: countOf(approvals + questions, "{0} answer needed", "{0} answers needed");
		return { text: `$(bell-dot) ${text}`, tooltip: t("Vitrine needs your answer. Click to show the Activity view.") };
	}
	if (running > 0) {
		const tooltip = countOf(running, "Vitrine is working on {0} turn.", "Vitrine is working on {0} turns.");
		return { text: `$(loading~spin) ${t("Vitrine: Working")}`, tooltip };
	}
	if (ended === "failed") return { text: `$(error) ${t("Vitrine: Failed")}`, tooltip: t("A turn failed.") };
	if (ended === "done") return { text: `$(check) ${t("Vitrine: Done")}`, tooltip: t("Vitrine has answered.") };
	return undefined;
}
