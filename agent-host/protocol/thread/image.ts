import * as z from "zod";
import { ThreadId } from "../ids.ts";
import { defineMethod } from "../method.ts";

/** Image types that models read. SVG is excluded: it can contain code. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export const ImageType = z.enum(IMAGE_TYPES);
export type ImageType = z.infer<typeof ImageType>;

/**
 * Limit for the pixels on either side: Claude refuses larger ones, and an image is sent again with every later request.
 */
export const MAX_IMAGE_SIDE = 8_000;

/** The name under which a thread stores the bytes of an image. */
const ImageId = z.string().regex(/^[0-9a-f]{64}$/);

/** An image of a message without its bytes: `thread/image` returns those. */
export const ImageFacts = z.object({
	id: ImageId,
	mediaType: ImageType,
	width: z.int().min(1),
	height: z.int().min(1),
	bytes: z.int().min(1),
});
export type ImageFacts = z.infer<typeof ImageFacts>;

export const threadImage = defineMethod("thread/image", "The bytes of an image attached to a message.", {
	params: z.object({ threadId: ThreadId, imageId: ImageId }),
	result: z.object({ mediaType: ImageType, data: z.string() }),
});
