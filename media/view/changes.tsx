import type { ChangesEntry, RestoredEntry } from "../entry.ts";
import { CommandButton } from "./command-button.tsx";
import { Icon } from "./icon.tsx";
import { showInvisible } from "./invisible.ts";
import { usePage } from "./page-context.ts";
import { countOf } from "./text.ts";

/** Under a turn: how many files it changed, and the way to look at that or to take it back. */
export function ChangedFiles({ entry: { turnId, files, paths } }: { readonly entry: ChangesEntry }) {
	const page = usePage();
	const more = files > paths.length ? `\nand ${countOf(files - paths.length, "more file")}` : "";
	return (
		<div class="line quiet" title={showInvisible(paths.join("\n") + more)}>
			<Icon name="diff-multiple" />
			<span class="plain">{countOf(files, "file")} changed</span>
			<CommandButton command="reviewChanges" look="text-button" />
			<button
				type="button"
				class="text-button"
				data-action="undoFiles"
				disabled={page.isRunning.value}
				onClick={() => page.undoFiles(turnId)}
			>
				Undo
			</button>
		</div>
	);
}

export function RestoredFiles({ entry: { files, redone } }: { readonly entry: RestoredEntry }) {
	const what = countOf(files, "file");
	return (
		<div class="line quiet">
			<Icon name={redone ? "redo" : "discard"} />
			<span class="plain">{redone ? `Restore taken back: ${what}` : `${what} restored`}</span>
		</div>
	);
}

/** Above the composer, while changes wait to be judged. */
export function OpenChanges() {
	const changes = usePage().panel.value?.changes;
	if (changes === undefined) return null;
	return (
		<div class="changes-bar" data-bar="changes">
			<span class="plain">
				{countOf(changes.hunks, "open change")} in {countOf(changes.files, "file")}
			</span>
			<span class="actions">
				<CommandButton command="reviewChanges" look="text-button" />
				<CommandButton command="keepAllChanges" look="text-button" />
				<CommandButton command="rejectAllChanges" look="text-button" />
			</span>
		</div>
	);
}
