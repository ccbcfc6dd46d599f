import * as z from "zod";
import { findKnownProvider } from "./known-providers.ts";
import { BaseUrl, Price, ReasoningEffort, WindowTokens, Wire } from "./model-values.ts";

/** More providers, models and headers than one person uses. */
const MAX_PROVIDERS = 32;
const MAX_MODELS = 200;
const MAX_HEADERS = 20;

/** Stands for the stored key in a header. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: users write it so.
export const KEY_PLACE = "${apiKey}";

/** What the user knows better about a model than its server and the table. */
const ProviderModel = z.strictObject({
	window: WindowTokens.optional(),
	images: z.boolean().optional(),
	efforts: z.array(ReasoningEffort).optional(),
	price: Price.optional(),
});

const SECRET_HEADER = /auth|key|token|secret|cookie|session/i;
/** They belong to the connection, or say what the body is. */
const OWN_HEADERS = new Set(["host", "content-length", "content-type", "connection", "transfer-encoding", "accept"]);

const HEADER_NAME = /^[a-zA-Z0-9-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e]{0,2000}$/;

const Headers = z
	.record(z.string(), z.string())
	.refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `can have at most ${MAX_HEADERS} headers`)
	.superRefine((headers, context) => {
		for (const [name, value] of Object.entries(headers)) {
			const message = refuseHeader(name, value);
			if (message !== undefined) context.addIssue({ code: "custom", path: [name], message, input: value });
		}
	});

function refuseHeader(name: string, value: string): string | undefined {
	if (!HEADER_NAME.test(name)) return "is not the name of a header";
	if (OWN_HEADERS.has(name.toLowerCase())) return "is set by Vitrine";
	if (!HEADER_VALUE.test(value)) return "must be one line of plain text";
	if (!SECRET_HEADER.test(name) || value.includes(KEY_PLACE)) return undefined;
	return `looks like a secret: use ${KEY_PLACE}, which stands for the stored key`;
}

/** A provider of models. Under a known name every field may be left out. */
export const ProviderSettings = z.strictObject({
	wire: Wire.optional(),
	baseUrl: BaseUrl.optional(),
	auth: z.enum(["apiKey", "chatgpt"]).optional(),
	headers: Headers.optional(),
	models: z
		.record(z.string().min(1).max(200), ProviderModel)
		.refine((models) => Object.keys(models).length <= MAX_MODELS, `can have at most ${MAX_MODELS} models`)
		.optional(),
});
export type ProviderSettings = z.infer<typeof ProviderSettings>;

const NAME = /^[\w.-]{1,64}$/;

/** Providers by the user's names for them. `<name>/<id>` is a model of one of them. */
export const ProvidersSettings = z
	.record(z.string(), ProviderSettings)
	.refine((all) => Object.keys(all).length <= MAX_PROVIDERS, `can have at most ${MAX_PROVIDERS} providers`)
	.superRefine((all, context) => {
		for (const [name, { baseUrl }] of Object.entries(all)) {
			const isComplete = baseUrl !== undefined || findKnownProvider(name) !== undefined;
			const message = NAME.test(name)
				? "needs a baseUrl"
				: "must be made of letters, digits, dots, dashes and underscores";
			if (!isComplete || !NAME.test(name)) context.addIssue({ code: "custom", path: [name], message, input: all });
		}
	});
export type ProvidersSettings = z.infer<typeof ProvidersSettings>;
