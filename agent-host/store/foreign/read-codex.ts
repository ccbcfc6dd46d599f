import * as z from "zod";
import { isInjected, readJsonLines, readText, readTime } from "./foreign-lines.ts";
import { createTurnCollector, type ForeignThread } from "./foreign-turn.ts";

const Line = z.looseObject({ type: z.string(), payload: z.looseObject({}), timestamp: z.unknown().optional() });
const Message = z.looseObject({ type: z.literal("message"), role: z.string(), content: z.unknown().optional() });
const Call = z.looseObject({
	type: z.enum(["function_call", "custom_tool_call"]),
	call_id: z.string(),
	name: z.string(),
	arguments: z.string().optional(),
	input: z.string().optional(),
});
const Output = z.looseObject({
	type: z.enum(["function_call_output", "custom_tool_call_output"]),
	call_id: z.string(),
	output: z.unknown().optional(),
});
const Prompt = z.looseObject({ type: z.literal("user_message"), message: z.string() });
const RolledBack = z.looseObject({ type: z.literal("thread_rolled_back"), num_turns: z.number() });

/** The conversation in a session file of Codex; undefined if it is something else. */
export function readCodex(text: string): ForeignThread | undefined {
	const lines = readJsonLines(text).flatMap((line) => Line.safeParse(line).data ?? []);
	if (!lines.some(({ type }) => type === "session_meta")) return undefined;
	// Where prompts have events of their own, the messages also hold what Codex said in the user's name.
	const hasPrompts = lines.some(({ type, payload }) => type === "event_msg" && Prompt.safeParse(payload).success);
	const turns = createTurnCollector();
	let model: string | undefined;
	for (const { type, payload, timestamp } of lines) {
		if (type === "turn_context" && typeof payload.model === "string") model = payload.model;
		if (type === "event_msg") {
			const { data: prompt } = Prompt.safeParse(payload);
			if (prompt !== undefined) turns.prompt(prompt.message, readTime(timestamp));
			const { data: back } = RolledBack.safeParse(payload);
			if (back !== undefined) turns.drop(back.num_turns);
		}
		if (type !== "response_item") continue;
		const { data: message } = Message.safeParse(payload);
		const said = readText(message?.content);
		if (message?.role === "assistant") turns.text(said);
		else if (message?.role === "user" && !hasPrompts && !isInjected(said)) turns.prompt(said, readTime(timestamp));
		const { data: call } = Call.safeParse(payload);
		if (call !== undefined)
			turns.call(call.call_id, call.name, call.arguments ?? JSON.stringify({ input: call.input }));
		const { data: output } = Output.safeParse(payload);
		if (output !== undefined) turns.output(output.call_id, readOutput(output.output));
	}
	return { agent: "Codex", model, turns: turns.turns() };
}

const Wrapped = z.looseObject({ output: z.string() });
const WithContent = z.looseObject({ content: z.unknown().optional() });

/** An output is a text, a text in JSON beside its exit code, or blocks. */
function readOutput(output: unknown): string {
	if (typeof output !== "string") return readText(WithContent.safeParse(output).data?.content ?? output);
	try {
		return Wrapped.safeParse(JSON.parse(output)).data?.output ?? output;
	} catch {
		return output;
	}
}
