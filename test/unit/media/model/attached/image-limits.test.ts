import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_IMAGE_BYTES, MAX_IMAGES } from "../../../../../agent-host/protocol/limits.ts";
import * as protocol from "../../../../../agent-host/protocol/thread/image.ts";
import { type Attachment, checkImage, IMAGE_TYPES } from "../../../../../media/model/attached/image-limits.ts";

const anAttachment = (bytes: number): Attachment => ({ key: "k", name: "n.png", bytes, url: "data:image/png;base64," });
const aFile = (change: Partial<{ name: string; type: string; size: number }> = {}) => ({
	name: "shot.png",
	type: "image/png",
	size: 1_000,
	...change,
});

test("the page and the host agree on what an image is", () => {
	assert.deepEqual(IMAGE_TYPES, protocol.IMAGE_TYPES);
});

test("an image that cannot be attached is refused with one sentence that gives the reason", () => {
	const full = Array.from({ length: MAX_IMAGES }, () => anAttachment(1));
	const refusals = [
		checkImage(aFile(), []),
		checkImage(aFile({ size: MAX_IMAGE_BYTES }), [anAttachment(MAX_IMAGE_BYTES)]),
		checkImage(aFile({ name: "a.svg", type: "image/svg+xml" }), []),
		checkImage(aFile({ name: "a.txt", type: "" }), []),
		checkImage(aFile({ size: MAX_IMAGE_BYTES + 1 }), []),
		checkImage(aFile(), full),
		checkImage(aFile(), [anAttachment(MAX_IMAGE_BYTES), anAttachment(MAX_IMAGE_BYTES)]),
	];
	assert.deepEqual(refusals, [
		undefined,
		undefined,
		"a.svg is not a PNG, JPEG, GIF or WebP image.",
		"a.txt is not a PNG, JPEG, GIF or WebP image.",
		"shot.png is too large (limit 5 MB).",
		"shot.png was not added: a message can have up to 8 images.",
		"shot.png was not added: images in a message can total up to 10 MB.",
	]);
});
