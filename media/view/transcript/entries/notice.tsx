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

/** Context that was sent besides the conversation: the first one folded, each change as a line. */
export function ContextUpdate({ entry }: { readonly entry: ContextEntry }) {
	return entry.scope === "all" ? <FirstContext entry={entry} /> : <ContextChanges entry={entry} />;
}

function FirstContext({ entry: { key, turnId, fragments } }: { readonly entry: ContextEntry }) {
	const kinds = [...new Set(fragments.map(({ kind }) => nameContext(kind)))].join(", ");
	const summary = (
		<>
			<Icon name="eye" />
			<span class="fold-title">{t("Context sent: {0}", showInvisible(kinds) || t("nothing new"))}</span>
		</>
	);
	return (
		<Fold
			id={key}
			summary={summary}
			draw={() => (
				<>
					<Fragments fragments={fragments} />
					<ShowContextSent turnId={turnId} label={t("Show full text")} />
				</>
			)}
		/>
	);
}

function ContextChanges({ entry: { key, turnId, fragments } }: { readonly entry: ContextEntry }) {
	const summary = (
		<>
			<Icon name="settings" />
			<span class="plain">{showInvisible(fragments.map(({ summary }) => summary).join(" · "))}</span>
		</>
	);
	return (
		<div class="changes">
			<Fold id={key} summary={summary} draw={() => <Fragments fragments={fragments} />} />
			<ShowContextSent turnId={turnId} label={t("Show what changed")} />
		</div>
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
