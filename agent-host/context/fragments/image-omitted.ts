import { defineFragment } from "../fragment.ts";

const SOURCES = {
	user: "The user attached an image here.",
	tool: "A tool returned an image here.",
};
const REASONS = {
	blind: "You do not support images; say so if it matters.",
	large: "It is too large for you to be shown; say so if it matters.",
	lost: "Its file is missing or damaged.",
};

interface OmittedImage {
	readonly from: keyof typeof SOURCES;
	readonly reason: keyof typeof REASONS;
}

/** Replaces an image that the model cannot be shown. */
export const imageOmitted = defineFragment<OmittedImage>({
	kind: "image-omitted",
	role: "user",
	tag: "image_omitted",
	origin: "host",
	maxChars: 200,
	about: "Placeholder for an image: the model does not support images or none that large, or the image is gone.",
	summary: ({ reason }) => (reason === "lost" ? "image lost" : "image left out"),
	body: ({ from, reason }) => `${SOURCES[from]} ${REASONS[reason]}`,
});

/** Every one that there is. */
export const OMITTED_IMAGES: readonly OmittedImage[] = (["user", "tool"] as const).flatMap((from) =>
	(["blind", "large", "lost"] as const).map((reason) => ({ from, reason })),
);
