import { type Message, t } from "../../../l10n/t.ts";
import type { ToolEntry } from "../../model/thread/entry.ts";
import type { PlanStep, ToolFacts } from "../../model/thread/tool-facts.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { Fold } from "../parts/fold.tsx";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

interface Props {
	readonly entry: ToolEntry;
	readonly facts: Extract<ToolFacts, { readonly kind: "plan" }>;
}

const STATES: Record<PlanStep["state"], { readonly icon: string; readonly word: Message }> = {
	done: { icon: "pass-filled", word: "Done" },
	running: { icon: "record", word: "Now" },
	open: { icon: "circle-large-outline", word: "Open" },
};

/** The model's plan: the newest one step by step; older ones, and one with nothing left to do, folded. */
export function PlanCard({ entry, facts: { steps } }: Props) {
	const { newestPlan, isRunning } = usePage().thread;
	const isFinished = !isRunning.value && steps.every(({ state }) => state === "done");
	const head = (
		<>
			<Icon name="checklist" />
			<span class="fold-title">
				{t("Plan: {0} of {1} done", steps.filter(({ state }) => state === "done").length, steps.length)}
			</span>
		</>
	);
	if (newestPlan.value !== entry.key || isFinished)
		return <Fold id={entry.key} summary={head} draw={() => <Steps steps={steps} />} />;
	return (
		<section class="plan" aria-label={t("Plan")}>
			<div class="plan-head">{head}</div>
			<Steps steps={steps} />
		</section>
	);
}

function Steps({ steps }: { readonly steps: readonly PlanStep[] }) {
	return (
		<ol class="steps">
			{steps.map(({ text, state }, index) => (
				<li key={index} class={`plan-${state}`}>
					<Icon name={STATES[state].icon} />
					<span class="sr-only">{t(STATES[state].word)}: </span>
					<span class="plain">{showInvisible(text)}</span>
				</li>
			))}
		</ol>
	);
}
