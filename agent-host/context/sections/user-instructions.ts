import * as z from "zod";
import { digestValue } from "../../permissions/policy/policy.ts";
import { userInstructions as fragment } from "../fragments/user-instructions.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({
	developer: z.string(),
	files: z.array(z.object({ path: z.string(), stamp: z.string() })),
});

/** Lower bound of characters per token for instructions. */
export const CHARS_PER_TOKEN = 3;

/** States the user's instructions, replaces them in full when they change, and says when they were removed. */
export const userInstructions = defineSection({
	id: "userInstructions",
	kinds: [fragment.kind],
	snapshot: Snapshot,
	observe: ({ instructions }) => ({
		developer: instructions.developer === "" ? "" : digestValue(instructions.developer),
		files: instructions.files.map(({ path, stamp }) => ({ path, stamp })),
	}),
	render: (previous, current, { envelope: { instructions, identity } }) => {
		const isEmpty = current.developer === "" && current.files.length === 0;
		if (isEmpty && previous.state === "absent") return undefined;
		return fragment.of({
			developer: instructions.developer,
			files: instructions.files,
			maxChars: identity.budgets.instructions * CHARS_PER_TOKEN,
			state: isEmpty ? "removed" : wasTold(previous) ? "replaced" : "first",
		});
	},
});

function wasTold(previous: { readonly state: string; readonly value?: z.infer<typeof Snapshot> }): boolean {
	if (previous.value === undefined) return previous.state === "unknown";
	return previous.value.developer !== "" || previous.value.files.length > 0;
}
