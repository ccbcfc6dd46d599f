import type { TurnErrorCode } from "../../../../agent-host/protocol/thread/events.ts";
import { sayHost } from "../../../../l10n/host-words.ts";
import { amountOf, describeReached, nextLimit } from "../../../../l10n/limit-words.ts";
import { describeQuestion } from "../../../../l10n/question-words.ts";
import { t } from "../../../../l10n/t.ts";
import type { TurnEndEntry } from "../../../model/thread/entry.ts";
import { showInvisible } from "../../../model/words/invisible.ts";
import type { PanelCommand } from "../../../wire.ts";
import { CommandButton } from "../../parts/command-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";
import { TurnSummary } from "./turn-summary.tsx";

export function TurnEnd({ entry }: { readonly entry: TurnEndEntry }) {
	return (
		<>
			{entry.status === "failed" ? <Failure entry={entry} /> : <Interruption entry={entry} />}
			<TurnSummary id={entry.key} facts={entry.facts} />
		</>
	);
}

/** Without an error, the user stopped the turn. */
function Interruption({ entry: { turnId, error } }: { readonly entry: TurnEndEntry }) {
	return (
		<div class="line quiet">
			<Icon name="circle-slash" />
			<span class="plain">{error ? showInvisible(t("Interrupted. {0}", sayHost(error))) : t("Stopped")}</span>
			<RetryButton turnId={turnId} look="text-button" />
		</div>
	);
}

/** What helps besides Retry. A thread that is too long will not fit the second time either. */
const REMEDIES: Record<TurnErrorCode, readonly (PanelCommand | "retry")[]> = {
	auth: ["setUpModel", "retry"],
	"rate-limit": ["retry"],
	network: ["retry", "showLog"],
	"model-not-found": ["setUpModel", "retry"],
	"model-not-set-up": ["setUpModel", "retry"],
	"context-too-long": ["newThread"],
	budget: ["openSettings", "retry"],
	loop: ["retry"],
	"bad-request": ["retry", "showLog"],
	server: ["retry", "showLog"],
	"bad-stream": ["retry", "showLog"],
	hook: ["retry"],
	storage: ["retry", "showLog"],
	"host-ended": ["retry"],
	internal: ["retry", "showLog"],
};

/** For a limit that can be raised here; a spending limit cannot while the price is unknown. */
const AT_LIMIT = ["raiseToNextLimit", "raiseLimit", "openSettings"] as const;

function Failure({ entry }: { readonly entry: TurnEndEntry }) {
	const { turnId, error } = entry;
	const page = usePage();
	// A newer host may know more codes than this page.
	const canRaise = error?.limit !== undefined && error.limit.scope !== "tree";
	const known = canRaise ? AT_LIMIT : error && REMEDIES[error.code];
	const remedies = known ?? REMEDIES.internal;
	const isLimit = error?.code === "budget";
	// What came later has settled it: the reason stays, the buttons would act on something else.
	const isPast = page.thread.transcript.value.entries.at(-1)?.turnId !== turnId;
	if (isPast) return <PastFailure entry={entry} />;
	return (
		<div class={isLimit ? "failure limit" : "failure"}>
			<Icon name={isLimit ? "debug-pause" : "error"} />
			<div class="failure-text">
				<div class="plain">{showInvisible(describeError(error))}</div>
				<div class="actions">
					{remedies.map((remedy, index) => {
						const look = index === 0 ? "button" : "text-button";
						// On an older turn it would raise a limit that no longer stops anything.
						if (RAISES.has(remedy) && page.thread.retryable.value !== turnId) return null;
						if (remedy === "retry") return <RetryButton key={remedy} turnId={turnId} look={look} />;
						const label = remedy === "raiseToNextLimit" ? { label: describeRaise(error) } : {};
						return <CommandButton key={remedy} command={remedy} look={look} {...label} />;
					})}
				</div>
			</div>
		</div>
	);
}

function PastFailure({ entry: { error } }: { readonly entry: TurnEndEntry }) {
	return (
		<div class="line quiet">
			<Icon name="error" />
			<span class="plain">{showInvisible(describeError(error))}</span>
		</div>
	);
}

/** Translated if the facts were recorded. */
function describeError(error: TurnEndEntry["error"]): string {
	if (error?.repeated !== undefined) return describeQuestion({ kind: "loop", ...error.repeated });
	if (error?.limit !== undefined) return describeReached(error.limit);
	return error ? sayHost(error) : t("The turn failed and no reason was recorded.");
}

const RAISES = new Set<PanelCommand | "retry">(["raiseToNextLimit", "raiseLimit"]);

function describeRaise(error: TurnEndEntry["error"]): string {
	return error?.limit === undefined ? "" : t("Raise to {0}", amountOf(error.limit.unit, nextLimit(error.limit)));
}

function RetryButton({ turnId, look }: { readonly turnId: string; readonly look: "button" | "text-button" }) {
	const page = usePage();
	if (page.thread.retryable.value !== turnId) return null;
	return (
		<button type="button" class={look} data-action="retry" onClick={() => page.post({ type: "retry", turnId })}>
			{t("Retry")}
		</button>
	);
}
