import * as z from "zod";
import { ThreadId } from "../ids.ts";
import { defineMethod } from "../method.ts";

/** Pictures that models read. SVG is not among them: it is a program. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export const ImageType = z.enum(IMAGE_TYPES);
export type ImageType = z.infer<typeof ImageType>;

/** Images of one turn, and bytes of one and of all together: as base64 they fit a single message to the host. */
export const MAX_IMAGES = 8;
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
export const MAX_IMAGES_BYTES = 10 * 1024 * 1024;
/** Pixels on either side. A small file can claim to be a picture that no memory holds. */
export const MAX_IMAGE_SIDE = 16_384;

/** The name under which a thread keeps the bytes of an image. */
const ImageId = z.string().regex(/^[0-9a-f]{64}$/);

/** An image of a message, without its bytes: `thread/image` gives those. */
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
