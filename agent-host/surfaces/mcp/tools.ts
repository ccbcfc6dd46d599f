import { resolve } from "node:path";
import type { CallToolResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import { HostError } from "../../protocol/errors.ts";
import { ThreadId, TurnId } from "../../protocol/ids.ts";
import { quote } from "../../protocol/say.ts";
import type { PartialSettings, Settings } from "../../protocol/settings/settings.ts";
import { threadCompact, threadCompactApply, threadCompactUndo } from "../../protocol/thread/compaction.ts";
import { contextInspect } from "../../protocol/thread/context.ts";
import { threadFork, threadList, threadRead, threadResume, threadRollback } from "../../protocol/thread/thread.ts";
import { turnInterrupt } from "../../protocol/thread/turn.ts";
import type { Session } from "../../session/session.ts";
import { boundSettings } from "../caller-settings.ts";
import { compactThread } from "../compact-thread.ts";
import type { Handlers } from "../handlers.ts";
import { settleTurn } from "../settle-turn.ts";
import { asResult, type Followed, followTurn, takeAnswer } from "./follow-turn.ts";
import { SettingsInput, StartInput, TurnInput, toSettings, toThreadSettings, WaitInput } from "./tool-inputs.ts";
import { CompactResult, TurnResult, toTurnResult } from "./turn-result.ts";

/** What the tools work with. */
export interface ToolDesk extends Followed {
	readonly session: Session;
	readonly handlers: Handlers;
	/** The user's own settings: callers can only be stricter. */
	readonly user: Settings;
}

type Result = CallToolResult | InputRequiredResult;

export interface McpTool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
	readonly name: string;
	readonly about: string;
	readonly input: I;
	readonly output: O;
	/** It changes nothing. */
	readonly isReading: boolean;
	readonly run: (desk: ToolDesk, input: z.output<I>, context: ServerContext) => Promise<Result>;
}

function tool<I extends z.ZodType, O extends z.ZodType>(
	name: string,
	about: string,
	parts: Omit<McpTool<I, O>, "name" | "about" | "isReading"> & { readonly isReading?: true },
): McpTool {
	// The library parses the input with the tool's own schema before it calls it.
	return { name, about, isReading: false, ...parts } as unknown as McpTool;
}

const Thread = z.strictObject({ threadId: ThreadId });
const NO_REPORT = () => undefined;
/** Events and items are described by Vitrine's protocol; their schemas would fill a caller's context. */
const Loose = z.looseObject({});

export const MCP_TOOLS: readonly McpTool[] = [
	tool(
		"start",
		"Starts a conversation with the coding agent, in a folder and with permissions of its own, and runs the first prompt if there is one.",
		{
			input: StartInput,
			output: TurnResult,
			run: async (desk, input, context) => {
				const again = takeAnswer(desk, context);
				if (again !== undefined) return follow(desk, again, context);
				const settings = bounded(desk, toThreadSettings(input));
				const cwd = locate(desk, input.cwd ?? ".");
				const { threadId } = await desk.handlers.threadStart({ cwd, settings }, context.mcpReq.signal, NO_REPORT);
				if (input.prompt === undefined) return asResult({ threadId, status: "idle" } satisfies TurnResult);
				return begin(desk, { threadId, prompt: input.prompt, background: input.background }, context);
			},
		},
	),
	tool(
		"turn",
		"Sends a prompt to a conversation and waits for the answer. `overrides` holds the context of this turn only.",
		{
			input: TurnInput,
			output: TurnResult,
			run: async (desk, input, context) => {
				const again = takeAnswer(desk, context);
				return again === undefined ? begin(desk, input, context) : follow(desk, again, context);
			},
		},
	),
	tool("wait", "Waits for the running turn of a conversation, at most 50 seconds at a time.", {
		input: WaitInput,
		output: TurnResult,
		run: async (desk, { threadId, turnId, timeoutMs }, context) => {
			const again = takeAnswer(desk, context);
			const newest = desk.watch.newest(threadId);
			const wanted = again ?? newest;
			if (wanted === undefined || (turnId !== undefined && turnId !== newest?.turnId)) {
				throw new HostError(
					"input-refused",
					quote("That turn has not run here. Use read to see what a thread contains."),
				);
			}
			return follow(desk, wanted, context, timeoutMs);
		},
	}),
	tool("settings", "Changes the folder or settings of a conversation from its next turn, or shows them.", {
		input: z.strictObject({ threadId: ThreadId, cwd: z.string().optional(), settings: SettingsInput.optional() }),
		output: Loose,
		run: async (desk, { threadId, cwd, settings = {} }, { mcpReq }) => {
			const folder = cwd === undefined ? {} : { cwd: locate(desk, cwd) };
			const change = { threadId, ...folder, settings: bounded(desk, settings) };
			return asResult(await desk.handlers.threadSettings(change, mcpReq.signal, NO_REPORT));
		},
	}),
	tool("steer", "Sends a message into the running turn; the agent reads it with its next step.", {
		input: z.strictObject({ threadId: ThreadId, turnId: TurnId, text: z.string().min(1) }),
		output: z.object({ accepted: z.boolean() }),
		run: async ({ handlers }, { threadId, turnId, text }, { mcpReq }) =>
			asResult(
				await handlers.turnSteer({ threadId, turnId, input: [{ kind: "text", text }] }, mcpReq.signal, NO_REPORT),
			),
	}),
	tool("interrupt", "Stops the running turn of a conversation and everything it started.", {
		input: Thread,
		output: z.object({}),
		run: pass(turnInterrupt.name, ({ turnInterrupt: run }) => run),
	}),
	tool(
		"compact",
		"Compacts a conversation: a summary takes the place of its older part. With `preview`, nothing changes until compact_apply.",
		{
			input: strict(threadCompact.params),
			output: CompactResult,
			run: async (desk, input, { mcpReq }) => asResult(await compactThread(desk, input, mcpReq.signal)),
		},
	),
	tool("compact_apply", "Applies a previewed compaction, with another summary if one is given.", {
		input: strict(threadCompactApply.params),
		output: z.object({}),
		run: pass(threadCompactApply.name, ({ threadCompactApply: run }) => run),
	}),
	tool("compact_undo", "Undoes the last compaction of a conversation.", {
		input: strict(threadCompactUndo.params),
		output: z.object({}),
		run: pass(threadCompactUndo.name, ({ threadCompactUndo: run }) => run),
	}),
	tool("list", "The conversations on this machine, newest first.", {
		input: strict(threadList.params),
		output: Loose,
		isReading: true,
		run: pass(threadList.name, ({ threadList: run }) => run),
	}),
	tool("read", "The events of a conversation: prompts, answers, calls, approvals, compactions.", {
		input: strict(threadRead.params),
		output: Loose,
		isReading: true,
		run: pass(threadRead.name, ({ threadRead: run }) => run),
	}),
	tool(
		"inspect",
		"What the model will be sent with the next request of a conversation, or was sent with an earlier one, with tokens.",
		{
			input: strict(contextInspect.params),
			output: Loose,
			isReading: true,
			run: pass(contextInspect.name, ({ contextInspect: run }) => run),
		},
	),
	tool("resume", "Opens a recorded conversation for more turns.", {
		input: strict(threadResume.params),
		output: z.object({ threadId: ThreadId, last: z.number() }),
		run: pass(threadResume.name, ({ threadResume: run }) => run),
	}),
	tool("fork", "Copies a conversation, up to the end of a turn or whole.", {
		input: strict(threadFork.params),
		output: z.object({ threadId: ThreadId }),
		run: pass(threadFork.name, ({ threadFork: run }) => run),
	}),
	tool("rollback", "Removes the last turns from a conversation. Files stay as they are.", {
		input: strict(threadRollback.params),
		output: z.object({ threadId: ThreadId, last: z.number() }),
		run: pass(threadRollback.name, ({ threadRollback: run }) => run),
	}),
];

