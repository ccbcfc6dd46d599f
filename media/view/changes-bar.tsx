import { countOf, t } from "../../l10n/t.ts";
import { showInvisible } from "../model/words/invisible.ts";
import type { ChangedFile } from "../wire.ts";
import { BuildMark } from "./parts/build-mark.tsx";
import { CommandButton } from "./parts/command-button.tsx";
import { Counts } from "./parts/counts.tsx";
import { Icon } from "./parts/icon.tsx";
import { IconAction } from "./parts/icon-action.tsx";
import { usePage } from "./parts/page-context.ts";

/** Marks the list as closed; it is open until then, because what was changed must not be hidden. */
const CLOSED = "changes closed";

/** Above the composer: the pending changes, file by file. */
export function ChangesBar() {
	const page = usePage();
	const changes = page.panel.value?.changes;
	if (changes === undefined) return null;
	const isOpen = !page.openFolds.value.has(CLOSED);
	const more = changes.files - changes.list.length;
	return (
		<div class="changes-bar" data-bar="changes">
			<div class="changes-head">
				<span class="changes-what">
					<button type="button" class="changes-title" aria-expanded={isOpen} onClick={() => page.toggleFold(CLOSED)}>
						<Icon name={isOpen ? "chevron-down" : "chevron-right"} />
						<span class="plain">
							{t(
								"{0} in {1}",
								countOf(changes.hunks, "{0} pending change", "{0} pending changes"),
								countOf(changes.files, "{0} file", "{0} files"),
							)}
						</span>
					</button>
					<BuildMark paths={changes.runWithBuild} />
				</span>
				<span class="actions">
					<CommandButton command="reviewChanges" look="text-button" />
					<CommandButton command="keepAllChanges" look="text-button" />
					<CommandButton command="rejectAllChanges" look="text-button" />
				</span>
			</div>
			{isOpen && (
				<ul class="changed-files" aria-label={t("Changed files")}>
					{changes.list.map((file) => (
						<ChangedFileRow key={file.path} file={file} />
					))}
					{more > 0 && <li class="quiet">{countOf(more, "and {0} more file", "and {0} more files")}</li>}
				</ul>
			)}
		</div>
	);
}

function ChangedFileRow({ file: { path, name, operation, added, removed } }: { readonly file: ChangedFile }) {
	const page = usePage();
	const post = (act: "open" | "keep" | "reject") => () => page.post({ type: "reviewFile", path, act });
	const shown = showInvisible(name);
	const [, folder = "", base = shown] = /^(?:(.*)[\\/])?([^\\/]+)$/.exec(shown) ?? [];
	return (
		<li class="changed-file">
			<button
				type="button"
				class={operation === "delete" ? "changed-name gone" : "changed-name"}
				title={t("Show changes in {0}", shown)}
				onClick={post("open")}
			>
				{base} <span class="quiet">{folder}</span>
			</button>
			<span class="counts">
				<Counts added={added} removed={removed} />
			</span>
			<IconAction name={t("Keep changes in {0}", shown)} icon="check" isReady={true} onClick={post("keep")} />
			<IconAction name={t("Reject changes in {0}", shown)} icon="discard" isReady={true} onClick={post("reject")} />
		</li>
	);
}
