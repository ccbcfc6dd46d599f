import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createServerMemory, KnownServers } from "../../../agent-host/model/memory.ts";
import { ModelFailure } from "../../../agent-host/model/port.ts";
import { resolveModel } from "../../../agent-host/model/resolve-model.ts";
import { askInWords } from "../../../agent-host/model/wires/host-text.ts";
import { wireArguments, wireCallId, wireName } from "../../../agent-host/model/wires/names.ts";
import { readUsage } from "../../../agent-host/model/wires/read-usage.ts";
import { classifyRefusal, type RefusalKind } from "../../../agent-host/model/wires/refusals/classify-refusal.ts";
import { lessonFrom } from "../../../agent-host/model/wires/refusals/lessons.ts";
import { lessonOfOutput } from "../../../agent-host/model/wires/refusals/output-lessons.ts";
import { readOverflow } from "../../../agent-host/model/wires/refusals/overflow.ts";
import { type Quirk, withoutRefused } from "../../../agent-host/model/wires/refusals/quirks.ts";
import { normalizeRefusal, plainLine, readRefusal } from "../../../agent-host/model/wires/refusals/refusal.ts";
import { ModelSettings } from "../../../agent-host/protocol/settings/settings.ts";

const BODY = {
	model: "m",
	messages: [{ role: "developer" }, { role: "system" }, { role: "user" }],
	tools: [],
	max_tokens: 32_000,
	stream: true,
	stream_options: { include_usage: true },
	reasoning_effort: "high",
	response_format: { type: "json_schema" },
};

