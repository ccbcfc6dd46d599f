import * as z from "zod";
import type { HookEvent } from "../../envelope/envelope.ts";

/** How a hook's program ended. */
export interface HookRun {
	readonly exitCode: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** What a hook wants. It can only tighten: an "allow" is no effect. */
export interface HookEffect {
	/** Why the call, the prompt or the end of the turn is blocked. */
	readonly block?: string;
	/** The user is to be asked. */
	readonly ask?: string;
	/** Why the turn is to end. */
	readonly stop?: string;
	/** What the model is told. */
	readonly context?: string;
	/** Other arguments for the call, which are judged like the model's own. */
	readonly updatedInput?: Readonly<Record<string, unknown>>;
	/** What the user is told. */
	readonly notice?: string;
	/** Why it counts for nothing. */
	readonly failure?: string;
}

const MAX_TEXT_CHARS = 10_000;
const Text = z.string().transform((text) => text.slice(0, MAX_TEXT_CHARS).toWellFormed());

/** Many languages write null for what is not there. */
function optional<S extends z.ZodType>(schema: S) {
	return schema.nullish().transform((value) => value ?? undefined);
}

/** Words that are none take no decision along. */
const Words = optional(Text).catch(undefined);

const Answer = z.looseObject({
	continue: optional(z.boolean()),
	stopReason: Words,
	systemMessage: Words,
	decision: optional(z.string()),
	reason: Words,
	hookSpecificOutput: optional(
		z.looseObject({
			permissionDecision: optional(z.string()),
			permissionDecisionReason: Words,
			updatedInput: optional(z.record(z.string(), z.unknown())),
			additionalContext: Words,
			decision: optional(z.looseObject({ behavior: optional(z.string()), message: Words })),
		}),
	),
});

const BLOCKED = "A hook blocked this without a reason.";

/** What a hook's exit code and output mean for an event. */
export function readHookAnswer(event: HookEvent, { exitCode, stdout, stderr }: HookRun): HookEffect {
	if (exitCode === 2) return { block: Text.parse(stderr.trim()) || BLOCKED };
	if (exitCode !== 0) return { failure: `It ended with exit code ${exitCode}.` };
	const text = stdout.trim();
	if (!text.startsWith("{")) return isPlainContext(event) && text !== "" ? { context: Text.parse(text) } : {};
	const parsed = Answer.safeParse(parseJson(text));
	if (!parsed.success) return { failure: "Its output begins like JSON, but is not an answer of a hook." };
	return readParsed(parsed.data);
}

function readParsed(answer: z.infer<typeof Answer>): HookEffect {
	const { reason, systemMessage, stopReason } = answer;
	const own: Partial<NonNullable<typeof answer.hookSpecificOutput>> = answer.hookSpecificOutput ?? {};
	const denies = answer.decision === "block" || own.permissionDecision === "deny" || own.decision?.behavior === "deny";
	const why = own.permissionDecisionReason ?? own.decision?.message ?? reason ?? BLOCKED;
	return {
		...(denies && { block: why }),
		...(own.permissionDecision === "ask" && { ask: own.permissionDecisionReason ?? "A hook wants you to decide." }),
		...(answer.continue === false && { stop: stopReason ?? reason ?? "A hook ended the turn." }),
		...(own.additionalContext !== undefined && { context: own.additionalContext }),
		...(own.updatedInput !== undefined && { updatedInput: own.updatedInput }),
		...(systemMessage !== undefined && { notice: systemMessage }),
	};
}

/** These hooks may simply print what the model should know. */
function isPlainContext(event: HookEvent): boolean {
	return event === "SessionStart" || event === "SubagentStart" || event === "UserPromptSubmit";
}

/** All effects of one event together: the strictest wins, and each hook's words are kept. */
export function joinEffects(effects: readonly HookEffect[]): HookEffect {
	const join = (key: "block" | "ask" | "stop" | "context" | "notice") => {
		const texts = effects.flatMap((effect) => effect[key] ?? []);
		return texts.length === 0 ? {} : { [key]: texts.join("\n") };
	};
	const updated = effects.findLast(({ updatedInput }) => updatedInput !== undefined)?.updatedInput;
	return {
		...join("block"),
		...join("ask"),
		...join("stop"),
		...join("context"),
		...join("notice"),
		...(updated && { updatedInput: updated }),
	};
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
