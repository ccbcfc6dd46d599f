import * as z from "zod";
import { changedFields } from "../changed-fields.ts";
import { editorContext as fragment } from "../fragments/editor-context.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({
	activeFile: z.string().nullable(),
	selection: z.object({ path: z.string(), from: z.number(), to: z.number(), text: z.string() }).nullable(),
	openFiles: z.array(z.string()),
	unsavedFiles: z.array(z.string()),
	problems: z.array(z.object({ path: z.string(), line: z.number(), message: z.string() })),
});
type Snapshot = z.infer<typeof Snapshot>;

/** Speaks only in a turn that attached something of the editor, and then of what changed since the last one. */
export const editorContext = defineSection<Snapshot>({
	id: "editorContext",
	kinds: [fragment.kind],
	snapshot: Snapshot,
	observe: ({ workspace: { editor } }) =>
		editor === undefined
			? undefined
			: {
					activeFile: editor.activeFile ?? null,
					selection: editor.selection === undefined ? null : { ...editor.selection },
					openFiles: [...editor.openFiles],
					unsavedFiles: [...editor.unsavedFiles],
					problems: editor.problems.map((problem) => ({ ...problem })),
				},
	render: (previous, current) => {
		const said = previous.state === "known" ? changedFields(previous.value, current) : current;
		return fragment.of({ editor: withoutNulls(said), changed: previous.state === "known" });
	},
});

// A selection that was dropped is not worth a word: the turn that asked about it is over.
function withoutNulls(snapshot: Partial<Snapshot>): object {
	return Object.fromEntries(Object.entries(snapshot).filter(([, value]) => value !== null));
}
