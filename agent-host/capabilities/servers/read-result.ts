import * as z from "zod";
import type { UserImage } from "../../history/history-item.ts";
import { checkImage, type ReadImage } from "../../history/image-facts.ts";
import { plainText } from "./plain-text.ts";

/** Longer than any result that a model can use; the host cuts further to the turn's budget. */
const MAX_RESULT_CHARS = 1_000_000;
const MAX_URI_CHARS = 2_000;

/** Untrusted: a server may send anything. */
const Content = z.looseObject({
	type: z.string(),
	text: z.string().optional().catch(undefined),
	data: z.string().optional().catch(undefined),
	uri: z.string().optional().catch(undefined),
	name: z.string().optional().catch(undefined),
	resource: z
		.looseObject({ uri: z.string().catch(""), text: z.string().optional().catch(undefined) })
		.optional()
		.catch(undefined),
	annotations: z
		.looseObject({ audience: z.array(z.string()).optional().catch(undefined) })
		.optional()
		.catch(undefined),
});

const Result = z.looseObject({
	content: z.union([z.array(z.unknown()), z.string().transform((text) => [{ type: "text", text }])]).catch([]),
	structuredContent: z.unknown().optional(),
	isError: z.boolean().optional().catch(undefined),
});

export interface ServerResult {
	readonly ok: boolean;
	readonly text: string;
	readonly image?: UserImage;
}

/** The result of a call as the model gets it: text in order, the first image, and a line for everything else. */
export function readResult(raw: unknown): ServerResult {
	const { content, structuredContent, isError }: Partial<z.infer<typeof Result>> & { content: unknown[] } =
		Result.safeParse(raw).data ?? { content: [] };
	const parts = content.map((one) => Content.safeParse(one).data ?? UNREADABLE).filter(isForModel);
	const [image, ...others] = parts.flatMap((part) => {
		const read = readImage(part);
		return read?.ok ? [read.image] : [];
	});
	const lines = parts.flatMap(toLines);
	const structured = lines.length === 0 && structuredContent !== undefined ? [JSON.stringify(structuredContent)] : [];
	const missing = others.length === 0 ? [] : [`[${others.length} more images are not shown]`];
	const text = plainText([...lines, ...structured, ...missing].join("\n"), MAX_RESULT_CHARS);
	return { ok: isError !== true, text: text === "" ? "(no output)" : text, ...(image && { image }) };
}

type Part = z.infer<typeof Content>;

const UNREADABLE: Part = { type: "unreadable" };

/** A server may mark parts as meant for the user only. */
function isForModel({ annotations }: Part): boolean {
	const audience = annotations?.audience;
	return audience === undefined || audience.length === 0 || audience.includes("assistant");
}

function toLines(part: Part): readonly string[] {
	const { type, text, uri, name, resource } = part;
	switch (type) {
		case "text":
			return text === undefined ? [] : [text];
		case "image": {
			const read = readImage(part);
			return [read?.ok ? "[image]" : `[${read?.reason}]`];
		}
		case "resource":
			return [`[resource ${shorten(resource?.uri)}]`, ...(resource?.text === undefined ? [] : [resource.text])];
		case "resource_link":
			return [`[link ${shorten(uri)}${name === undefined ? "" : ` (${shorten(name)})`}]`];
		case UNREADABLE.type:
			return ["[unreadable]"];
		default:
			return [`[${plainText(type, 40)} is not supported]`];
	}
}

function shorten(text = ""): string {
	return plainText(text, MAX_URI_CHARS);
}

function readImage({ type, data = "" }: Part): ReadImage | undefined {
	return type === "image" ? checkImage(Buffer.from(data, "base64"), "The image") : undefined;
}
