import * as z from "zod";
import type { Fragment } from "../fragment.ts";
import { editorContext as fragment } from "../fragments/editor-context.ts";
import { changedFields, defineSection } from "../section.ts";

const Snapshot = z.object({
	activeFile: z.string().nullable(),
	selection: z.object({ path: z.string(), from: z.number(), to: z.number(), text: z.string() }).nullable(),
	openFiles: z.array(z.string()),
	unsavedFiles: z.array(z.string()),
	problems: z.array(z.object({ path: z.string(), line: z.number(), message: z.string() })),
	files: z.array(z.string()),
	excerpts: z.array(z.object({ title: z.string(), text: z.string(), server: z.string().optional() })),
});
type Snapshot = z.infer<typeof Snapshot>;

/** Speaks only in a turn with editor attachments, and then about what changed since the last one. */
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
					files: [...editor.files],
					excerpts: editor.excerpts.map((excerpt) => ({ ...excerpt })),
				},
	render: (previous, current) => {
		if (previous.state !== "known") return renderIfAny(current, [], "all");
		const changed = changedFields(previous.value, current);
		const gone = LASTING.filter((field) => Object.hasOwn(changed, field) && isEmpty(changed[field]));
		return renderIfAny(changed, gone, "changed");
	},
});

/** What the model assumes until told otherwise. Attachments for one turn expire with it. */
const LASTING = ["activeFile", "openFiles", "unsavedFiles", "problems"] as const satisfies readonly (keyof Snapshot)[];

function renderIfAny(
	snapshot: Partial<Snapshot>,
	gone: readonly (typeof LASTING)[number][],
	said: "all" | "changed",
): Fragment | undefined {
	const editor = Object.fromEntries(Object.entries(snapshot).filter(([, value]) => !isEmpty(value)));
	if (Object.keys(editor).length === 0 && gone.length === 0) return undefined;
	return fragment.of({ editor, gone, changed: said === "changed" });
}

function isEmpty(value: unknown): boolean {
	return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
