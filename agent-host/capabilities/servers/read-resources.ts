import * as z from "zod";
import { plainText } from "./plain-text.ts";

const MAX_RESOURCES = 500;
const MAX_URI_CHARS = 2_000;
const MAX_NAME_CHARS = 200;
const MAX_ABOUT_CHARS = 300;
/** More than a prompt takes; the client cuts further. */
const MAX_TEXT_CHARS = 200_000;

/** A resource, or a template of addresses of resources, as its server describes it, within our limits. */
export interface DescribedResource {
	readonly name: string;
	readonly uri: string;
	readonly about: string;
	/** The variables of a template, in order; absent if it is one resource. */
	readonly takes?: readonly string[];
}

/** Untrusted: a server may send anything. */
const Described = z.looseObject({
	name: z.string().catch(""),
	title: z.string().optional().catch(undefined),
	description: z.string().optional().catch(undefined),
});
const Uri = z.string().min(1).max(MAX_URI_CHARS);
const Listed = Described.extend({ uri: Uri.optional(), uriTemplate: Uri.optional() });

/** What of a server's lists people can mention; the rest is left out. */
export function readResources(listed: readonly unknown[]): readonly DescribedResource[] {
	const found = new Map<string, DescribedResource>();
	for (const raw of listed.slice(0, MAX_RESOURCES)) {
		const one = Listed.safeParse(raw).data;
		const uri = one?.uri ?? one?.uriTemplate;
		// An address that does not show all of itself cannot be chosen by it.
		if (one === undefined || uri === undefined || plainText(uri, MAX_URI_CHARS) !== uri || found.has(uri)) continue;
		found.set(uri, {
			...{ uri, name: plainText(one.title || one.name || uri, MAX_NAME_CHARS) || uri },
			about: plainText(one.description ?? "", MAX_ABOUT_CHARS),
			...(one.uri === undefined && { takes: listVariables(uri) }),
		});
	}
	return [...found.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

/** The names in `{…}` of a template (RFC 6570), without operators and modifiers. */
function listVariables(template: string): readonly string[] {
	const names = [...template.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)].flatMap(([, inner = ""]) =>
		inner.split(",").map((name) => name.replace(/(?:\*|:\d+)$/, "").trim()),
	);
	return [...new Set(names.filter((name) => name !== ""))];
}

/** The address of a template with these values; undefined if one is missing. */
export async function fillTemplate(
	{ uri, takes }: DescribedResource,
	values: Readonly<Record<string, string>>,
): Promise<string | undefined> {
	if (takes === undefined) return uri;
	if (takes.some((name) => (values[name] ?? "") === "")) return undefined;
	const { UriTemplate } = await import("@modelcontextprotocol/client");
	const filled = new UriTemplate(uri).expand({ ...values });
	return filled.length <= MAX_URI_CHARS ? filled : undefined;
}

const Contents = z.looseObject({ contents: z.array(z.unknown()) });
const Content = z.looseObject({
	text: z.string().optional().catch(undefined),
	mimeType: z.string().optional().catch(undefined),
});

/** The text of a resource; what is not text is named. */
export function readResourceText(raw: unknown): string {
	const lines = (Contents.safeParse(raw).data?.contents ?? []).flatMap((one) => {
		const part = Content.safeParse(one).data;
		return part === undefined ? [] : [part.text ?? `[${plainText(part.mimeType ?? "data", 100)} is not text]`];
	});
	return plainText(lines.join("\n\n"), MAX_TEXT_CHARS);
}
