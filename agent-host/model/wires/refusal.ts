import * as z from "zod";

/** What a server said when it refused a request, whatever shape it said it in. Untrusted text. */
export interface Refusal {
	readonly status: number | undefined;
	readonly code: string | undefined;
	/** The part of the request that it names. */
	readonly param: string | undefined;
	readonly text: string;
	/** A size of the context window that stands in a field of its own. */
	readonly window?: number | undefined;
}

/** Characters of a refusal that are looked at; a server may send a page, or five megabytes. */
export const MAX_REFUSAL_CHARS = 65_536;

const Fields = z.looseObject({
	message: z.unknown().optional(),
	code: z.unknown().optional(),
	type: z.unknown().optional(),
	param: z.unknown().optional(),
	n_ctx: z.unknown().optional(),
});

/**
 * The body of a refusal, in the one shape the provider library reads. Servers wrap it as `error`, `detail` or
 * `message`, as an object, a list or a sentence, or send plain text.
 */
export function normalizeRefusal(body: string): { readonly error: Readonly<Record<string, unknown>> } {
	const text = body.slice(0, MAX_REFUSAL_CHARS);
	const parsed = parse(text);
	const outer = Fields.safeParse(parsed);
	if (!outer.success) return { error: { message: typeof parsed === "string" ? parsed : text } };
	const inner = outer.data.error ?? outer.data.detail ?? outer.data;
	const fields = Fields.safeParse(inner);
	if (typeof inner === "string" || !fields.success) {
		return { error: { ...outer.data, message: typeof inner === "string" ? inner : JSON.stringify(inner) } };
	}
	const { message } = fields.data;
	const said = typeof message === "string" ? message : JSON.stringify(message ?? inner);
	return { error: { ...fields.data, message: said } };
}

/** Reads a refusal in that one shape. */
export function readRefusal(status: number | undefined, error: unknown, message: string): Refusal {
	const fields = Fields.safeParse(error);
	if (!fields.success) return { status, code: undefined, param: undefined, text: message };
	const { code, type, param, n_ctx } = fields.data;
	return {
		status,
		// Some servers repeat the status as the code, and say what happened in the type.
		code: typeof code === "string" && code !== "" ? code : typeof type === "string" ? type : undefined,
		param: typeof param === "string" && param !== "" ? param : undefined,
		text: message,
		...(typeof n_ctx === "number" ? { window: n_ctx } : {}),
	};
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
