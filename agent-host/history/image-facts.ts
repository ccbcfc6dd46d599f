import { MAX_IMAGE_BYTES } from "../protocol/limits.ts";
import { type ImageType, MAX_IMAGE_SIDE } from "../protocol/thread/image.ts";
import type { UserImage } from "./history-item.ts";

/** An image's type and size from its bytes, regardless of its name or sender. */
export interface Picture {
	readonly mediaType: ImageType;
	readonly width: number;
	readonly height: number;
}

/** Recognizes an image by its first bytes; undefined for everything else, including broken headers. */
export function identifyImage(bytes: Uint8Array): Picture | undefined {
	const found = pngIn(bytes) ?? gifIn(bytes) ?? webpIn(bytes) ?? jpegIn(bytes);
	return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined;
}

export type ReadImage =
	| { readonly ok: true; readonly image: UserImage }
	| { readonly ok: false; readonly reason: string };

/** An image that a model can be shown, or the reason why not. */
export function checkImage(bytes: Buffer, name: string): ReadImage {
	const picture = identifyImage(bytes);
	if (bytes.length > MAX_IMAGE_BYTES) {
		return refuse(`${name} is ${inMegabytes(bytes.length)}; the limit is ${inMegabytes(MAX_IMAGE_BYTES)}.`);
	}
	if (picture === undefined) return refuse(`${name} is not a PNG, JPEG, GIF or WebP image.`);
	if (Math.max(picture.width, picture.height) > MAX_IMAGE_SIDE) {
		const size = `${picture.width} × ${picture.height} pixels`;
		return refuse(`${name} is ${size}; the limit is ${MAX_IMAGE_SIDE} per side. Scale it down first.`);
	}
	return { ok: true, image: { kind: "userImage", ...picture, data: bytes.toString("base64") } };
}

export function inMegabytes(bytes: number): string {
	return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function refuse(reason: string): ReadImage {
	return { ok: false, reason };
}

/** A picture in words, such as "PNG image, 800 × 600". */
export function describeImage({ mediaType, width, height }: Picture): string {
	return `${NAMES[mediaType]} image, ${width} × ${height}`;
}

const NAMES: Record<ImageType, string> = {
	"image/png": "PNG",
	"image/jpeg": "JPEG",
	"image/gif": "GIF",
	"image/webp": "WebP",
};

function pngIn(bytes: Uint8Array): Picture | undefined {
	if (!has(bytes, 0, "\x89PNG\r\n\x1a\n") || !has(bytes, 12, "IHDR") || bytes.length < 24) return undefined;
	const view = toView(bytes);
	return { mediaType: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

function gifIn(bytes: Uint8Array): Picture | undefined {
	if (!(has(bytes, 0, "GIF87a") || has(bytes, 0, "GIF89a")) || bytes.length < 10) return undefined;
	const view = toView(bytes);
	return { mediaType: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webpIn(bytes: Uint8Array): Picture | undefined {
	if (!has(bytes, 0, "RIFF") || !has(bytes, 8, "WEBP") || bytes.length < 30) return undefined;
	const view = toView(bytes);
	const mediaType = "image/webp";
	// Each of the three WebP kinds stores the size at another offset, some of them minus one.
	if (has(bytes, 12, "VP8X")) {
		const side = (at: number) => 1 + view.getUint16(at, true) + ((bytes[at + 2] ?? 0) << 16);
		return { mediaType, width: side(24), height: side(27) };
	}
	if (has(bytes, 12, "VP8L")) {
		const packed = view.getUint32(21, true);
		return { mediaType, width: 1 + (packed & 0x3fff), height: 1 + ((packed >>> 14) & 0x3fff) };
	}
	if (!has(bytes, 12, "VP8 ")) return undefined;
	return { mediaType, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** The size of a JPEG is in its first frame header, after any number of segments with a length. */
function jpegIn(bytes: Uint8Array): Picture | undefined {
	if (!has(bytes, 0, "\xff\xd8\xff")) return undefined;
	const view = toView(bytes);
	for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
		const marker = bytes[at + 1] ?? 0;
		if (isFrame(marker)) {
			return { mediaType: "image/jpeg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
		}
		at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
	}
	return undefined;
}

// Three markers in this range are not frames: tables and arithmetic coding.
function isFrame(marker: number): boolean {
	return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function has(bytes: Uint8Array, at: number, text: string): boolean {
	for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text.charCodeAt(index)) return false;
	return true;
}

function toView(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
