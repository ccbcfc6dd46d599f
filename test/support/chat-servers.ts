import type { RecordedRequest } from "./fake-model-request.ts";
import type { Step } from "./fake-model-steps.ts";

/** A call as a script names it. */
export type ScriptedCall = readonly [name: string, args: object];

/** A server with the quirks that its kind is documented to have. */
export interface ChatServer {
	readonly name: string;
	/** What it does not take: the answer to a request that has it. */
	readonly refuse: (body: ChatBody) => { readonly status: number; readonly body: string } | undefined;
	readonly say: (text: string) => string;
	readonly call: (calls: readonly ScriptedCall[]) => string;
	/** What is to be learned about it in the first turn: one more request each. */
	readonly lessons: number;
	readonly reportsUsage: boolean;
}

export interface ChatBody {
	readonly messages: readonly { readonly role: string; readonly content: unknown }[];
	readonly stream_options?: unknown;
	readonly tools?: readonly unknown[];
}

const USAGE = { prompt_tokens: 321, completion_tokens: 12, total_tokens: 333 };

/** Ids on purpose the same in every answer where the real server repeats them. */
export const CHAT_SERVERS: readonly ChatServer[] = [
	{
		// Calls come whole, all at index 0; thinking is called `reasoning`; content is "" beside calls.
		name: "Ollama",
		refuse: () => undefined,
		say: (text) =>
			events(
				delta({ role: "assistant", content: "", reasoning: "Thinking." }),
				...letters(text).map((content) => delta({ content })),
				delta({ content: "" }, "stop"),
				{ choices: [], usage: USAGE },
			),
		call: (calls) =>
			events(
				...calls.map(([name, args], index) =>
					delta({
						role: "assistant",
						content: "",
						tool_calls: [call(0, `call_${index}`, name, JSON.stringify(args))],
					}),
				),
				delta({ content: "" }, "tool_calls"),
				{ choices: [], usage: USAGE },
			),
		lessons: 0,
		reportsUsage: true,
	},
	{
		// Arguments in small pieces, `content: null`, `reasoning_content`, templates that refuse what they do not know.
		name: "llama.cpp",
		refuse: ({ messages }) =>
			messages.some((message, index) => message.role === "user" && messages[index - 1]?.role === "user")
				? {
						status: 500,
						body: JSON.stringify({
							error: { code: 500, message: "Conversation roles must alternate user/assistant", type: "server_error" },
						}),
					}
				: undefined,
		say: (text) =>
			events(
				delta({ role: "assistant", content: null }),
				delta({ reasoning_content: "Thinking." }),
				...letters(text).map((content) => delta({ content })),
				delta({}, "stop"),
				{ choices: [], usage: USAGE, timings: { predicted_n: 3 } },
			),
		call: (calls) =>
			events(
				delta({ role: "assistant", content: null }),
				...calls.flatMap(([name, args], index) => [
					delta({ tool_calls: [call(index, `${name}${index}`, name, "")] }),
					...letters(JSON.stringify(args)).map((piece) =>
						delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
					),
				]),
				delta({}, "tool_calls"),
				{ choices: [], usage: USAGE },
			),
		lessons: 1,
		reportsUsage: true,
	},
	{
		// Refuses fields it does not know, in the words of its own validator; interleaves parallel calls; CRLF.
		name: "vLLM",
		refuse: ({ stream_options }) =>
			stream_options === undefined
				? undefined
				: {
						status: 400,
						body: JSON.stringify({
							object: "error",
							message: "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]",
							type: "BadRequestError",
							code: 400,
						}),
					},
		say: (text) =>
			events(
				delta({ role: "assistant", content: "" }),
				delta({ reasoning: "Thinking." }),
				...letters(text).map((content) => delta({ content })),
				delta({ content: "" }, "stop"),
			).replaceAll("\n", "\r\n"),
		call: (calls) => {
			const pieces = calls.map(([, args]) => letters(JSON.stringify(args)));
			const longest = Math.max(...pieces.map(({ length }) => length));
			return events(
				...calls.map(([name], index) => delta({ tool_calls: [call(index, `chatcmpl-tool-${index}`, name, "")] })),
				...Array.from({ length: longest }, (_, at) =>
					pieces.flatMap((own, index) =>
						own[at] === undefined ? [] : [delta({ tool_calls: [{ index, function: { arguments: own[at] } }] })],
					),
				).flat(),
				delta({}, "tool_calls"),
			);
		},
		lessons: 1,
		reportsUsage: false,
	},
	{
		// Errors as bare strings, numeric ids, no usage, `: keep-alive` comments, no blank after `data:`.
		name: "LM Studio",
		refuse: () => undefined,
		say: (text) =>
			`: keep-alive\n\n${events(...letters(text).map((content) => delta({ content })), delta({}, "stop")).replaceAll("data: ", "data:")}`,
		call: (calls) =>
			events(
				...calls.map(([name, args], index) =>
					delta({ tool_calls: [call(index, String(365_174_485 + index), name, JSON.stringify(args))] }),
				),
				delta({}, "tool_calls"),
			),
		lessons: 0,
		reportsUsage: false,
	},
	{
		// Validates like FastAPI, sends parts for content, calls with neither index nor id, and no word at the end.
		name: "a gateway",
		refuse: ({ stream_options }) =>
			stream_options === undefined
				? undefined
				: {
						status: 422,
						body: JSON.stringify({
							detail: [{ type: "extra_forbidden", loc: ["body", "stream_options"], msg: "No." }],
						}),
					},
		say: (text) =>
			events(
				delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Thinking." }] }] }),
				...letters(text).map((piece) => delta({ content: [{ type: "text", text: piece }] })),
				{ ...delta({}, "stop"), usage: USAGE },
			).replace("data: [DONE]\n\n", ""),
		call: (calls) =>
			events(
				delta({ tool_calls: calls.map(([name, args]) => ({ function: { name, arguments: JSON.stringify(args) } })) }),
				{ ...delta({}, "tool_calls"), usage: USAGE },
			),
		lessons: 1,
		reportsUsage: true,
	},
];

/** The server's answer to a request: a refusal, or what the script says. */
export function answerAs(server: ChatServer, request: RecordedRequest, said: string): Step {
	const refusal = server.refuse(request.body as ChatBody);
	if (refusal === undefined) return { kind: "raw", body: said };
	return { kind: "rawRefusal", ...refusal };
}

function delta(fields: object, finish: string | null = null): object {
	return { choices: [{ index: 0, delta: fields, finish_reason: finish }] };
}

function call(index: number, id: string, name: string, args: string): object {
	return { index, id, type: "function", function: { name, arguments: args } };
}

function events(...chunks: readonly object[]): string {
	return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
}

function letters(text: string): readonly string[] {
	return text.match(/[\s\S]{1,3}/gu) ?? [];
}
