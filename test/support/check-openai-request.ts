import * as z from "zod";

const Name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const Id = z.string().min(1).max(64);
const Options = {
	model: z.string().min(1),
	stream: z.literal(true),
	service_tier: z.string().optional(),
	prompt_cache_key: z.string().optional(),
	parallel_tool_calls: z.boolean().optional(),
};

/** The group of tools that a call was made in. */
const Grouped = { namespace: Name.optional() };

const Item = z.union([
	z.strictObject({
		type: z.literal("message").optional(),
		role: z.enum(["user", "assistant", "developer", "system"]),
		content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })).min(1)]),
		phase: z.string().optional(),
	}),
	z.strictObject({
		type: z.literal("reasoning"),
		id: z.string(),
		summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
		encrypted_content: z.string().min(1),
	}),
	z.strictObject({ type: z.literal("compaction"), encrypted_content: z.string().min(1) }),
	z.strictObject({ type: z.literal("function_call"), call_id: Id, name: Name, arguments: z.string(), ...Grouped }),
	z.strictObject({ type: z.literal("custom_tool_call"), call_id: Id, name: Name, input: z.string(), ...Grouped }),
	z.strictObject({
		type: z.enum(["function_call_output", "custom_tool_call_output"]),
		call_id: Id,
		output: z.string(),
	}),
]);

/** The fields that OpenAI documents and this product has a reason to send. Nothing is ever stored there. */
const Tool = z.looseObject({ type: z.enum(["function", "custom"]), name: Name });

const Responses = z.strictObject({
	...Options,
	instructions: z.string().optional(),
	input: z.array(Item).min(1),
	tools: z
		.array(z.union([Tool, z.looseObject({ type: z.literal("namespace"), name: Name, tools: z.array(Tool) })]))
		.optional(),
	store: z.literal(false),
	include: z.array(z.string()).optional(),
	reasoning: z.strictObject({ effort: z.string().optional(), summary: z.string().optional() }).optional(),
	text: z.strictObject({ verbosity: z.string().optional(), format: z.looseObject({}).optional() }).optional(),
	tool_choice: z.unknown().optional(),
});

/** What the Responses API would refuse about a request, as its documentation says; nothing if it would take it. */
export function problemsInResponses(raw: unknown): readonly string[] {
	const parsed = Responses.safeParse(raw);
	if (!parsed.success) return [z.prettifyError(parsed.error)];
	const { input, tools = [] } = parsed.data;
	const calls = input.flatMap((item) => ("call_id" in item && !item.type.endsWith("_output") ? [item.call_id] : []));
	const outputs = input.flatMap((item) => ("call_id" in item && item.type.endsWith("_output") ? [item.call_id] : []));
	return [
		...repeated(
			"tool",
			tools
				.flatMap((tool) => (tool.type === "namespace" ? (tool.tools as readonly z.infer<typeof Tool>[]) : [tool]))
				.map(({ name }) => name),
		),
		...repeated("call", calls),
		...repeated("output", outputs),
		...calls.filter((id) => !outputs.includes(id)).map((id) => `No tool output found for function call ${id}`),
		...outputs.filter((id) => !calls.includes(id)).map((id) => `No tool call found for output ${id}`),
		...input.flatMap((_, at) => (isLoneReasoning(input.slice(at, at + 2)) ? [`Lone reasoning ${at}`] : [])),
	];
}

/** Whether nothing of the model's own follows its reasoning. */
function isLoneReasoning([item, next]: readonly z.infer<typeof Item>[]): boolean {
	if (item?.type !== "reasoning") return false;
	if (next === undefined) return true;
	return "role" in next ? next.role !== "assistant" : next.type.endsWith("_output") || next.type === "compaction";
}

const Text = z.union([z.string(), z.array(z.looseObject({ type: z.enum(["text", "image_url"]) })).min(1)]);
const ToolCall = z.strictObject({
	id: Id,
	type: z.literal("function"),
	function: z.strictObject({ name: Name, arguments: z.string() }),
	extra_content: z.looseObject({}).optional(),
});
const Message = z.discriminatedUnion("role", [
	z.strictObject({ role: z.enum(["system", "developer", "user"]), content: Text }),
	z.strictObject({
		role: z.literal("assistant"),
		content: Text,
		reasoning_content: z.string().optional(),
		reasoning_details: z.unknown().optional(),
		tool_calls: z.array(ToolCall).min(1).optional(),
	}),
	z.strictObject({ role: z.literal("tool"), tool_call_id: Id, content: z.string() }),
]);

const Chat = z.strictObject({
	...Options,
	messages: z.array(Message).min(1),
	tools: z
		.array(
			z.strictObject({
				type: z.literal("function"),
				function: z.looseObject({ name: Name, parameters: z.looseObject({}) }),
			}),
		)
		.min(1)
		.optional(),
	stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
	tool_stream: z.boolean().optional(),
	reasoning_effort: z.string().optional(),
	verbosity: z.string().optional(),
	response_format: z.looseObject({ type: z.string() }).optional(),
	tool_choice: z.unknown().optional(),
});

/** The same for Chat Completions: each answer's calls are followed by all of their outputs, in their order. */
export function problemsInChat(raw: unknown): readonly string[] {
	const parsed = Chat.safeParse(raw);
	if (!parsed.success) return [z.prettifyError(parsed.error)];
	const { messages, tools = [] } = parsed.data;
	const due: string[] = [];
	const found = repeated(
		"tool",
		tools.map((tool) => tool.function.name),
	);
	for (const message of messages) {
		if (message.role === "tool") {
			const expected = due.shift();
			if (message.tool_call_id !== expected) found.push(`a result for ${message.tool_call_id}, not ${expected}`);
			continue;
		}
		if (due.length > 0) found.push(`calls ${due.splice(0).join()} have no result`);
		if (message.role !== "assistant") continue;
		const calls = message.tool_calls ?? [];
		found.push(
			...repeated(
				"call",
				calls.map(({ id }) => id),
			),
		);
		found.push(...calls.filter((call) => !isObject(call.function.arguments)).map(({ id }) => `arguments of ${id}`));
		due.push(...calls.map(({ id }) => id));
	}
	return due.length === 0 ? found : [...found, `calls ${due.join()} have no result`];
}

function repeated(what: string, names: readonly string[]): string[] {
	return names.filter((name, index) => names.indexOf(name) < index).map((name) => `two ${what}s called ${name}`);
}

function isObject(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value);
	} catch {
		return false;
	}
}
