import type { ContextEntry, NoticeEntry, WarningEntry } from "../entry.ts";
import { Fold } from "./fold.tsx";
import { Icon } from "./icon.tsx";
import { showInvisible } from "./invisible.ts";
import { countOf } from "./text.ts";

export function Notice({ entry }: { readonly entry: NoticeEntry }) {
	return <Line icon={entry.level} text={entry.text} />;
}

export function Warning({ entry }: { readonly entry: WarningEntry }) {
	return <Line icon="warning" text={entry.text} />;
}

function Line({ icon, text }: { readonly icon: "info" | "warning"; readonly text: string }) {
	return (
		<div class={`line ${icon === "warning" ? "warning" : "quiet"}`}>
			<Icon name={icon} />
			<span class="plain">{showInvisible(text)}</span>
		</div>
	);
}

/** Says what the model was told besides the conversation, and shows it piece by piece when opened. */
export function ContextUpdate({ entry: { key, fragments } }: { readonly entry: ContextEntry }) {
	const kinds = [...new Set(fragments.map(({ kind }) => kind))].join(", ");
	const summary = (
		<>
			<Icon name="eye" />
			<span class="fold-title">Told the model: {showInvisible(kinds) || "nothing new"}</span>
		</>
	);
	return <Fold id={key} summary={summary} draw={() => <Fragments fragments={fragments} />} />;
}

function Fragments({ fragments }: Pick<ContextEntry, "fragments">) {
	return (
		<ul class="fragments">
			{fragments.map(({ kind, origin, tokens, summary }) => (
				<li key={`${kind} ${origin} ${summary}`}>
					<div class="fragment-head">
						<span>{showInvisible(kind)}</span>
						<span class="quiet">
							from {showInvisible(origin)} · {countOf(tokens, "token")}
						</span>
					</div>
					<div class="plain quiet">{showInvisible(summary)}</div>
				</li>
			))}
		</ul>
	);
}
