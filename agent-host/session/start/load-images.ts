import { isAbsolute, resolve } from "node:path";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { UserImage } from "../../history/history-item.ts";
import { checkImage, identifyImage, inMegabytes } from "../../history/image-facts.ts";
import { HostError } from "../../protocol/errors.ts";
import type { TurnId } from "../../protocol/ids.ts";
import { MAX_IMAGE_BYTES, MAX_IMAGES, MAX_IMAGES_BYTES } from "../../protocol/limits.ts";
import type { ResultOf } from "../../protocol/method.ts";
import { asMessage, quote, type Said, say } from "../../protocol/say.ts";
import type { ImageFacts, threadImage } from "../../protocol/thread/image.ts";
import type { UserInput } from "../../protocol/thread/turn.ts";
import { blobName } from "../../store/records/externalize.ts";
import { readBytesInside } from "../../workspace/files/read-files.ts";
import { readableUnder } from "../../workspace/files/readable.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";

type ImageInput = Extract<UserInput, { kind: "image" }>;

/**
 * The images of a turn, with their types determined from their bytes; all of them, or a refusal that says which and
 * why.
 */
export async function loadImages(input: readonly UserInput[], envelope: TurnEnvelope): Promise<readonly UserImage[]> {
	const wanted = input.filter((part) => part.kind === "image");
	if (wanted.length > MAX_IMAGES) {
		throw refuse(say("too-many-images", { count: wanted.length, most: MAX_IMAGES }));
	}
	const images: UserImage[] = [];
	let total = 0;
	for (const [index, part] of wanted.entries()) {
		const name = part.path ?? `Image ${index + 1}`;
		const bytes = await readImageBytes(part, name, envelope);
		total += bytes.length;
		const read = checkImage(bytes, name);
		if (!read.ok) throw refuse(quote(read.reason));
		images.push(read.image);
	}
	if (total > MAX_IMAGES_BYTES) {
		throw refuse(say("images-too-large", { size: inMegabytes(total), most: inMegabytes(MAX_IMAGES_BYTES) }));
	}
	return images;
}

/** The warning that a turn's model cannot see the images of a message, if so. */
export function unseenImages(
	turnId: TurnId,
	images: readonly UserImage[],
	envelope: Pick<TurnEnvelope, "identity"> | undefined,
): readonly Draft[] {
	if (envelope === undefined || images.length === 0 || envelope.identity.abilities.images) return [];
	const message = asMessage(say("images-not-seen", { model: envelope.identity.model }));
	return [{ kind: "event", event: { type: "warning", turnId, code: "images", ...message } }];
}

/** An image's description in the transcript. Its name is that of the blob with its bytes. */
export function toImageFacts({ mediaType, width, height, data }: UserImage): ImageFacts {
	return { id: blobName(data), mediaType, width, height, bytes: Buffer.byteLength(data, "base64") };
}

/** Reads an image of a thread and checks it again: the thread may come from elsewhere. */
export async function readImage(
	thread: Pick<LiveThread, "readExternalValue">,
	imageId: string,
): Promise<ResultOf<typeof threadImage>> {
	const data = await thread.readExternalValue(imageId);
	const bytes = Buffer.from(typeof data === "string" ? data : "", "base64");
	const picture = identifyImage(bytes);
	if (picture === undefined) throw refuse(say("image-damaged"));
	return { mediaType: picture.mediaType, data: bytes.toString("base64") };
}

async function readImageBytes(part: ImageInput, name: string, { workspace, policy }: TurnEnvelope): Promise<Buffer> {
	if (part.path === undefined) return Buffer.from(part.data ?? "", "base64");
	if (workspace.cwd === undefined && !isAbsolute(part.path)) {
		throw refuse(say("image-without-folder", { name }));
	}
	const path = resolve(workspace.cwd ?? "/", part.path);
	const outcome = await readBytesInside(path, await readableUnder(policy.value), MAX_IMAGE_BYTES);
	if (!outcome.ok) throw refuse(quote(outcome.reason));
	return outcome.bytes;
}

function refuse(said: Said): HostError {
	return new HostError("input-refused", said);
}
