import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { historyTokens } from "../../../agent-host/compaction/measure.ts";
import { identifyImage } from "../../../agent-host/history/image-facts.ts";
import { projectHistory, withoutImages } from "../../../agent-host/history/normalize.ts";
import { IMAGE_TOKENS } from "../../../agent-host/history/tokens.ts";
import { anImage, aPng } from "../../support/an-image.ts";

const GIF = [...Buffer.from("GIF89a"), 0x20, 0x03, 0x58, 0x02];
const JPEG_FRAME = [0xff, 0xc2, 0, 17, 8, 0x02, 0x58, 0x03, 0x20, 3];
const JPEG = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc4, 0, 3, 0, ...JPEG_FRAME];
const webp = (kind: string, size: readonly number[]) =>
	Buffer.concat([Buffer.from(`RIFF....WEBP${kind}....`), Buffer.from(size), Buffer.alloc(8)]);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"/>';

test("an image's format and size are read from its bytes", () => {
	const extended = webp("VP8X", [0, 0, 0, 0, 0x1f, 0x03, 0, 0x57, 0x02, 0]);
	const lossless = webp("VP8L", [0x2f, ...littleEndian(799 | (599 << 14))]);
	const lossy = webp("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a, 0x20, 0x03, 0x58, 0x02]);
	const found = [aPng(800, 600), Buffer.from(GIF), Buffer.from(JPEG), extended, lossless, lossy].map(identifyImage);
	const types = ["image/png", "image/gif", "image/jpeg", "image/webp", "image/webp", "image/webp"];
	assert.deepEqual(
		found,
		types.map((mediaType) => ({ mediaType, width: 800, height: 600 })),
	);
});

test("look-alikes are not images: vector images, other files, truncated headers, no size at all", () => {
	const none = [
		"",
		SVG,
		`<?xml version="1.0"?>${SVG}`,
		"BM6",
		"%PDF-1.7",
		"GIF89",
		"RIFF....WEBP",
		"\x89PNG\r\n\x1a\n",
	];
	for (const text of none) assert.equal(identifyImage(Buffer.from(text, "latin1")), undefined, JSON.stringify(text));
	assert.equal(identifyImage(Buffer.from([...GIF.slice(0, 6), 0, 0, 9, 0])), undefined, "no width");
	assert.equal(identifyImage(Buffer.from(JPEG.slice(0, -4))), undefined, "a frame that is cut short");
});

test("reading an image ends, and finds a size above zero or nothing, whatever the bytes", () => {
	const heads = fc.constantFrom(JPEG.slice(0, 3), [...aPng(1, 1).subarray(0, 16)], [...webp("VP8L", [])], GIF);
	fc.assert(
		fc.property(heads, fc.uint8Array({ maxLength: 60 }), (head, rest) => {
			const found = identifyImage(Uint8Array.from([...head, ...rest]));
			assert.ok(found === undefined || (found.width > 0 && found.height > 0));
		}),
	);
});

test("for a model that cannot read images fixed words replace each, which say where it is from, and nothing else changes", () => {
	const image = anImage({ data: "AAAA" });
	const asked = { kind: "userMessage", text: "Look." } as const;
	const called = { kind: "toolCall", callId: "1", name: "shoot", arguments: "{}" } as const;
	const returned = { kind: "toolOutput", callId: "1", output: "[image]" } as const;
	const words = (source: string, reason: string) => ({
		...{ kind: "fragment", fragment: "image-omitted", role: "user", origin: "host" },
		text: `<image_omitted>\n${source} ${reason} say so if it matters.\n</image_omitted>`,
	});
	const [user, tool] = ["The user attached an image here.", "A tool returned an image here."] as const;
	const items = [asked, image, image, called, returned, image, image, asked, image];
	for (const [projected, reason] of [
		[projectHistory(items, "text"), "You do not support images;"],
		[withoutImages(items, () => true), "It is too large for you to be shown;"],
	] as const) {
		const [attached, shot] = [words(user, reason), words(tool, reason)];
		assert.deepEqual(projected, [asked, attached, attached, called, returned, shot, shot, asked, attached]);
	}
	assert.equal(projectHistory(items, "images"), items);
});

test("an image counts the same however large its file (S30)", () => {
	const small = anImage({ data: "AAAA" });
	const large = anImage({ data: "AbC/".repeat(500_000) });
	assert.equal(historyTokens([small]), IMAGE_TOKENS + 8);
	assert.equal(historyTokens([large]), historyTokens([small]));
});

function littleEndian(value: number): readonly number[] {
	return [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, (value >>> 24) & 0xff];
}
