import { defineFragment } from "../fragment.ts";

const REASONS = {
	blind: "The user attached an image here. You do not support images; say so if it matters.",
	lost: "The user attached an image here. Its file is missing or damaged.",
};

/** Replaces an image that the model cannot be shown. */
export const imageOmitted = defineFragment<{ readonly reason: keyof typeof REASONS }>({
	kind: "image-omitted",
	role: "user",
	tag: "image_omitted",
	origin: "host",
	maxChars: 200,
	about: "Placeholder for a user image: the model does not support images, or the image is gone.",
	summary: ({ reason }) => (reason === "blind" ? "image left out" : "image lost"),
	body: ({ reason }) => REASONS[reason],
});
