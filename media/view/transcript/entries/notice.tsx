import { nameContext } from "../../../../l10n/context.ts";
import { countOf, t } from "../../../../l10n/t.ts";
import type { ContextEntry, NoticeEntry, WarningEntry } from "../../../model/thread/entry.ts";
import { showInvisible } from "../../../model/words/invisible.ts";
import { CommandButton } from "../../parts/command-button.tsx";
import { Fold } from "../../parts/fold.tsx";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";

export function Notice({ entry }: { readonly entry: NoticeEntry }) {
	return <Line icon={entry.level} text={entry.text} />;
}

/** Warnings about a thread's permissions; they offer to choose permissions again. */
const ABOUT_PERMISSIONS: ReadonlySet<string> = new Set(["permissions-unverified", "full-access-ended"]);

export function Warning({ entry }: { readonly entry: WarningEntry }) {
	if (!ABOUT_PERMISSIONS.has(entry.code)) return <Line icon="warning" text={entry.text} />;
	return (
		<div class="line warning">
			<Icon name="warning" />
			<span class="plain">{showInvisible(entry.text)}</span>
			<CommandButton command="changePermissions" look="text-button" />
		</div>
	);
}

function Line({ icon, text }: { readonly icon: "info" | "warning"; readonly text: string }) {
	return (
		<div class={`line ${icon === "warning" ? "warning" : "quiet"}`}>
			<Icon name={icon} />
			<span class="plain">{showInvisible(text)}</span>
		</div>
	);
}

/** Context of a turn whose end was not recorded; otherwise the last line of the turn holds it. */
export function ContextUpdate({ entry }: { readonly entry: ContextEntry }) {
	const summary = (
		<>
			<Icon name="eye" />
			<span class="fold-title">{nameContexts([entry])}</span>
		</>
	);
	return <Fold id={entry.key} summary={summary} draw={() => <ContextDetails entry={entry} />} />;
}

export function nameContexts(entries: readonly ContextEntry[]): string {
	const kinds = entries.flatMap(({ fragments }) => fragments.map(({ kind }) => nameContext(kind)));
	return t("Context sent: {0}", showInvisible([...new Set(kinds)].join(", ")) || t("nothing new"));
}

/** What was sent besides the conversation, and the way to its full text. */
export function ContextDetails({ entry: { turnId, scope, fragments } }: { readonly entry: ContextEntry }) {
	return (
		<>
			<Fragments fragments={fragments} />
			<ShowContextSent turnId={turnId} label={scope === "all" ? t("Show full text") : t("Show what changed")} />
		</>
	);
}

/** Opens the context that was sent, beside what was sent before. */
function ShowContextSent({ turnId, label }: { readonly turnId: string; readonly label: string }) {
	const page = usePage();
	return (
		<button
			type="button"
			class="text-button"
			data-action="showContextSent"
			onClick={() => page.post({ type: "showContextSent", turnId })}
		>
			{label}
		</button>
	);
}

function Fragments({ fragments }: Pick<ContextEntry, "fragments">) {
	return (
		<ul class="fragments">
			{fragments.map(({ kind, origin, tokens, summary }) => (
				<li key={`${kind} ${origin} ${summary}`}>
					<div class="fragment-head">
						<span>{showInvisible(kind)}</span>
						<span class="quiet">
							{t("from {0}", showInvisible(origin))} · {countOf(tokens, "{0} token", "{0} tokens")}
						</span>
					</div>
					<div class="plain quiet">{showInvisible(summary)}</div>
				</li>
			))}
		</ul>
	);
}