/** Real answers of servers in their own forms, and the lesson of each. */
const REFUSALS: readonly (readonly [server: string, status: number, body: string, learned: Quirk | undefined])[] = [
	[
		"FastAPI",
		422,
		'{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}',
		"no-stream_options",
	],
	[
		"vLLM",
		400,
		`{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]","type":"BadRequestError","param":null,"code":400}`,
		"no-stream_options",
	],
	[
		"OpenAI",
		400,
		`{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":null,"code":null}}`,
		"no-reasoning_effort",
	],
	[
		"xAI",
		400,
		'{"code":"Client specified an invalid argument","error":"Model grok-build does not support parameter reasoningEffort."}',
		"no-reasoning_effort",
	],
	[
		"OpenAI, by parameter",
		400,
		`{"error":{"message":"Not allowed here.","type":"invalid_request_error","param":"reasoning_effort","code":"unsupported_parameter"}}`,
		"no-reasoning_effort",
	],
	[
		"Ollama",
		400,
		'{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error","param":null,"code":null}}',
		"no-tools",
	],
	[
		"vLLM without a parser",
		400,
		'{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}',
		"no-tools",
	],
	[
		"llama.cpp",
		500,
		'{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}',
		"no-tools",
	],
	[
		"a template",
		500,
		'{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/...","type":"server_error"}}',
		"roles-alternate",
	],
	[
		"a server before the developer role",
		400,
		`{"error":{"message":"Invalid value for role: Input should be 'system', 'user', 'assistant' or 'tool'"}}`,
		"no-developer-role",
	],
	[
		"Mistral",
		400,
		`{"object":"error","message":"Unexpected role 'user' after role 'tool'","type":"invalid_request_message_order","param":null,"code":"3230"}`,
		"answer-after-tools",
	],
	["LM Studio", 400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`, "no-json_schema"],
	[
		"DeepSeek",
		400,
		'{"error":{"message":"Missing `reasoning_content` field in the assistant message at message index 3."}}',
		"reasoning-back",
	],
	[
		"OpenRouter",
		404,
		'{"error":{"code":404,"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs"}}',
		"no-tools",
	],
	[
		"Ollama, of thinking",
		400,
		'{"error":{"message":"\\"llama3\\" does not support thinking","type":"invalid_request_error"}}',
		"no-reasoning_effort",
	],
	[
		"Ollama, of an effort",
		400,
		'{"error":{"message":"think value \\"high\\" is not supported for this model","type":"api_error"}}',
		"no-reasoning_effort",
	],
	[
		"LiteLLM before Claude",
		400,
		'{"error":{"message":"litellm.BadRequestError: AnthropicException - messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns."}}',
		"no-reasoning_effort",
	],
	["a refusal that names nothing", 400, '{"error":{"message":"Bad request."}}', undefined],
	[
		"a bad tool of ours",
		400,
		`{"error":{"message":"Invalid schema for function 'read_file'","param":"tools[0].function.parameters"}}`,
		undefined,
	],
	[
		"a rate limit that names an option",
		429,
		'{"error":{"message":"Too many requests with stream_options."}}',
		undefined,
	],
	["a page", 400, "<html>stream of nothing</html>", undefined],
];

for (const [server, status, body, learned] of REFUSALS) {
	test(`${server} teaches the client: ${learned ?? "nothing"}`, () => {
		const refusal = refusalFrom(status, body);
		assert.deepEqual(lessonFrom(refusal, BODY, new Set())?.quirks, learned && [learned]);
		if (learned !== undefined)
			assert.notDeepEqual(lessonFrom(refusal, BODY, new Set([learned]))?.quirks, [learned], "a lesson is learned once");
	});
}

test("an option that is refused is left out of the next body, and nothing else is", () => {
	const { stream_options: _, ...rest } = BODY;
	assert.deepEqual(withoutRefused(BODY, new Set<Quirk>(["no-stream_options", "no-text"])), rest);
});

const OVERFLOWS: readonly (readonly [server: string, body: string, window: number | undefined])[] = [
	[
		"OpenAI",
		`{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`,
		8_192,
	],
	[
		"OpenAI, without a number",
		'{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}',
		undefined,
	],
	[
		"vLLM",
		'{"object":"error","message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096."}',
		4_096,
	],
	[
		"llama.cpp",
		'{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}',
		4_096,
	],
	[
		"LM Studio",
		'{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}',
		4_096,
	],
	[
		"Mistral",
		'{"message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"}',
		32_768,
	],
	[
		"Gemini",
		'{"error":{"message":"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)."}}',
		1_048_576,
	],
	["Anthropic", '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}', 200_000],
	["xAI", `{"error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, 131_072],
	[
		"a gateway with commas",
		`{"error":{"message":"This endpoint's maximum context length is 131,072 tokens."}}`,
		131_072,
	],
	[
		"vLLM's engine",
		'{"message":"The engine prompt length 10188 exceeds the max_model_len 8192. Please reduce prompt."}',
		8_192,
	],
	[
		"vLLM, by its validator",
		`{"error":{"message":"Input length (5000) exceeds model's maximum context length (4096)."}}`,
		4_096,
	],
	["SGLang", `{"message":"Requested token count exceeds the model's maximum context length of 32768 tokens."}`, 32_768],
	[
		"SGLang, of the input",
		`{"message":"The input (5000 tokens) is longer than the model's context length (4096 tokens)."}`,
		4_096,
	],
	[
		"text-generation-inference",
		'{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens"}',
		4_096,
	],
	["an older one", '{"error":"Input validation error: `inputs` must have less than 2048 tokens. Given: 3000"}', 2_048],
	[
		"llama.cpp, newer",
		'{"error":{"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"}}',
		4_096,
	],
	["Ollama", '{"error":{"message":"the input length exceeds the context length"}}', undefined],
	[
		"LM Studio, newer",
		'{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}',
		undefined,
	],
	["LM Studio, in the middle", '{"error":"Context size has been exceeded."}', undefined],
	[
		"Anthropic, with the answer",
		'{"error":{"message":"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length"}}',
		200_000,
	],
	["Bedrock", '{"message":"Input is too long for requested model."}', undefined],
	[
		"Bedrock, counted",
		'{"message":"Too many input tokens. Max input tokens: 32768, request input token count: 40000"}',
		32_768,
	],
	[
		"Cohere",
		'{"message":"too many tokens: size limit exceeded by 4881 tokens. Try using shorter or fewer inputs. The limit for this model is 128000 tokens."}',
		128_000,
	],
	[
		"Fireworks",
		'{"error":{"message":"The prompt is too long: 140000, model maximum context length: 131071"}}',
		131_071,
	],
	["DashScope", '{"error":{"message":"Range of input length should be [1, 30720]"}}', 30_720],
	[
		"Moonshot",
		'{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)"}}',
		262_144,
	],
	["Zhipu", '{"error":{"code":"1261","message":"Prompt exceeds max length"}}', undefined],
	["Zhipu, at home", '{"error":{"code":"1261","message":"Prompt 超长"}}', undefined],
	["a Chinese gateway", '{"error":{"message":"输入超过模型的上下文长度"}}', undefined],
	[
		"Vertex",
		'{"error":{"message":"Unable to submit request because the input token count is 37530 but model only supports up to 32768. Reduce the input token count and try again."}}',
		32_768,
	],
	["TensorRT", '{"error":"Prompt length (5000) exceeds maximum input length (4096)."}', 4_096],
	[
		"TensorRT, newer",
		'{"message":"The sum of prompt length (9000.0), query length (0) should not exceed max_num_tokens (8192)"}',
		8_192,
	],
	[
		"SambaNova",
		'{"error":{"message":"Requested generation length 1 is not possible! The provided prompt is 20000 tokens long, so generating 1 tokens requires a sequence length of 20001, but the maximum supported sequence length is just 16384!"}}',
		16_384,
	],
	["LM Studio", '{"error":"Cannot truncate prompt with n_keep (5000) >= n_ctx (4096)"}', 4_096],
	["Moonshot, in bytes", '{"error":{"message":"total message size 10176584 exceeds limit 2097152"}}', undefined],
	["Google, in bytes", '{"error":{"message":"Request payload size exceeds the limit: 20971520 bytes."}}', undefined],
	["MiniMax", '{"error":{"message":"invalid params, context window exceeds limit (2013)"}}', undefined],
	["Copilot", '{"error":{"message":"prompt token count of 135000 exceeds the limit of 128000"}}', 128_000],
	[
		"GitHub",
		'{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}',
		8_000,
	],
	[
		"Cerebras",
		'{"message":"Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192"}',
		8_192,
	],
	[
		"OpenAI, newer",
		'{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens."}}',
		272_000,
	],
	[
		"SiliconFlow",
		'{"code":20015,"message":"length of prompt_tokens (57535) must be less than max_seq_len (32768).","data":null}',
		32_768,
	],
	["TabbyAPI", '{"error":{"message":"Context length 9000 is greater than max_seq_len 4096"}}', 4_096],
	[
		"Volcengine",
		'{"error":{"code":"InvalidParameter","message":"Total tokens of image and text exceed max message tokens."}}',
		undefined,
	],
	["Volcengine, counted", '{"error":{"message":"Input length 140000 exceeds the maximum length 131072."}}', 131_072],
	["Moonshot, older", '{"error":{"message":"Invalid request: Input token length too long"}}', undefined],
	[
		"Bedrock's Nova",
		'{"message":"Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input."}',
		undefined,
	],
	["Mistral, newer", '{"message":"tokens in request more than max tokens allowed"}', undefined],
	["Qwen", '{"error":{"message":"The input exceeds the maximum allowed input length of 98304 tokens."}}', 98_304],
	["a gateway", '{"error":{"message":"Token limit exceeded for this request."}}', undefined],
	["Anthropic, in the answer", '{"error":{"type":"model_context_window_exceeded","message":"No."}}', undefined],
	[
		"what is behind OpenRouter",
		'{"error":{"code":400,"message":"Provider returned error","metadata":{"provider_name":"Acme","raw":"{\\"error\\":{\\"message\\":\\"maximum context length is 8192 tokens\\"}}"}}}',
		8_192,
	],
	["a server that lies", `{"error":{"message":"This model's maximum context length is 7 tokens."}}`, undefined],
];

for (const [server, body, window] of OVERFLOWS) {
	test(`an overflow is recognized from ${server}, with the window if it is named`, () => {
		assert.deepEqual(readOverflow(refusalFrom(400, body)), { window });
	});
}

test("neither a token rate limit nor any other refusal is an overflow", () => {
	for (const [status, message] of [
		[429, "Limit of 30000 tokens per minute: this request exceeds the limit of 30000."],
		[400, "This request exceeds the limit of 30000 tokens per minute."],
		[400, "max_tokens is too large: 5000. This model supports at most 4096 completion tokens."],
		[400, "Invalid image: the file exceeds the limit of 20 MB."],
		[500, "context deadline exceeded"],
		[400, "The parameter temperature exceeds its maximum."],
		[400, "Invalid 'input[3].name': the value exceeds the maximum length of 64."],
		[400, "Bad request."],
		[undefined, "Too many tokens, please wait before trying again."],
	] as const) {
		assert.equal(readOverflow(refusalFrom(status, JSON.stringify({ error: { message } }))), undefined);
	}
});

test("a request with too many bytes counts as too long, and teaches no window", () => {
	const page = "<html><head><title>413 Request Entity Too Large</title></head></html>";
	const perMinute = '{"error":{"message":"Request too large on tokens per minute (TPM): Limit 6000, Requested 7000"}}';
	for (const body of [page, perMinute, ""])
		assert.deepEqual(readOverflow(refusalFrom(413, body)), { window: undefined }, body);
});

test("a prompt that fills the window, or a rate limit, is no reason to ask for a shorter answer", () => {
	const ask = (status: number, text: string) =>
		lessonOfOutput({ status, code: undefined, param: undefined, text }, BODY);
	const together = (prompt: number) =>
		`input length and \`max_tokens\` exceed context limit: ${prompt} + 32000 > 64000`;
	assert.deepEqual(ask(400, together(48_000))?.quirks, ["output-4k"]);
	assert.equal(ask(400, together(48_001)), undefined);
	assert.equal(ask(429, together(10_000)), undefined);
	assert.equal(ask(429, "Over the limit of tokens per minute: max_tokens must be at most 4096"), undefined);
});

/** The kind of each refusal, over HTTP and in a stream, in the forms that servers use. */
const KINDS: readonly (readonly [status: number | undefined, body: string, kind: RefusalKind])[] = [
	[401, "", "auth"],
	[403, "<!doctype html><title>Access denied</title>", "auth"],
	[400, '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"X"}}]', "auth"],
	[400, '{"code":"invalid argument","error":"Incorrect API key provided: xa***9."}', "auth"],
	[404, "404 page not found", "endpoint"],
	[404, '{"detail":"Not Found"}', "endpoint"],
	[404, '{"error":{"message":"model \\"x\\" not found, try pulling it first"}}', "model"],
	[400, '{"error":{"message":"Your credit balance is too low to access the API."}}', "quota"],
	[401, '{"error":{"message":"Insufficient credits. Add more.","code":401}}', "quota"],
	[403, '{"error":{"message":"Account is out of credits"}}', "quota"],
	[undefined, '{"message":"Insufficient Balance"}', "quota"],
	[400, '{"error":{"code":"content_filter","message":"The response was filtered"}}', "filter"],
	[undefined, '{"code":"data_inspection_failed","message":"Output data may contain inappropriate content."}', "filter"],
	[401, '{"error":{"message":"User not found."}}', "auth"],
	[400, '{"error":{"code":"model_not_found","message":"No."}}', "model"],
	[402, '{"error":{"message":"Insufficient Balance"}}', "quota"],
	[429, '{"error":{"type":"insufficient_quota","code":null,"message":"You exceeded your current quota"}}', "quota"],
	[429, '{"error":"slow down"}', "rate"],
	[503, '{"error":{"code":"slow_down"}}', "server"],
	[529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "server"],
	[307, "", "elsewhere"],
	[418, "I am a teapot.", "request"],
	[undefined, '{"code":529,"message":"Overloaded"}', "server"],
	[undefined, '{"code":"429","message":"Slow."}', "rate"],
	[undefined, '{"type":"authentication_error","message":"No."}', "auth"],
	[undefined, '{"error":{"message":"Incorrect API key provided."}}', "auth"],
	[undefined, '{"type":"__proto__","message":"No."}', "server"],
	[404, '{"error":{"code":404,"message":"No endpoints found that can handle the requested parameters."}}', "model"],
	[400, '{"error":{"code":400,"message":"foo/bar is not a valid model ID"}}', "model"],
	[400, '{"message":"The provided model identifier is invalid."}', "model"],
	[404, '{"error":{"code":"DeploymentNotFound","message":"The API deployment does not exist."}}', "model"],
	[400, '{"error":{"code":"1211","message":"Unknown Model, please check the model code."}}', "model"],
	[400, '{"error":{"code":"1301","message":"System detected potentially unsafe content."}}', "filter"],
	[403, '{"error":{"code":403,"message":"x/y requires moderation. Your input was flagged"}}', "filter"],
	[400, '{"error":{"code":"tool_use_failed","message":"Failed to call a function."}}', "call"],
	[undefined, '{"code":"tool_use_failed","type":"invalid_request_error","message":"Failed."}', "call"],
	[429, '{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}', "quota"],
	[429, '{"error":{"code":"1308","message":"Usage limit reached for 5 hour."}}', "quota"],
	[429, '{"error":{"type":"exceeded_current_quota_error","message":"Check your account."}}', "quota"],
	[429, '{"code":"exhausted","error":"Your team has used all available credits or reached its limit."}', "quota"],
	[429, '{"error":{"message":"Quota exceeded for metric: x, limit: 0, model: y. Please retry in 55.5s."}}', "quota"],
	[429, '{"error":{"message":"Too fast, limit: 0.5 requests a second."}}', "rate"],
	[400, '{"error":{"code":"Arrearage","message":"Access denied."}}', "quota"],
	[400, '{"error":{"type":"budget_exceeded","message":"Budget has been exceeded!"}}', "quota"],
	[500, '{"type":"error","error":{"type":"api_error","message":"insufficient balance (1008)"}}', "quota"],
];

test("a refusal is classified the same in every form that servers use", () => {
	for (const [status, body, kind] of KINDS)
		assert.equal(classifyRefusal(refusalFrom(status, body)), kind, `${status} ${body}`);
});

test("a request larger than the per-minute limit is too long; one that only comes too soon is a rate limit", () => {
	const text = (requested: number) =>
		`Request too large for gpt-5 in organization o on tokens per min (TPM): Limit 30000, Requested ${requested}.`;
	const read = (requested: number) => refusalFrom(429, JSON.stringify({ error: { message: text(requested) } }));
	assert.deepEqual(readOverflow(read(45_000)), { window: undefined });
	assert.equal(readOverflow(read(20_000)), undefined);
	assert.deepEqual([classifyRefusal(read(45_000)), classifyRefusal(read(20_000))], ["too-long", "rate"]);
});

test("a gateway's message is replaced by the one it passes on, with the provider's name", () => {
	const message = (metadata: object) =>
		normalizeRefusal(JSON.stringify({ error: { message: "Provider returned error", code: 400, metadata } })).error
			.message;
	assert.equal(message({ raw: '{"error":{"message":"No."}}', provider_name: "Acme" }), "Acme: No.");
	assert.equal(message({ raw: "plain words" }), "plain words");
	assert.equal(message({ raw: '{"detail":1}' }), '{"detail":1}');
	assert.equal(message({}), "Provider returned error");
});

test("the title of an HTML error page is shown", () => {
	const message = (body: string) => normalizeRefusal(body).error.message;
	assert.equal(
		message("<html>\n<head><title>502 Bad Gateway</title></head><body>nginx</body></html>"),
		"502 Bad Gateway",
	);
	assert.equal(message("<!DOCTYPE html><body>Sign in</body>"), "an HTML page without a title");
	assert.equal(message("<3 is no page"), "<3 is no page");
});

test("any body of a refusal can be read, and never beyond the limit", () => {
	fc.assert(
		fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
			assert.equal(typeof normalizeRefusal(body).error.message, "string");
		}),
	);
	assert.ok(String(normalizeRefusal("x".repeat(5_000_000)).error.message).length < 70_000);
});

test("a server's message becomes one plain short line", () => {
	const line = plainLine(`\u001b[31mred\u001b[0m\r\n<b>\u202e\u0000x\u2028</b>${"y".repeat(9_999)}`);
	assert.match(line, /^red <b> x <\/b>y+…$/);
	assert.ok(line.length <= 301);
});

test("a lesson applies to one model at one origin, and is read back from the file", () => {
	let saved: KnownServers = { servers: {} };
	const memory = createServerMemory(
		saved,
		(known) => {
			saved = known;
		},
		() => 1_000,
	);
	memory.learnQuirk("http://a", "m", "no-stream_options");
	memory.learnQuirk("http://a", "m", "no-tools");
	memory.learnModel("http://a", "m", { learned: { window: 4_096, setting: 0 } });
	memory.learnModel("http://a", "m", { served: 8_192 });
	const file = KnownServers.parse(JSON.parse(JSON.stringify(saved)));
	const again = createServerMemory(
		file,
		() => undefined,
		() => 2_000,
	);
	assert.deepEqual(
		[
			again.quirks("http://a", "m"),
			again.quirks("http://a", "n"),
			again.quirks("http://b", "m"),
			again.model("http://a", "m"),
		],
		[
			new Set(["no-stream_options", "no-tools"]),
			new Set(),
			new Set(),
			{ learned: { window: 4_096, setting: 0 }, served: 8_192 },
		],
	);
});

test("nothing is saved if nothing new was learned, and hostile names are treated only as names", () => {
	let saves = 0;
	const memory = createServerMemory(
		{ servers: {} },
		() => {
			saves += 1;
		},
		Date.now,
	);
	for (const name of ["m", "m", "__proto__", "__proto__", "constructor"])
		memory.learnModel("http://a", name, { served: 4_096 });
	assert.deepEqual(
		[saves, memory.model("http://a", "__proto__"), memory.model("http://a", "toString")],
		[3, { served: 4_096 }, {}],
	);
});

test("the window is the learned one, else the user's, the server's, the table's or a guess, and names its source", () => {
	const window = (settings: object, known: object) => {
		const chosen = ModelSettings.parse({ provider: "compatible", baseUrl: "http://a/v1", id: "gpt-4o", ...settings });
		const resolved = resolveModel(chosen, { model: () => known });
		return resolved instanceof ModelFailure ? resolved : [resolved.windowSource, resolved.window];
	};
	const learned = { learned: { window: 4_096, setting: 0 }, served: 8_192 };
	assert.deepEqual(
		[
			window({}, learned),
			window({ contextWindow: 20_000 }, learned),
			window({ contextWindow: 20_000 }, { learned: { window: 9_000, setting: 20_000 } }),
			window({}, { served: 8_192 }),
			window({}, {}),
			window({ id: "unheard-of" }, {}),
		],
		[
			["learned", 4_096],
			["setting", 20_000],
			["learned", 9_000],
			["server", 8_192],
			["table", 128_000],
			["assumed", 32_000],
		],
	);
});

test("contradictory or impossible usage counts as none", () => {
	const base = { prompt_tokens: 10, completion_tokens: 10 };
	for (const usage of [
		{ ...base, total_tokens: 5 },
		{ ...base, prompt_tokens: 1e12 },
		{ ...base, completion_tokens: -1 },
		{ ...base, prompt_tokens: Number.NaN },
		{ ...base, prompt_tokens: "10" },
		{ prompt_tokens: 0, completion_tokens: 0 },
		{ ...base, prompt_tokens: 10.5 },
		{ prompt_tokens: 10 },
		null,
	]) {
		assert.equal(readUsage(usage), undefined);
	}
});

test("details that a server leaves empty do not spoil what it counted", () => {
	const usage = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: null, audio: {} } };
	assert.deepEqual(readUsage(usage), { input: 10, cached: 0, output: 5, reasoning: 0, total: 15 });
});

