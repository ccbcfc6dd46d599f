import { type Body, type Lesson, teach } from "./lesson.ts";
import type { Quirks } from "./quirks.ts";
import type { Refusal } from "./refusal.ts";

/** Servers that know better than our table which models see. */
export function lessonOfImages({ text }: Refusal, body: Body, quirks: Quirks): Lesson | undefined {
	const cannot =
		/\bimages?(?:_url| (?:input|content|url|modality))*s?\b.{0,60}(?:(?:is|are) (?:not|only) (?:supported|enabled|allowed)|not (?:supported|enabled|allowed))|(?:not|endpoints found that) support.{0,30}\b(?:image|vision|multimodal)|unknown variant `image_url`/i;
	const isTooLarge = /\bimages?(?: dimensions)? exceeds? .{0,40}(?:\bsize\b|pixels|\bMB\b|bytes)/i.test(text);
	if (!(isTooLarge || cannot.test(text)) || !hasImages(body)) return undefined;
	// One that stays in the conversation would fail every later request.
	return isTooLarge && !quirks.has("small-images")
		? teach("small-images", "quirk-small-images")
		: teach("no-images", "quirk-no-images");
}

const IMAGE_PARTS = new Set<unknown>(["input_image", "image_url", "image"]);

function hasImages(body: Body): boolean {
	const contents = [body.input, body.messages, body.contents].flat().flatMap((one) => {
		const { content, parts } = Object(one);
		return [content, parts].flat();
	});
	return contents.some((part) => IMAGE_PARTS.has(Object(part).type) || Object(part).inlineData !== undefined);
}
