import * as z from "zod";

const Block = z.looseObject({ type: z.string(), cache_control: z.object({ type: z.literal("ephemeral") }).optional() });
const Message = z.strictObject({ role: z.enum(["user", "assistant", "system"]), content: z.array(Block).min(1) });

/** The fields that Anthropic documents and this product has a reason to send. */
const Body = z.strictObject({
	model: z.string().min(1),
	max_tokens: z.int().min(1),
	system: z.array(Block).min(1).optional(),
	messages: z.array(Message).min(1),
	tools: z
		.array(z.looseObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), input_schema: z.looseObject({}) }))
		.optional(),
	thinking: z.looseObject({ type: z.string() }).optional(),
	output_config: z.looseObject({}).optional(),
	stream: z.literal(true),
});

type Message = z.infer<typeof Message>;

const MAX_MARKS = 4;

/** What the Messages API would refuse about a request, as its documentation says; nothing if it would take it. */
export function problemsInMessages(raw: unknown): readonly string[] {
	const parsed = Body.safeParse(raw);
	if (!parsed.success) return [z.prettifyError(parsed.error)];
	const { system = [], messages, tools = [], thinking, model } = parsed.data;
	const last = messages.findLast(({ role }) => role === "assistant")?.content ?? [];
	const mustThink = thinking?.type === "enabled" && model.includes("claude");
	const isUnthought = last.some(({ type }) => type === "tool_use") && !last[0]?.type.endsWith("thinking");
	const blocks = [...tools, ...system, ...messages.flatMap(({ content }) => content)];
	const marks = blocks.filter(({ cache_control }) => cache_control !== undefined).length;
	return [
		...(messages[0]?.role === "user" ? [] : ["the first message is not the user's"]),
		...(messages.at(-1)?.role === "assistant" ? ["the last message is the model's"] : []),
		...(mustThink && isUnthought ? ["with thinking, calls of the last answer that no thought precedes"] : []),
		...(marks > MAX_MARKS ? [`${marks} cache marks`] : []),
		...messages.flatMap((message, index) => problemsAt(message, messages[index - 1], messages[index + 1])),
	];
}

function problemsAt(message: Message, before: Message | undefined, after: Message | undefined): readonly string[] {
	const found: string[] = [];
	const { role, content } = message;
	if (role === before?.role) found.push(`two ${role} messages in a row`);
	if (role === "system" && before?.role !== "user") found.push("a system message that follows no user message");
	if (content.some(({ type, text }) => type === "text" && String(text).trim() === "")) found.push("an empty text");
	if (content.some(({ type, cache_control }) => type.includes("thinking") && cache_control)) {
		found.push("a cache mark on a thought");
	}
	const called = idsIn(content, "tool_use", "id");
	const nextUser = after?.role === "user" ? after : undefined;
	const answered = nextUser === undefined ? [] : idsIn(nextUser.content, "tool_result", "tool_use_id");
	if (role === "assistant" && JSON.stringify(called) !== JSON.stringify(answered)) {
		found.push(`calls ${called.join()} are answered by ${answered.join() || "nothing"}`);
	}
	if (new Set(called).size < called.length) found.push("two calls with one id");
	if (called.some((id) => !/^[a-zA-Z0-9_-]+$/.test(id))) found.push("an id with other letters");
	if (role === "assistant" && content.at(-1)?.type.includes("thinking")) found.push("an answer that ends in a thought");
	const lastResult = content.findLastIndex(({ type }) => type === "tool_result");
	if (content.slice(0, lastResult + 1).some(({ type }) => type !== "tool_result")) found.push("a result after a text");
	return found;
}

function idsIn(content: Message["content"], type: string, field: string): readonly string[] {
	return content.flatMap((block) => (block.type === type ? [String(block[field])] : []));
}