test("counts under the names of another wire that are empty or zero do not replace what was counted", () => {
	const base = {
		prompt_tokens: 100,
		completion_tokens: 5,
		total_tokens: 105,
		prompt_tokens_details: { cached_tokens: 80 },
	};
	for (const other of [
		{ input_tokens: 0, output_tokens: 0, input_tokens_details: null },
		{ input_tokens: null, output_tokens: null, cache_read_input_tokens: null },
		{ input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 80 },
	])
		assert.deepEqual(readUsage({ ...base, ...other }), { input: 100, cached: 80, output: 5, reasoning: 0, total: 105 });
	const empty = { input_tokens: 100, output_tokens: 5, input_tokens_details: { cached_tokens: 80 } };
	assert.equal(readUsage({ ...empty, cache_read_input_tokens: null })?.input, 100);
});

test("reasoning that is counted separately is added to the output", () => {
	const usage = {
		prompt_tokens: 10,
		completion_tokens: 5,
		total_tokens: 35,
		completion_tokens_details: { reasoning_tokens: 20 },
	};
	assert.deepEqual(readUsage(usage), { input: 10, cached: 0, output: 25, reasoning: 20, total: 35 });
});

test("cache reads and writes count as input, even if a server counts them separately", () => {
	const counts = { input: 110, cached: 80, output: 5, reasoning: 0, total: 115 };
	for (const [usage, expected] of [
		[{ prompt_tokens: 30, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } }, counts],
		[{ prompt_tokens: 110, completion_tokens: 5, cached_tokens: 80 }, counts],
		[
			{ input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 80, cache_creation_input_tokens: 20 },
			{ ...counts, cacheWrite: 20 },
		],
		[
			{
				prompt_tokens: 110,
				completion_tokens: 5,
				prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 20 },
			},
			{ ...counts, cacheWrite: 20 },
		],
	] as const)
		assert.deepEqual(readUsage(usage), expected);
});

