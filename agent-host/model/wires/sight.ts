import type { UserImage } from "../../history/history-item.ts";
import { projectHistory, withoutImages } from "../../history/normalize.ts";
import type { ModelRequest } from "../port.ts";
import type { Quirks } from "./refusals/quirks.ts";

/** What every server that reads images takes: pixels on either side, and characters in base64. */
const SMALL = { side: 2_000, chars: 5 * 1024 * 1024 };

/**
 * The request as a model sees it whose server has refused images, or large ones: a note stands in the place of each.
 */
export function withinSight(
	request: ModelRequest,
	quirks: Quirks,
	/** The most pixels on either side that the wire allows with so many images. */
	sideLimit: (images: number) => number = () => Number.POSITIVE_INFINITY,
): ModelRequest {
	if (quirks.has("no-images")) return { ...request, input: projectHistory(request.input, "text") };
	const images = request.input.filter((item) => item.kind === "userImage");
	const isSmall = quirks.has("small-images");
	const [side, chars] = [isSmall ? SMALL.side : sideLimit(images.length), isSmall ? SMALL.chars : undefined];
	const isTooLarge = ({ width, height, data }: UserImage): boolean =>
		Math.max(width, height) > side || data.length > (chars ?? data.length);
	return images.some(isTooLarge) ? { ...request, input: withoutImages(request.input, isTooLarge) } : request;
}
