import * as z from "zod";

/** A server's refusal in any shape. Untrusted text. */
export interface Refusal {
	readonly status: number | undefined;
	readonly code: string | undefined;
	/** The part of the request that it refers to. */
	readonly param: string | undefined;
	readonly text: string;
	/** A second, narrower code beside the first one. */
	readonly detail?: string | undefined;
	/** The context window size, if a separate field contains it. */
	readonly window?: number | undefined;
}

/** Only this many characters of a refusal are read; a server may send a web page, or five megabytes. */
export const MAX_REFUSAL_CHARS = 65_536;

/** MiniMax accounts for every request, also for one that succeeded. */
const Account = z.object({ status_code: z.number().refine((code) => code !== 0), status_msg: z.unknown() });

const Fields = z.looseObject({
	message: z.unknown().optional(),
	code: z.unknown().optional(),
	type: z.unknown().optional(),
	param: z.unknown().optional(),
	n_ctx: z.unknown().optional(),
	metadata: z.unknown().optional(),
	/** Google's name for the reason. */
	status: z.unknown().optional(),
	details: z.unknown().optional(),
	/** Other names of the sentence, or of what contains it. */
	msg: z.unknown().optional(),
	errors: z.tuple([z.unknown()], z.unknown()).optional().catch(undefined),
	base_resp: Account.optional().catch(undefined),
});

type Normal = Readonly<Record<string, unknown>> & { readonly message: string };

/** Converts the body of a refusal to the shape that the provider library reads. */
export function normalizeRefusal(body: string): { readonly error: Normal } {
	const text = body.slice(0, MAX_REFUSAL_CHARS);
	return { error: normalize(parse(text) ?? readTitle(text) ?? text) };
}

/** Reads a refusal in that shape. */
export function readRefusal(status: number | undefined, error: unknown, message: string): Refusal {
	const fields = Fields.safeParse(error);
	if (!fields.success) return { status, code: undefined, param: undefined, text: message };
	const { code, type, param, n_ctx, status: reason, details } = fields.data;
	const detail = Detail.safeParse(details).data?.error_code;
	return {
		status: status ?? statusIn(code),
		// Some servers repeat the status as the code, as a number or a text, and put the reason into the type.
		code: [code, type, reason].find(isCode),
		param: typeof param === "string" && param !== "" ? param : undefined,
		text: message,
		...(detail === undefined ? {} : { detail }),
		...(typeof n_ctx === "number" ? { window: n_ctx } : {}),
	};
}

const STATUS = /^[3-5]\d\d$/;

function isCode(name: unknown): name is string {
	return typeof name === "string" && name !== "" && !STATUS.test(name);
}

/** Anthropic's form of them. */
const Detail = z.looseObject({ error_code: z.string().min(1).max(100) });

const Text = z.string().min(1);
const Report = z.union([
	z.looseObject({ error: z.unknown().refine(Boolean) }).transform(({ error }) => error),
	z.looseObject({ base_resp: Account }),
	z.looseObject({ errors: z.tuple([z.unknown()], z.unknown()) }),
	z.looseObject({ message: Text }),
	z.looseObject({ msg: Text }),
]);

/** What a message that is no answer says went wrong, if it says so: servers have several forms of it. */
export function reportIn(message: unknown): unknown {
	return Report.safeParse(message).data;
}

/** Reads a refusal from inside a stream. */
export function readRefusalInStream(error: unknown): Refusal {
	const normal = normalize(error);
	return readRefusal(undefined, normal, normal.message);
}

/** Servers wrap it as `error`, `detail` or `message`, as an object, a list or a sentence, or send plain text. */
function normalize(value: unknown): Normal {
	const whole: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	const outer = Fields.safeParse(whole);
	if (!outer.success) return { message: sentence(whole) };
	const { base_resp: account } = outer.data;
	if (account) return { code: `base_resp ${account.status_code}`, message: sentence(account.status_msg) };
	const inner = outer.data.error ?? outer.data.detail ?? outer.data.errors?.[0] ?? outer.data;
	const fields = Fields.safeParse(inner);
	if (!fields.success) return { ...outer.data, message: sentence(inner) };
	const passedOn = readPassedOn(fields.data.metadata);
	if (passedOn !== undefined) return { ...fields.data, ...passedOn };
	return {
		...fields.data,
		message: sentence(fields.data.message ?? fields.data.msg ?? inner) + pauseIn(fields.data.details),
	};
}

const Details = z.array(
	z.looseObject({
		retryDelay: z
			.string()
			.regex(/^\d{1,6}(?:\.\d{1,9})?s$/)
			.optional()
			.catch(undefined),
	}),
);

/** Google says how long to wait beside its sentence. */
function pauseIn(details: unknown): string {
	const pause = Details.safeParse(details).data?.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
	return pause === undefined ? "" : ` Retry in ${pause}.`;
}

const PassedOn = z.object({ raw: z.unknown(), provider_name: z.string().max(200).optional().catch(undefined) });

/** What the provider behind a gateway said; the gateway itself only says that there was an error. */
function readPassedOn(metadata: unknown): Normal | undefined {
	const { raw, provider_name: provider } = PassedOn.safeParse(metadata).data ?? {};
	if (raw === undefined || raw === null || raw === "") return undefined;
	const inner = typeof raw === "string" ? (parse(raw) ?? raw) : raw;
	// One level only: a provider may pass on what another one said, but nobody needs that.
	const said = Fields.safeParse(Fields.safeParse(inner).data?.error ?? inner);
	const message = said.success ? sentence(said.data.message ?? said.data) : sentence(inner);
	const code = said.data?.code ?? said.data?.type;
	return {
		...(typeof code === "string" ? { code } : {}),
		message: provider === undefined ? message : `${provider}: ${message}`,
	};
}

function sentence(value: unknown): string {
	if (typeof value === "string") return value.slice(0, MAX_REFUSAL_CHARS);
	try {
		const text = (JSON.stringify(value) ?? "").slice(0, MAX_REFUSAL_CHARS);
		return text === "{}" ? NO_REASON : text;
	} catch {
		// Nested too deeply.
		return NO_REASON;
	}
}

const NO_REASON = "no reason given";

/** Inside a stream the status can only be in the code. */
function statusIn(code: unknown): number | undefined {
	const number = Number(typeof code === "string" && code !== "" ? code : typeof code === "number" ? code : Number.NaN);
	return number >= 300 && number <= 599 ? number : undefined;
}

/** The title of an HTML page. */
function readTitle(text: string): string | undefined {
	if (!/^\s*<(?:!doctype|html|head|body)\b/i.test(text)) return undefined;
	return /<title[^<>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim() || "an HTML page without a title";
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

const MAX_DETAIL_CHARS = 300;

/** A server's text as one short line without control sequences or markup. */
export function plainLine(text: string): string {
	const head = text.slice(0, 4 * MAX_DETAIL_CHARS);
	const line = head
		.replaceAll(/\p{Cc}\[[0-9;?]*[ -/]*[@-~]/gu, "")
		.replaceAll(/[\s\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu, " ")
		.trim();
	const isWhole = head.length === text.length && line.length <= MAX_DETAIL_CHARS;
	return isWhole ? line : `${line.slice(0, MAX_DETAIL_CHARS).toWellFormed()}…`;
}
