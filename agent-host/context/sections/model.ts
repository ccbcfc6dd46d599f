import * as z from "zod";
import { modelSwitch } from "../fragments/model-switch.ts";
import { PERSONALITY_WORDS } from "../fragments/modes.ts";
import { defineSection } from "../section.ts";

const Snapshot = z.object({ provider: z.string(), model: z.string() });

/** Says nothing at the start; after a model change its text comes first. */
export const model = defineSection({
	id: "model",
	kinds: [modelSwitch.kind],
	snapshot: Snapshot,
	observe: ({ identity }) => ({ provider: identity.provider, model: identity.model }),
	render: (previous, current, { envelope: { identity, modes } }) =>
		previous.state === "absent"
			? undefined
			: modelSwitch.of({
					from: previous.state === "known" ? previous.value.model : "another model",
					to: current.model,
					images: identity.abilities.images,
					effort: identity.request.reasoningEffort,
					personality: PERSONALITY_WORDS[modes.personality],
				}),
});
