import { defineFragment } from "../fragment.ts";

export interface ModelSwitch {
	readonly from: string;
	readonly to: string;
	readonly images: boolean;
	readonly effort: string | undefined;
	/** The tone, in words: a switch carries it, so that it is not said twice. */
	readonly personality: string;
}

/** That another model goes on with the thread: what it takes over and what no longer counts. */
export const modelSwitch = defineFragment<ModelSwitch>({
	kind: "model-switch",
	role: "developer",
	tag: "model_switch",
	origin: "host",
	maxChars: 4_000,
	about: "Another model goes on with the thread; always the first words of a diff.",
	summary: ({ from, to }) => `model: ${from} → ${to}`,
	attributes: ({ from, to }) => ({ from, to }),
	body: ({ from, images, effort, personality }) =>
		[
			`You go on with a conversation that another model (${from}) began. What is above is what was said and done; continue from there.`,
			"Guidance that was given to the other model alone no longer counts; the base instructions, the permissions and the user's instructions do.",
			images ? "You can be shown images." : "Images in the conversation are replaced by a note.",
			effort === undefined ? undefined : `Reasoning effort: ${effort}.`,
			personality,
		]
			.filter((line) => line !== undefined)
			.join("\n"),
});
