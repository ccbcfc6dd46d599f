import { countOf, type Message, t } from "../../../l10n/t.ts";
import type { ToolEntry } from "../../model/thread/entry.ts";
import type { PatchedFile, ToolFacts } from "../../model/thread/tool-facts.ts";
import { showExactly, showInvisible } from "../../model/words/invisible.ts";
import { describeCut } from "../../model/words/text.ts";
import { Counts } from "../parts/counts.tsx";
import { DiffLines } from "../parts/diff-lines.tsx";
import { Fold } from "../parts/fold.tsx";
import { STATUS, StatusMark } from "./status-mark.tsx";
import { WhyUnasked } from "./why-unasked.tsx";

interface Props {
	readonly entry: ToolEntry;
	readonly facts: Extract<ToolFacts, { readonly kind: "patch" }>;
}

const VERBS: Record<PatchedFile["operation"], Message> = { add: "Add", update: "Edit", delete: "Delete" };

/** A patch: its files with added and removed lines; the diff is behind the fold. */
export function PatchCard({ entry, facts: { patch, files } }: Props) {
	const [first, ...others] = files;
	const sum = (key: "added" | "removed"): number => files.reduce((total, file) => total + file[key], 0);
	const name = first === undefined ? t("Patch") : `${t(VERBS[first.operation])} ${first.path}`;
	const more = others.length === 0 ? undefined : countOf(others.length, "{0} more file", "{0} more files");
	const summary = (
		<>
			<StatusMark status={entry.status} />
			<span class="fold-title">{showExactly(more === undefined ? name : t("{0} and {1}", name, more))}</span>
			<span class="fold-note counts">
				<Counts added={sum("added")} removed={sum("removed")} />
			</span>
			{(entry.status === "failed" || entry.status === "interrupted") && (
				<span class="fold-note" aria-hidden="true">
					{t(STATUS[entry.status].note)}
				</span>
			)}
		</>
	);
	return (
		<Fold
			id={entry.key}
			summary={summary}
			draw={() => (
				<>
					<WhyUnasked entry={entry} />
					{files.length > 1 && <Files files={files} />}
					<div class="code">
						{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
						<section class="output" tabIndex={0} aria-label={t("Patch")}>
							<DiffLines text={patch.slice(0, SHOWN_PATCH_CHARS)} />
						</section>
					</div>
					{patch.length > SHOWN_PATCH_CHARS && <p class="quiet">{describeCut(patch.length - SHOWN_PATCH_CHARS)}</p>}
					{entry.status !== "running" && entry.output !== "" && (
						<div class="plain quiet">{showInvisible(entry.output.slice(0, SHOWN_RESULT_CHARS))}</div>
					)}
				</>
			)}
		/>
	);
}

const SHOWN_PATCH_CHARS = 100_000;
const SHOWN_RESULT_CHARS = 4_000;

function Files({ files }: { readonly files: readonly PatchedFile[] }) {
	return (
		<ul class="targets" aria-label={t("Files")}>
			{files.map(({ path, movedTo, operation, added, removed }) => (
				<li key={path}>
					<span class="quiet">{t(VERBS[operation])} </span>
					{showExactly(movedTo === undefined ? path : `${path} → ${movedTo}`)}{" "}
					<Counts added={added} removed={removed} />
				</li>
			))}
		</ul>
	);
}
