import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { describePolicy, namePolicy } from "../../permissions/words/policy-words.ts";
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

/** States what the agent may do, whole, and again whenever the words for it change. */
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
		// Saved rules and hosts are part of the policy and so of its digest, but are told in sections of their own.
		const { name, words } = previous.value;
		return isDeepStrictEqual(words, current.words) ? undefined : fragment.of({ ...current, before: name });
	},
});
