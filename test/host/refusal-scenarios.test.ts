import assert from "node:assert/strict";
import { test } from "node:test";
import { aPng } from "../support/an-image.ts";
import { renderChat } from "../support/fake-model-chat.ts";
import { renderGemini } from "../support/fake-model-gemini.ts";
import { renderMessages } from "../support/fake-model-messages.ts";
import { renderResponses } from "../support/fake-model-responses.ts";
import {
	calls,
	errsInStream,
	incomplete,
	refuses,
	type Step,
	says,
	thinks,
	together,
} from "../support/fake-model-steps.ts";
import { type WireRig, type WireTurn, withWire } from "./rig/wires.ts";

// Refusals and odd answers of real servers, on each wire: the turn ends as users expect, in the fewest requests.

const WIRES = ["responses", "chat", "messages", "gemini"] as const;
type Wire = (typeof WIRES)[number];

const refusal = (status: number, error: object): Step => ({
	kind: "rawRefusal",
	status,
	body: JSON.stringify({ error }),
});
const OK = says("Ok.");

const join = (frames: Iterable<unknown>) => [...frames].filter((frame) => typeof frame === "string").join("");
const RENDERED: Readonly<Record<Wire, () => string>> = {
	responses: () => join(renderResponses(OK, "m")),
	chat: () => join(renderChat(OK, "m", true)),
	messages: () => join(renderMessages(OK, "m")),
	gemini: () => join(renderGemini(OK)),
};

interface Scenario {
	readonly what: string;
	readonly on?: readonly Wire[];
	readonly steps: (wire: Wire) => readonly Step[];
	readonly images?: readonly string[];
	/** Where it depends on the model. */
	readonly model?: Readonly<Record<Wire, string>>;
	/** Text of the answer, or code and words of the failure. */
	readonly ends: string | readonly [code: string, words: RegExp];
	readonly requests: number;
	readonly check?: (turn: WireTurn) => void;
}

