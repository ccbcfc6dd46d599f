import { Fragment } from "preact";
import { useEffect } from "preact/hooks";
import type { PatchedFile } from "../../../agent-host/protocol/thread/patched-files.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";
import type { ToolEntry } from "../../model/thread/entry.ts";
import type { ToolFacts } from "../../model/thread/tool-facts.ts";
import { showExactly, showInvisible } from "../../model/words/invisible.ts";
import { describeCut } from "../../model/words/text.ts";
import { Counts } from "../parts/counts.tsx";
import { DiffLines } from "../parts/diff-lines.tsx";
import { Fold } from "../parts/fold.tsx";
import { usePage } from "../parts/page-context.ts";
import { AskedDetails, awaitsAnswer, isDenied } from "./asked.tsx";
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
	const wasDenied = isDenied(entry);
	const sum = (key: "added" | "removed"): number => files.reduce((total, file) => total + file[key], 0);
	const name = first === undefined ? t("Patch") : `${t(VERBS[first.operation])} ${first.path}`;
	const more = others.length === 0 ? undefined : countOf(others.length, "{0} more file", "{0} more files");
	const summary = (
		<>
			<StatusMark status={entry.status} icon="edit" isAsking={awaitsAnswer(entry)} wasDenied={wasDenied} />
			<span class="fold-title strong">{showExactly(more === undefined ? name : t("{0} and {1}", name, more))}</span>
			<span class="fold-note counts">
				<Counts added={sum("added")} removed={sum("removed")} />
			</span>
			{(entry.status === "failed" || entry.status === "interrupted") && (
				<span class="fold-note state" aria-hidden="true">
					{wasDenied ? t("denied") : t(STATUS[entry.status].note)}
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
					<AskedDetails entry={entry} />
					{entry.cut === undefined ? <Diffs patch={patch} files={files} /> : <UnreadDiffs entry={entry} />}
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

/** Only the beginning of a long patch has been sent; the rest is read when somebody wants to see it. */
function UnreadDiffs({ entry }: { readonly entry: ToolEntry }) {
	const page = usePage();
	useEffect(() => page.readPatch(entry), [entry.cut?.seq]);
	return <p class="quiet">{t("Loading…")}</p>;
}

/** The diff of each file, under its name unless it is the only one, which the line above names. */
function Diffs({ patch, files }: { readonly patch: string; readonly files: readonly PatchedFile[] }) {
	// What cannot be read as a patch is shown as it is.
	if (files.length === 0) return <Diff label={t("Patch")} text={patch} />;
	return (
		<>
			{files.map((file, index) => (
				<Fragment key={index}>
					{files.length > 1 && <FileHead file={file} />}
					{file.diff !== "" && <Diff label={showExactly(file.path)} text={file.diff} />}
				</Fragment>
			))}
		</>
	);
}

function Diff({ label, text }: { readonly label: string; readonly text: string }) {
	return (
		<>
			<div class="code">
				{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
				<section class="output" tabIndex={0} aria-label={label}>
					<DiffLines text={text.slice(0, SHOWN_PATCH_CHARS)} />
				</section>
			</div>
			{text.length > SHOWN_PATCH_CHARS && <p class="quiet">{describeCut(text.length - SHOWN_PATCH_CHARS)}</p>}
		</>
	);
}

function FileHead({ file: { path, movedTo, operation, added, removed } }: { readonly file: PatchedFile }) {
	return (
		<div class="file-head">
			<span class="quiet">{t(VERBS[operation])} </span>
			{showExactly(movedTo === undefined ? path : `${path} → ${movedTo}`)} <Counts added={added} removed={removed} />
		</div>
	);
}
