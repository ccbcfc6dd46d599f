import { defineFragment } from "../fragment.ts";

const REASONS = {
	blind: "The user attached an image here. You do not support images; say so if it matters.",
	large: "The user attached an image here. It is too large for you to be shown; say so if it matters.",
	lost: "The user attached an image here. Its file is missing or damaged.",
};

/** Replaces an image that the model cannot be shown. */
export const imageOmitted = defineFragment<{ readonly reason: keyof typeof REASONS }>({
	kind: "image-omitted",
	role: "user",
	tag: "image_omitted",
	origin: "host",
	maxChars: 200,
	about: "Placeholder for a user image: the model does not support images or none that large, or the image is gone.",
	summary: ({ reason }) => (reason === "lost" ? "image lost" : "image left out"),
	body: ({ reason }) => REASONS[reason],
});