const SCENARIOS: readonly Scenario[] = [
	{
		what: "when a server calls one option unknown, the request is sent again without it",
		steps: (wire) => [
			refusal(
				400,
				{
					responses: { message: "Unknown parameter: 'prompt_cache_key'.", param: "prompt_cache_key" },
					chat: { message: "Unrecognized request argument supplied: stream_options" },
					messages: { type: "invalid_request_error", message: "thinking: Extra inputs are not permitted" },
					gemini: { code: 400, message: "Thinking is not enabled for this model.", status: "INVALID_ARGUMENT" },
				}[wire],
			),
			OK,
		],
		model: { responses: "gpt-5-fake", chat: "fake-1", messages: "claude-opus-4-8", gemini: "gemini-3-pro" },
		ends: "Ok.",
		requests: 2,
	},
	{
		what: "a missing model is named, with the server's words",
		steps: (wire) => [
			refusal(
				404,
				wire === "gemini"
					? { code: 404, message: "models/fake-2 is not found for API version v1beta", status: "NOT_FOUND" }
					: { type: "not_found_error", message: "The model `fake-2` does not exist" },
			),
		],
		ends: ["model-not-found", /does not have the model “fake-\d+” \(404: .*fake-2/],
		requests: 1,
	},
	{
		what: "an overloaded server is asked again, whether it says so by status or in its stream",
		steps: () => [refuses(529, "overloaded_error", "Overloaded"), errsInStream("overloaded_error", "Overloaded"), OK],
		ends: "Ok.",
		requests: 3,
	},
	{
		what: "an answer that the server abandons halfway is requested again, and the half is not the answer",
		steps: () => [
			{ ...says("Half of"), ending: { kind: "error", code: "overloaded_error", message: "Overloaded" } },
			OK,
		],
		ends: "Ok.",
		requests: 2,
	},
	...[
		[
			"OpenAI",
			"This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
		],
		["Anthropic", "prompt is too long: 210000 tokens > 200000 maximum"],
		["Google", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
		["xAI", "This model's maximum prompt length is 131072 but the request contains 140000 tokens."],
		[
			"Mistral",
			"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
		],
		["llama.cpp", "the request exceeds the available context size (8192 tokens), try increasing it"],
		["DeepSeek", "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens"],
		["Groq", "Please reduce the length of the messages or completion."],
		["Bedrock", "Input is too long for requested model."],
		["Together", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193"],
		["Cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081"],
		["Z.ai", "tokens in request more than max tokens allowed"],
		["Moonshot", "Your request exceeded model token limit: 131072"],
		["Alibaba", "Range of input length should be [1, 129024]"],
	].map(([who, message]) => ({
		what: `a full context is recognised in the words of ${who}`,
		steps: () => Array.from({ length: 6 }, () => refusal(400, { message, type: "invalid_request_error" })),
		ends: ["context-too-long", /./] as const,
		requests: 5,
	})),
	{
		what: "a request too large for the server is shortened and sent again, a few times at most",
		steps: () =>
			Array.from({ length: 6 }, () =>
				refusal(413, { type: "request_too_large", message: "Request exceeds the maximum size" }),
			),
		ends: ["context-too-long", /./],
		requests: 5,
	},
	{
		what: "a content filter ends the turn with its reason, once",
		steps: () => [
			refusal(400, {
				code: "content_filter",
				message: "The response was filtered due to the prompt triggering Azure's content management policy.",
			}),
		],
		ends: ["bad-request", /filter/i],
		requests: 1,
	},
	{
		what: "a refused tool schema is reported once, in the server's words",
		steps: () => [
			refusal(400, {
				type: "invalid_request_error",
				message: "Invalid schema for function 'apply_patch': schema must be closed",
			}),
		],
		ends: ["bad-request", /apply_patch.*schema must be closed/],
		requests: 1,
	},
	{
		what: "an image refused as too large is left out with a note; a small one beside it stays",
		on: ["responses", "chat", "messages"],
		images: [aPng(2_001, 1).toString("base64"), aPng(2, 2).toString("base64")],
		model: { responses: "gpt-4o-mini", chat: "gpt-4o-mini", messages: "gpt-4o-mini", gemini: "gpt-4o-mini" },
		steps: () => [
			refusal(400, {
				type: "invalid_request_error",
				message:
					"messages.0.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
			}),
			OK,
		],
		ends: "Ok.",
		requests: 2,
		check: ({ requests }) => {
			const images = requests.map((text) => text.split(aPng(2, 2).toString("base64")).length - 1);
			const notes = requests.map((text) => text.split("too large for you to be shown").length - 1);
			assert.deepEqual(
				[images, notes],
				[
					[1, 1],
					[0, 1],
				],
			);
		},
	},
	{
		what: "an image that the model cannot read is left out with a note, and the turn goes on",
		images: [aPng(2, 2).toString("base64")],
		model: { responses: "gpt-4o", chat: "gpt-4o", messages: "gpt-4o", gemini: "gpt-4o" },
		steps: (wire) => [
			refusal(wire === "chat" ? 404 : 400, {
				message: {
					responses: "Invalid content type. image_url is only supported by certain models.",
					chat: "No endpoints found that support image input",
					messages: "messages.0.content.1: This model does not support image input.",
					gemini: "Image input modality is not enabled for models/fake-1",
				}[wire],
			}),
			OK,
		],
		ends: "Ok.",
		requests: 2,
	},
	{
		what: "refused sealed reasoning is left out, and the turn goes on",
		steps: (wire) => [
			together(thinks("Hm."), calls("list_files", {})),
			refusal(400, {
				message: {
					responses: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
					chat: "Corrupted thought signature.",
					messages: "messages.1.content.0: Invalid `signature` in `thinking` block",
					gemini: "Corrupted thought signature.",
				}[wire],
			}),
			OK,
		],
		on: ["responses", "messages", "gemini"],
		ends: "Ok.",
		requests: 3,
	},
	{
		what: "an unknown stop reason keeps the text as the answer on wires whose servers add reasons of their own",
		on: ["chat", "messages"],
		steps: () => [incomplete("moon_phase", "All there is.")],
		ends: "All there is.",
		requests: 1,
	},
	{
		what: "an unknown stop reason fails the turn and is named",
		on: ["responses", "gemini"],
		steps: () => [incomplete("moon_phase", "All there is.")],
		ends: ["bad-stream", /moon_phase/i],
		requests: 1,
	},
	{
		what: "an empty answer is requested once more, then reported as empty",
		steps: () => [says(""), says(""), says("")],
		ends: ["bad-stream", /^The model ended without an answer\./],
		requests: 2,
	},
	{
		what: "after the output of a call a turn can end without text",
		steps: () => [calls("list_files", {}), says(""), OK],
		ends: "",
		requests: 2,
	},
	{
		what: "an answer that is only reasoning is requested again",
		steps: () => [thinks("Only thoughts."), OK, OK],
		ends: "Ok.",
		requests: 2,
	},
	{
		what: "a call with broken JSON goes back as an error, and the turn goes on",
		on: ["responses", "chat", "messages"],
		steps: () => [calls("read_file", '{"path": "READ'), OK],
		ends: "Ok.",
		requests: 2,
	},
	{
		what: "a model that allows one call at a time is asked for only one",
		steps: () => [
			together(calls("list_files", {}), calls("read_file", { path: "README.md" })),
			refusal(400, { message: "This model only supports single tool-calls at once!" }),
			OK,
		],
		on: ["chat"],
		ends: "Ok.",
		requests: 3,
	},
	{
		what: "refused call ids are shortened to nine letters and digits",
		on: ["chat"],
		steps: () => [
			calls("list_files", {}),
			refusal(400, { message: "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9." }),
			OK,
		],
		ends: "Ok.",
		requests: 3,
		check: ({ requests }) => assert.match(requests[2] ?? "", /"tool_call_id":"[a-zA-Z0-9]{9}"/),
	},
	{
		what: "required reasoning is sent back, even for a call that came without any",
		on: ["chat"],
		steps: () => [
			calls("list_files", {}),
			refusal(400, { message: "The `reasoning_content` in the thinking mode must be passed back to the API." }),
			OK,
		],
		ends: "Ok.",
		requests: 3,
		check: ({ requests }) => assert.match(requests[2] ?? "", /"reasoning_content":""/),
	},
	{
		what: "an error that a gateway wraps is read as its provider's: a full context is recognised",
		on: ["chat"],
		steps: () =>
			Array.from({ length: 6 }, () =>
				refusal(400, {
					message: "Provider returned error",
					metadata: { raw: '{"error":{"message":"prompt is too long: 9 tokens > 8"}}', provider_name: "Acme" },
				}),
			),
		ends: ["context-too-long", /./],
		requests: 5,
	},
	{
		what: "thinking in tags before an answer is not part of the answer, and is not sent back as such",
		on: ["chat"],
		steps: () => [says("<think>Secretly.</think>Ok.")],
		ends: "Ok.",
		requests: 1,
		check: ({ items }) => assert.ok(items.some(({ kind }) => kind === "reasoning")),
	},
	{
		what: "a refused order of roles is changed",
		on: ["chat"],
		steps: () => [refusal(400, { message: "Conversation roles must alternate user/assistant/user/assistant/..." }), OK],
		ends: "Ok.",
		requests: 2,
	},
	{
		what: "where only an answer may follow call results, one is inserted",
		on: ["chat"],
		steps: () => [
			calls("list_files", {}),
			refusal(400, {
				message: "Unexpected role 'user' after role 'tool'",
				type: "invalid_request_message_order",
				code: "3230",
			}),
			OK,
		],
		ends: "Ok.",
		requests: 3,
	},
	{
		what: "a refused role is replaced by another",
		on: ["responses", "chat"],
		steps: () => [
			refusal(400, {
				message: "Invalid value: 'developer'. Supported values are: 'system', 'assistant', 'user'.",
				param: "input[0].role",
			}),
			OK,
		],
		ends: "Ok.",
		requests: 2,
	},
	{
		what: "an output limit too large for the model becomes the one that the server names",
		on: ["messages"],
		steps: () => [
			refusal(400, {
				type: "invalid_request_error",
				message: "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for fake-1",
			}),
			OK,
		],
		ends: "Ok.",
		requests: 2,
		check: ({ requests }) => assert.equal(JSON.parse(requests[1] ?? "").max_tokens, 8192),
	},
	{
		what: "an output limit is lowered from other servers' wording too",
		on: ["messages"],
		steps: () => [
			refusal(400, {
				message: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192], must be at most 8192",
			}),
			OK,
		],
		ends: "Ok.",
		requests: 2,
	},
	...[
		[
			"Anthropic",
			"input length and `max_tokens` exceed context limit: 3000 + 32000 > 16384, decrease input length or `max_tokens` and try again",
			4_096,
		],
		[
			"vLLM",
			"'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 16384 tokens and your request has 3000 input tokens (32000 > 16384 - 3000).",
			4_096,
		],
		[
			"vLLM, newer",
			"This model's maximum context length is 32768 tokens. However, you requested 32000 output tokens and your prompt contains at least 769 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=769)",
			8_192,
		],
		[
			"vLLM, of the answer alone",
			"max_tokens=32000 cannot be greater than max_model_len=max_total_tokens=16384. Please request fewer output tokens. (parameter=max_tokens, value=32000)",
			8_192,
		],
		[
			"OpenRouter",
			"This endpoint's maximum context length is 16384 tokens. However, you requested about 35000 tokens (3000 of text input, 32000 in the output). Please reduce the length of either one.",
			4_096,
		],
		["DeepSeek", "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8_192],
		[
			"Bedrock",
			"The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
			4_096,
		],
	].map(
		([server = "", message, most]): Scenario => ({
			what: `a shorter answer is asked for where ${server} has no room for a long one after a short prompt`,
			on: ["messages"],
			steps: () => [refusal(400, { type: "invalid_request_error", message }), OK],
			ends: "Ok.",
			requests: 2,
			check: ({ requests }) => assert.equal(JSON.parse(requests[1] ?? "").max_tokens, most),
		}),
	),
	{
		what: "reasoning that nothing followed, because calls had done the work, does not go back",
		on: ["responses"],
		steps: () => [calls("list_files", {}), thinks("All is done.")],
		ends: "",
		requests: 2,
	},
	{
		what: "a server that cannot stream is reported once",
		steps: () => [refusal(400, { message: "Streaming is not supported for this model.", param: "stream" })],
		ends: ["bad-request", /Streaming is not supported/],
		requests: 1,
	},
	{
		what: "a model without tools answers without them",
		steps: () => [refusal(400, { message: "registry.ollama.ai/library/fake-1 does not support tools" }), OK],
		ends: "Ok.",
		requests: 2,
	},
	{
		what: "a proxy's page in place of an answer is no answer",
		steps: () =>
			[1, 2, 3].map(
				() => ({ kind: "raw", body: "<!doctype html><html><title>Sign in to the network</title></html>" }) as const,
			),
		ends: ["bad-stream", /./],
		requests: 2,
	},
	{
		what: "an empty account of MiniMax, told with the status of a success, is named and not asked again",
		on: ["chat", "messages"],
		steps: () => [
			{
				kind: "raw",
				body: JSON.stringify({ choices: null, base_resp: { status_code: 1008, status_msg: "insufficient balance" } }),
			},
		],
		ends: ["rate-limit", /quota.*insufficient balance/],
		requests: 1,
	},
	{
		what: "a call that Google could not read is asked for once more, and the text before it is no answer",
		on: ["chat"],
		steps: () => [incomplete("function_call_filter: MALFORMED_FUNCTION_CALL", "I look."), OK],
		ends: "Ok.",
		requests: 2,
	},
	{
		what: "a used up budget of LiteLLM, which repeats the status as the code, is named and not asked again",
		steps: () => [
			refusal(400, {
				message: "ExceededBudget: User=u over budget. Spend=11, Budget=10",
				type: "budget_exceeded",
				param: null,
				code: "400",
			}),
		],
		ends: ["rate-limit", /quota.*over budget/],
		requests: 1,
	},
	{
		what: "a limit of tokens per day by its short name is named and not asked again",
		steps: () => [
			refusal(429, {
				type: "rate_limit_reached_error",
				message:
					"Your account org-1 / proj-1 <ak-1> request reached organization TPD rate limit, current: 1505241, limit: 1500000",
			}),
		],
		ends: ["rate-limit", /TPD rate limit/],
		requests: 1,
	},
	{
		what: "an account without money is not asked again",
		steps: () => [
			refusal(400, { type: "invalid_request_error", message: "Your credit balance is too low to access the API." }),
		],
		ends: ["rate-limit", /credit balance/],
		requests: 1,
	},
	{
		what: "a country or rule that forbids the request is reported as that, not as a wrong key",
		steps: () => [
			refusal(403, {
				code: "unsupported_country_region_territory",
				message: "Country, region, or territory not supported",
			}),
		],
		ends: ["auth", /Country, region, or territory not supported/],
		requests: 1,
	},
	{
		what: "a pause named in the text of a rate limit is waited for",
		steps: () => [
			refusal(429, { code: "rate_limit_exceeded", message: "Rate limit reached. Please try again in 20ms." }),
			OK,
		],
		ends: "Ok.",
		requests: 2,
	},
	...Object.entries({
		"CRLF line ends": (body: string) => body.replaceAll("\n", "\r\n"),
		"a byte-order mark": (body: string) => `\uFEFF${body}`,
		"no last line end": (body: string) => body.trimEnd(),
		"comments between": (body: string) => body.replaceAll("\n\n", "\n\n: ping\n\n"),
	}).map(([form, change]) => ({
		what: `a stream with ${form} is read as any other`,
		steps: (wire: Wire): readonly Step[] => [{ kind: "raw", body: change(RENDERED[wire]()) }],
		ends: "Ok.",
		requests: 1,
	})),
	{
		what: "a gateway that cannot reach its model is asked again",
		steps: () => [
			{ kind: "rawRefusal", status: 502, body: "<html><title>502 Bad Gateway</title></html>" },
			{ kind: "rawRefusal", status: 524, body: "error code: 524" },
			OK,
		],
		ends: "Ok.",
		requests: 3,
	},
];

let models = 0;

async function play(
	rig: WireRig,
	{ steps, images = [], model, ends, requests, check }: Scenario,
	wire: Wire,
): Promise<void> {
	// What one scenario teaches is about its own model.
	models += 1;
	const settings = { model: { id: model?.[wire] ?? `fake-${models}` } };
	const turn = await rig.turn([...steps(wire), ...Array.from({ length: 4 }, () => says("Too late."))], {
		images,
		settings,
	});
	const how = `${turn.end.error?.code}: ${turn.end.error?.message} / ${turn.text} / ${turn.requests.length} requests`;
	if (typeof ends === "string") assert.equal(turn.text, ends, how);
	else {
		assert.equal(turn.end.error?.code, ends[0], how);
		assert.match(turn.end.error?.message ?? "", ends[1], how);
	}
	assert.ok(turn.requests.length <= requests, how);
	check?.(turn);
	// In every case the thread can be continued.
	assert.equal(
		(
			await rig.turn(
				Array.from({ length: 6 }, () => OK),
				{ threadId: turn.threadId },
			)
		).end.status,
		"completed",
		how,
	);
}

for (const wire of WIRES) {
	test(`${wire}: each refusal and odd answer of a server ends as users expect, and the thread goes on`, (t) =>
		withWire(t, wire, { retry: { baseDelayMs: 1 } }, async (rig) => {
			for (const scenario of SCENARIOS.filter(({ on = WIRES }) => on.includes(wire))) {
				await t.test(`${wire}: ${scenario.what}`, () => play(rig, scenario, wire));
			}
		}));
}
