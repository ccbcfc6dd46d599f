import * as z from "zod";
import type { InstructionFile, TurnEnvelope } from "../../envelope/envelope.ts";
import { folderInstructions as fragment } from "../fragments/folder-instructions.ts";
import { defineSection } from "../section.ts";
import { CHARS_PER_TOKEN } from "./user-instructions.ts";

const Snapshot = z.array(z.object({ path: z.string(), stamp: z.string() }));

/** States the instructions of folders when they begin to count, and what changed in them since. */
export const folderInstructions = defineSection({
	id: "folderInstructions",
	kinds: [fragment.kind],
	snapshot: Snapshot,
	observe: ({ instructions }) => instructions.nested.files.map(({ path, stamp }) => ({ path, stamp })),
	render: (previous, current, { envelope }) => {
		if (current.length === 0 && previous.state === "absent") return undefined;
		const before = previous.state === "known" ? previous.value : [];
		const files = fitFiles(envelope).map((file) => ({
			...file,
			isChanged: before.some(({ path, stamp }) => path === file.path && stamp !== file.stamp),
		}));
		return fragment.of({
			files: files.filter(({ path, stamp }) => !before.some((one) => one.path === path && one.stamp === stamp)),
			removed: before.filter(({ path }) => !files.some((file) => file.path === path)).map(({ path }) => path),
			isWhole: previous.state === "unknown",
		});
	},
});

/** What the other instructions leave of their budget, file by file. */
function fitFiles({
	instructions: { developer, files, nested },
	identity: { budgets },
}: TurnEnvelope): readonly (InstructionFile & { readonly maxChars: number })[] {
	const used = files.reduce((sum, { text }) => sum + text.length, developer.length);
	let left = Math.max(0, budgets.instructions * CHARS_PER_TOKEN - used);
	return nested.files.map((file) => {
		const maxChars = left;
		left = Math.max(0, left - file.text.length);
		return { ...file, maxChars };
	});
}
