import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { describePolicy, namePolicy } from "../../permissions/words/policy-words.ts";
import { permissions as fragment } from "../fragments/permissions.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({
	name: z.string(),
	digest: z.string(),
	/** The text as it was stated, so that a policy with the same text is not stated twice. */
	words: z.object({
		mode: z.string(),
		files: z.array(z.string()),
		commands: z.string(),
		network: z.string(),
		approval: z.string(),
		managed: z.string().optional(),
	}),
});

/** States the permissions in full, and again whenever their text changes. */
export const permissions = defineSection({
	id: "permissions",
	kinds: [fragment.kind],
	snapshot: Snapshot,
	observe: ({ policy }) => {
		const words = describePolicy(policy.value);
		return { name: namePolicy(policy.value), digest: policy.digest, words: { ...words, files: [...words.files] } };
	},
	render: (previous, current) => {
		if (previous.state !== "known") {
			return fragment.of({ ...current, before: previous.state === "absent" ? undefined : "unknown" });
		}
		// Saved rules and hosts are part of the policy and its digest, but have their own sections.
		const { name, words } = previous.value;
		return isDeepStrictEqual(words, current.words) ? undefined : fragment.of({ ...current, before: name });
	},
});
