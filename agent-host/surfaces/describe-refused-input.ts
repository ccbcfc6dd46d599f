import type { ParamsOf } from "../protocol/method.ts";
import { MAX_INPUTS, type turnStart, UserInput } from "../protocol/thread/turn.ts";

const MAX_SHOWN_CHARS = 100;

/** Why this input starts no turn. */
export function describeRefusedInput(input: Readonly<ParamsOf<typeof turnStart>["input"]>): string {
	if (input.length === 0) return "The prompt is empty.";
	if (input.length > MAX_INPUTS)
		return `The prompt has ${input.length} parts with its attachments; the limit is ${MAX_INPUTS}. Name the others in its text.`;
	const bad = input.find((part) => !UserInput.safeParse(part).success);
	if (bad?.kind === "image") return "The prompt cannot be used: an image is not valid base64.";
	if (bad?.kind !== "file") return "The prompt cannot be used.";
	return `The prompt cannot be used: the path ${bad.path.slice(0, MAX_SHOWN_CHARS)}… is too long.`;
}