test("reasoning that only the total contains counts as output", () => {
	const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 45 };
	assert.deepEqual(readUsage(usage), { input: 10, cached: 0, output: 35, reasoning: 30, total: 45 });
});

test("call ids are sent in a form that the server accepts, and different ids stay different", () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 80 }), fc.string({ maxLength: 80 }), (a, b) => {
			assert.match(wireCallId(a, "short"), /^[a-z0-9]{9}$|^[a-zA-Z0-9]{9}$/);
			assert.match(wireCallId(a, "plain"), /^[\w-]{1,64}$/);
			assert.equal(a === b, wireCallId(a, "short") === wireCallId(b, "short"));
		}),
	);
	assert.deepEqual(
		[wireCallId("functions.read:0"), wireCallId("a1B2c3D4e", "short"), wireCallId("toolu_01-x", "plain")],
		["functions.read:0", "a1B2c3D4e", "toolu_01-x"],
	);
	assert.notEqual(wireCallId("functions.read:0", "plain"), "functions.read:0");
});

test("names, ids and arguments are sent in a form that servers accept, whatever the model called", () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), (a, b) => {
			assert.match(wireName(a), /^[a-zA-Z0-9_-]{1,64}$/);
			assert.match(wireCallId(a), /^[\w.:-]{1,64}$/);
			assert.equal(a === b, wireCallId(a) === wireCallId(b));
			assert.equal(typeof JSON.parse(wireArguments(a)), "object");
		}),
	);
	assert.deepEqual(
		[wireName("read_file"), wireCallId("call_1"), wireArguments('{"a":1}')],
		["read_file", "call_1", '{"a":1}'],
	);
});

test("a request for an answer in words names the answer and its schema", () => {
	assert.match(askInWords({ name: "plan", schema: { type: "object" } }), /“plan”:\n\{"type":"object"\}$/);
});

function refusalFrom(status: number | undefined, body: string) {
	const { error } = normalizeRefusal(body);
	return readRefusal(status, error, String(error.message));
}
