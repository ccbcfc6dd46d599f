import * as z from "zod";
import { isInjected, readJsonLines, readText, readTime } from "./foreign-lines.ts";
import { createTurnCollector, type ForeignThread } from "./foreign-turn.ts";

const Line = z.looseObject({
	type: z.enum(["user", "assistant"]),
	sessionId: z.string(),
	uuid: z.string(),
	parentUuid: z.string().nullish(),
	/** Across a compaction. */
	logicalParentUuid: z.string().nullish(),
	/** Of a sub-agent. */
	isSidechain: z.boolean().optional(),
	/** Said in the user's name. */
	isMeta: z.boolean().optional(),
	isCompactSummary: z.boolean().optional(),
	timestamp: z.unknown().optional(),
	message: z.looseObject({ content: z.unknown().optional(), model: z.unknown().optional() }),
});
type Line = z.infer<typeof Line>;
const Call = z.looseObject({
	type: z.literal("tool_use"),
	id: z.string(),
	name: z.string(),
	input: z.unknown().optional(),
});
const Output = z.looseObject({
	type: z.literal("tool_result"),
	tool_use_id: z.string(),
	content: z.unknown().optional(),
});
const Said = z.looseObject({ type: z.literal("text"), text: z.string() });

/** The conversation in a session file of Claude Code, along its last branch; undefined if it is something else. */
export function readClaudeCode(text: string): ForeignThread | undefined {
	const links = readJsonLines(text);
	const lines = links.flatMap((line) => Line.safeParse(line).data ?? []);
	if (lines.length === 0) return undefined;
	const turns = createTurnCollector();
	let model: string | undefined;
	for (const line of lastBranch(lines, links)) {
		const { content } = line.message;
		if (line.type === "assistant" && typeof line.message.model === "string") model = line.message.model;
		const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: "text", text: readText(content) }];
		for (const block of blocks) {
			const { data: output } = Output.safeParse(block);
			if (output !== undefined) turns.output(output.tool_use_id, readText(output.content));
			const { data: call } = Call.safeParse(block);
			if (call !== undefined) turns.call(call.id, call.name, JSON.stringify(call.input ?? {}));
			const { data: said } = Said.safeParse(block);
			if (said === undefined) continue;
			if (line.type === "assistant") turns.text(said.text);
			else if (isPrompt(line, said.text)) turns.prompt(said.text, readTime(line.timestamp));
		}
	}
	return { agent: "Claude Code", model, turns: turns.turns() };
}

function isPrompt({ isMeta, isCompactSummary }: Line, text: string): boolean {
	return isMeta !== true && isCompactSummary !== true && !isInjected(text);
}

/** A prompt that was edited leaves its old branch in the file. Lines that are no messages link branches, too. */
function lastBranch(lines: readonly Line[], links: readonly Readonly<Record<string, unknown>>[]): readonly Line[] {
	const parents = new Map(
		links.map(({ uuid, parentUuid, logicalParentUuid }) => [uuid, parentUuid ?? logicalParentUuid]),
	);
	const ours = lines.filter(({ isSidechain }) => isSidechain !== true);
	const branch = new Set<unknown>();
	for (let at: unknown = ours.at(-1)?.uuid; typeof at === "string" && !branch.has(at); at = parents.get(at))
		branch.add(at);
	return ours.filter(({ uuid }) => branch.has(uuid));
}
