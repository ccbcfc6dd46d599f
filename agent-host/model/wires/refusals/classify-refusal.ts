import { readOverflow } from "./overflow.ts";
import type { Refusal } from "./refusal.ts";

/** The category of a refusal. */
export type RefusalKind =
	| "too-long"
	| "auth"
	| "model"
	| "endpoint"
	| "filter"
	/** The model's own call was invalid, by the server's judgement. */
	| "call"
	| "quota"
	| "rate"
	| "elsewhere"
	| "server"
	| "request";

const QUOTA = new Set([
	"insufficient_quota",
	"usage_limit_reached",
	"usage_not_included",
	"billing_hard_limit_reached",
	"billing_error",
	"insufficient_balance",
	"insufficient_credits",
	"enforced_spend_limit_reached",
	"exceeded_current_quota_error",
	"budget_exceeded",
	"Arrearage",
	// Z.ai has numbers: an account in arrears, and the limits of its plans.
	...["1113", "1308", "1309", "1310"],
	// So does MiniMax: an account in arrears, and the limit of its plan.
	...["base_resp 1008", "base_resp 2056"],
]);
const FILTER = new Set([
	"content_filter",
	"content_policy_violation",
	"responsibleaipolicyviolation",
	"data_inspection_failed",
	"sensitive",
	"1301",
	// MiniMax, of the prompt and of the answer.
	...["base_resp 1026", "base_resp 1027"],
	// OpenAI, inside the stream.
	...["cyber_policy", "bio_policy", "misalignment_policy_violation", "image_content_policy_violation"],
]);

/** Servers report an empty account as a bad request, a bad key or a rate limit. */
const NO_MONEY =
	/insufficient (?:account )?(?:balance|credits?|funds|quota)|credit balance is too low|(?:out of|no|requires? more|not enough|used all available) credits|exceeded your current quota|balance (?:is )?(?:not enough|insufficient)|account .{0,40}(?:in arrears|overdue)/i;
/** However the server calls it, and whatever pause it names. */
const NEVER = /insufficient balance|\blimit: 0(?![\d.])/i;
/** Google uses the same words for what is allowed in a minute. */
const SOON = /retry in \d/i;
const FILTERED =
	/content (?:management|filter(?:ing)?) policy|triggered .{0,60}content filter|data_inspection_failed|(?:input|prompt) was flagged/i;
const AUTH = new Set([
	...["invalid_api_key", "authentication_error", "permission_error", "token_expired"],
	...["base_resp 1004", "base_resp 2049"],
]);
/** Azure's word for a model is deployment; Z.ai has numbers. */
const MODEL_GONE = new Set(["model_not_found", "DeploymentNotFound", "1211"]);
const MODEL = new Set([...MODEL_GONE, "not_found_error"]);
const NO_MODEL = /is not a valid model id|model identifier is invalid/i;
const CALL = "tool_use_failed";
/** Names the path that was asked, such as that of the list of models. */
const NO_PATH = /unexpected endpoint or method/i;
const RATE = new Set(["rate_limit_exceeded", "rate_limit_error", "base_resp 1002", "base_resp 1039"]);
const REQUEST = new Set(["invalid_prompt", "invalid_request_error", "base_resp 2013"]);
/** What OpenAI says of an image inside the stream. */
const BAD_IMAGE = /^(?:invalid|unsupported|empty)_(?:\w+_)?image|^image_(?:too_|file_too_|parse_)/;

/** Some servers report a wrong key as a bad request, or inside a success. */
const BAD_KEY = /(?:incorrect|invalid) api key|api key (?:is )?(?:not valid|invalid|expired)/i;

/** Refused for another reason than the key, such as a country, a rule of the organization, or a firewall. */
export function isForbidden({ status, code = "", text }: Refusal): boolean {
	return status === 403 && !AUTH.has(code) && !/\bkey\b|\btoken\b|credential|authenticat/i.test(text);
}

// Moonshot only has the short name of a limit of tokens or requests per day.
const LONG_PERIOD = /\b[TR]PD\b|\bper[ -](?:day|week|month)\b|\b(?:daily|weekly|monthly)\b|\busage limit\b/i;

/** Whether a rate limit is one of a day or longer, by the server's words: only the server knows when it ends. */
export function isLongLimit({ text }: Refusal): boolean {
	return LONG_PERIOD.test(text);
}

export function classifyRefusal(refusal: Refusal): RefusalKind {
	const { status, code = "", detail = "", text } = refusal;
	if (readOverflow(refusal) !== undefined) return "too-long";
	const isEmpty = (status ?? 0) < 500 && NO_MONEY.test(text) && !SOON.test(text);
	if (status === 402 || QUOTA.has(code) || QUOTA.has(detail) || isEmpty || NEVER.test(text)) return "quota";
	if (FILTER.has(code.toLowerCase()) || FILTERED.test(text)) return "filter";
	if (code === CALL) return "call";
	if (status === undefined) return BAD_KEY.test(text) ? "auth" : kindOfCode(code);
	if (status === 401 || status === 403 || (status === 400 && (AUTH.has(code) || BAD_KEY.test(text)))) return "auth";
	if (MODEL_GONE.has(code) || NO_MODEL.test(text)) return "model";
	if (NO_PATH.test(text)) return "endpoint";
	// A server that does not have a model says so; one that does not have the API has nothing to say about models.
	if (status === 404) return MODEL.has(code) || /\bmodels?\b|no endpoints found/i.test(text) ? "model" : "endpoint";
	if (status === 429) return "rate";
	if (status >= 500 || status === 408) return "server";
	return status >= 300 && status < 400 ? "elsewhere" : "request";
}

/** A failure inside a stream has no status; one with an unknown code may be temporary. */
function kindOfCode(code: string): RefusalKind {
	if (AUTH.has(code)) return "auth";
	if (MODEL.has(code)) return "model";
	if (RATE.has(code)) return "rate";
	return REQUEST.has(code) || BAD_IMAGE.test(code) ? "request" : "server";
}
