import { MAX_IMAGE_BYTES, MAX_IMAGES, MAX_IMAGES_BYTES } from "../../../agent-host/protocol/limits.ts";
import { t } from "../../../l10n/t.ts";

/** Same values as in the protocol. The host checks the bytes; checking here saves a round trip. */
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** An image attached to the next prompt. */
export interface Attachment {
	readonly key: string;
	readonly name: string;
	readonly bytes: number;
	/** A `data:` URL, the only kind of URL that the page may load images from. */
	readonly url: string;
}

/** Returns why a file cannot be attached as an image; undefined if it can. */
export function checkImage(
	{ name, type, size }: { readonly name: string; readonly type: string; readonly size: number },
	attached: readonly Attachment[],
): string | undefined {
	if (!IMAGE_TYPES.includes(type)) return t("{0} is not a PNG, JPEG, GIF or WebP image.", name);
	if (size > MAX_IMAGE_BYTES) return t("{0} is too large (limit {1}).", name, inMegabytes(MAX_IMAGE_BYTES));
	if (attached.length >= MAX_IMAGES)
		return t("{0} was not added: a message can have up to {1} images.", name, MAX_IMAGES);
	const total = attached.reduce((sum, { bytes }) => sum + bytes, size);
	if (total <= MAX_IMAGES_BYTES) return undefined;
	return t("{0} was not added: images in a message can total up to {1}.", name, inMegabytes(MAX_IMAGES_BYTES));
}

export function describeUnreadable(name: string): string {
	return t("{0} can't be read as an image.", name);
}

/** The base64 part, which is what the host expects. */
export function toBase64({ url }: Pick<Attachment, "url">): string {
	return url.slice(url.indexOf(",") + 1);
}

function inMegabytes(bytes: number): string {
	return `${bytes / 1024 / 1024} MB`;
}
