import { defineFragment } from "../fragment.ts";

export interface ModelSwitch {
	readonly from: string;
	readonly to: string;
	readonly images: boolean;
	readonly effort: string | undefined;
	/** The tone, in words. A model switch includes it, so that it is not stated twice. */
	readonly personality: string;
}

/** Tells a model that it continues another model's thread: what it takes over and what no longer applies. */
export const modelSwitch = defineFragment<ModelSwitch>({
	kind: "model-switch",
	role: "developer",
	tag: "model_switch",
	origin: "host",
	maxChars: 4_000,
	about: "Another model continues the thread; always first in a diff.",
	summary: ({ from, to }) => `model: ${from} → ${to}`,
	attributes: ({ from, to }) => ({ from, to }),
	body: ({ from, images, effort, personality }) =>
		[
			`You are continuing a conversation started by another model (${from}). Everything above was said and done; continue from there.`,
			"Guidance specific to the other model no longer applies; the base instructions, the permissions and the user's instructions do.",
			images ? "You can view images." : "Images in the conversation are replaced with a note.",
			effort === undefined ? undefined : `Reasoning effort: ${effort}.`,
			personality,
		]
			.filter((line) => line !== undefined)
			.join("\n"),
});