/** An unknown key is an error: dropped in silence, it would look as if it applied. */
function strict<T extends z.ZodType>(params: T): T {
	return params instanceof z.ZodObject ? (params.strict() as unknown as T) : params;
}

type Handler = (params: never, signal: AbortSignal, report: () => void) => unknown;

/** A tool that is a method of the protocol. */
function pass(name: string, choose: (handlers: Handlers) => Handler): McpTool["run"] {
	return async ({ handlers }, input, { mcpReq }) => {
		// Parsed with the schema of this method.
		const result = await choose(handlers)(input as never, mcpReq.signal, NO_REPORT);
		if (typeof result !== "object" || result === null) throw new Error(`${name} has no result.`);
		return asResult(result);
	};
}

function bounded({ user }: ToolDesk, settings: PartialSettings): PartialSettings {
	// Plan and review only read. In an editor the user leaves them; here the caller is a model.
	const [mode, asked] = [user.modes.collaboration, settings.modes?.collaboration ?? user.modes.collaboration];
	if (mode !== "default" && asked !== mode)
		throw new HostError("settings-refused", quote(`The mode cannot be ${asked} here: the user has set it to ${mode}.`));
	return boundSettings(settings, user);
}

/** A caller knows the folder that Vitrine was started with, not the one that its process runs in. */
function locate({ session }: ToolDesk, cwd: string): string {
	const [folder = "."] = session.facts.folders;
	return resolve(folder, cwd);
}

async function begin(
	desk: ToolDesk,
	{ threadId, prompt, overrides, background }: z.output<typeof TurnInput>,
	context: ServerContext,
): Promise<Result> {
	const { cwd, outputSchema } = overrides ?? {};
	const changes = {
		...(cwd === undefined ? {} : { cwd: locate(desk, cwd) }),
		...(outputSchema === undefined ? {} : { outputSchema }),
		settings: bounded(desk, toSettings(overrides ?? {})),
	};
	const input = [{ kind: "text" as const, text: prompt }];
	const asked = overrides === undefined ? { threadId, input } : { threadId, input, overrides: changes };
	const { turnId } = await desk.handlers.turnStart(asked, context.mcpReq.signal, NO_REPORT);
	if (background === true) return asResult({ threadId, turnId, status: "running" } satisfies TurnResult);
	return follow(desk, { threadId, turnId }, context);
}

async function follow(
	desk: ToolDesk,
	turn: Parameters<typeof followTurn>[1],
	context: ServerContext,
	limitMs?: number,
): Promise<Result> {
	const { asks, outcome } = await followTurn(desk, turn, context, limitMs);
	if (outcome === undefined) return asks;
	if (outcome.status !== "running") await settleTurn(desk.session, outcome.threadId, outcome.turnId);
	return asResult(toTurnResult(outcome));
}
