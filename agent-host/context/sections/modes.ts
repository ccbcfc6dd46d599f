import * as z from "zod";
import { CollaborationMode, Personality } from "../../protocol/settings/settings.ts";
import { modelSwitch } from "../fragments/model-switch.ts";
import * as fragments from "../fragments/modes.ts";
import { defineSection } from "../section.ts";

/** Stated if it is not the default, and on every change, including back to the default. */
export const collaborationMode = defineSection({
	id: "collaborationMode",
	kinds: [fragments.collaborationMode.kind],
	snapshot: CollaborationMode,
	observe: ({ modes }) => modes.collaboration,
	render: (previous, mode, { envelope: { capabilities } }) => {
		if (previous.state === "absent" && mode === "default") return undefined;
		const isReviewed = previous.state === "known" && previous.value === "review";
		const { tools } = capabilities;
		const offered = {
			offersCommands: tools.includes("run_command"),
			offersFindings: tools.includes("report_findings"),
		};
		return fragments.collaborationMode.of({ mode, ...offered, ...(isReviewed && { ended: "review" as const }) });
	},
});

/** Stated when it is on, and when it is switched on or off. */
export const realtime = defineSection({
	id: "realtime",
	kinds: [fragments.realtime.kind],
	snapshot: z.boolean(),
	observe: ({ modes }) => modes.realtime,
	render: (previous, active) =>
		previous.state === "absent" && !active ? undefined : fragments.realtime.of({ active }),
});

/** Stated if it is not the default; a model switch includes it, so it is not stated twice. */
export const personality = defineSection({
	id: "personality",
	kinds: [fragments.personality.kind, modelSwitch.kind],
	snapshot: Personality,
	observe: ({ modes }) => modes.personality,
	render: (previous, personality, { spoken }) => {
		if (spoken.has("model")) return undefined;
		return previous.state === "absent" && personality === "default"
			? undefined
			: fragments.personality.of({ personality });
	},
});

/** Stated if set, and on every change; a model switch includes it, so it is not stated twice. */
export const effort = defineSection({
	id: "effort",
	kinds: [fragments.reasoningEffort.kind, modelSwitch.kind],
	snapshot: z.string().nullable(),
	observe: ({ identity }) => identity.request.reasoningEffort ?? null,
	render: (previous, effort, { spoken }) => {
		if (spoken.has("model")) return undefined;
		return previous.state === "absent" && effort === null ? undefined : fragments.reasoningEffort.of({ effort });
	},
});
