import { countOf, t } from "../../../../l10n/t.ts";
import type { ChangesEntry, RestoredEntry, RolledBackEntry } from "../../../model/thread/entry.ts";
import { showPath } from "../../../model/words/invisible.ts";
import { BuildMark } from "../../parts/build-mark.tsx";
import { CommandButton } from "../../parts/command-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";

/** At the end of a turn: how many files it changed, with review and undo. */
export function ChangedFiles({ entry: { turnId, files, paths, runWithBuild } }: { readonly entry: ChangesEntry }) {
	const page = usePage();
	const more =
		files > paths.length ? `\n${countOf(files - paths.length, "and {0} more file", "and {0} more files")}` : "";
	return (
		<div class="line quiet" title={paths.map(showPath).join("\n") + more}>
			<Icon name="diff-multiple" />
			<span class="plain">{countOf(files, "{0} file changed", "{0} files changed")}</span>
			<BuildMark paths={[...new Set(runWithBuild.map(baseName))]} />
			<CommandButton command="reviewChanges" look="text-button" />
			<button
				type="button"
				class="text-button"
				data-action="undoFiles"
				disabled={page.thread.isRunning.value}
				onClick={() => page.post({ type: "undoFiles", turnId })}
			>
				{t("Undo")}
			</button>
		</div>
	);
}

function baseName(path: string): string {
	return path.split(/[\\/]/).at(-1) ?? path;
}

export function RestoredFiles({ entry: { key, files, redone } }: { readonly entry: RestoredEntry }) {
	const what = countOf(files, "{0} file", "{0} files");
	return (
		<div class="line quiet">
			<Icon name={redone ? "redo" : "discard"} />
			<span class="plain">
				{redone ? t("Restore undone: {0}", what) : t("{0} restored", what)} <UndoRestore entryKey={key} />
			</span>
		</div>
	);
}

export function RolledBack({ entry: { key, turns, files } }: { readonly entry: RolledBackEntry }) {
	const removed = countOf(turns, "{0} turn removed", "{0} turns removed");
	const restored = countOf(files, "{0} file restored", "{0} files restored");
	return (
		<div class="line quiet">
			<Icon name="discard" />
			<span class="plain">
				{files === 0 ? removed : t("{0}, {1}", removed, restored)} <UndoRestore entryKey={key} />
			</span>
		</div>
	);
}

/** Only on the newest of these lines: the last restore is undone first. */
function UndoRestore({ entryKey }: { readonly entryKey: string }) {
	if (usePage().thread.undoRow.value !== entryKey) return null;
	return <CommandButton command="undoRestore" look="text-button" />;
}
