import * as z from "zod";
import { describePolicy, namePolicy } from "../../permissions/words.ts";
import { permissions as fragment } from "../fragments/permissions.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({
	name: z.string(),
	digest: z.string(),
	/** The words told, so that a policy that reads the same is not told twice. */
	words: z.object({
		mode: z.string(),
		files: z.array(z.string()),
		commands: z.string(),
		network: z.string(),
		approval: z.string(),
	}),
});

/** States what the agent may do, whole, and again whenever it changes. */
export const permissions = defineSection({
	id: "permissions",
	kinds: [fragment.kind],
	snapshot: Snapshot,
	observe: ({ policy }) => {
		const words = describePolicy(policy.value);
		return { name: namePolicy(policy.value), digest: policy.digest, words: { ...words, files: [...words.files] } };
	},
	render: (previous, current) =>
		fragment.of({
			...current,
			before: previous.state === "absent" ? undefined : previous.state === "known" ? previous.value.name : "unknown",
		}),
});
