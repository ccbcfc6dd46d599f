import type { ToolCall, UserImage } from "../../history/history-item.ts";
import { truncateMiddle } from "../../history/truncate.ts";
import type { FileChange } from "../../patch/change-set.ts";
import { describeProblem, problemOf } from "../../permissions/policy/sandbox-problem.ts";
import { ItemId } from "../../protocol/ids.ts";
import type { CallItem, CallKind, CommandEnd } from "../../protocol/thread/item.ts";
import { TOOLS } from "../../tools/catalog.ts";
import type { Show } from "../../tools/command-call.ts";
import type { ToolOutcome } from "../../tools/tool.ts";
import type { Growing } from "../thread/live-texts.ts";
import type { ToolContext, Turn } from "../thread/running-turn.ts";
import type { Made } from "./repeats.ts";
import { runIfAllowed } from "./run-if-allowed.ts";
import { runTogether } from "./run-together.ts";

/** Calls of one step that run at the same time; the rest wait. */
const MAX_PARALLEL = 8;
const MAX_TITLE_CHARS = 200;

/**
 * Runs the calls of a step, several at a time. Results are recorded in the order of the calls, whichever ends first. When one
 * cannot be recorded, no other begins, those that run are stopped, and none of them is left once this rejects. Gives what was made.
 */
export async function runTools(turn: Turn, calls: readonly ToolCall[]): Promise<readonly Made[]> {
	const made: Made[] = [];
	const results = calls.map(() => Promise.withResolvers<CallResult | undefined>());
	let next = 0;
	let working = Math.min(MAX_PARALLEL, calls.length);
	const run = async (acting: ToolContext, call: ToolCall): Promise<CallResult | undefined> => {
		const runnable = prepare(acting, call);
		const result = await runCall(acting, call, runnable);
		if (result !== undefined) made.push(asMade(call, runnable, result));
		return result;
	};
	const worker = async (signal: AbortSignal): Promise<void> => {
		try {
			for (let index = next++; index < calls.length && !signal.aborted; index = next++) {
				const call = calls[index];
				if (call !== undefined) results[index]?.resolve(await run({ ...turn, signal }, call));
			}
		} finally {
			// What nobody will run any more has no result, and nobody may wait for it.
			if (--working === 0) for (const { resolve } of results) resolve(undefined);
		}
	};
	const recorder = (): Promise<void> =>
		recordOutputs(
			turn,
			calls,
			results.map(({ promise }) => promise),
		);
	const workers = Array.from({ length: working }, () => worker);
	await runTogether([...workers, recorder], turn.signal);
	turn.signal.throwIfAborted();
	return made;
}

function asMade(call: ToolCall, { kind, title }: Runnable, { text, lasting = text, ok }: CallResult): Made {
	const mayChange = ok && (kind === "command" || kind === "fileChange");
	return { name: call.name, title: shorten(title), arguments: call.arguments, result: lasting, mayChange };
}

async function recordOutputs(
	{ thread, envelope }: Turn,
	calls: readonly ToolCall[],
	results: readonly Promise<CallResult | undefined>[],
): Promise<void> {
	const { turnId } = envelope.identity;
	const images: UserImage[] = [];
	for (const [index, { callId }] of calls.entries()) {
		const result = await results[index];
		if (result === undefined) continue;
		const items = [{ kind: "toolOutput", callId, output: result.text } as const];
		await thread.commit([{ kind: "items", turnId, items }], "synced");
		if (result.image !== undefined) images.push(result.image);
	}
	// Behind all results: some servers let nothing stand between those.
	if (images.length > 0) await thread.commit([{ kind: "items", turnId, items: images }], "synced");
}

/** A call that is understood, and who asked for it when no model did. */
export interface Runnable {
	readonly kind: CallKind;
	readonly title: string;
	readonly by?: "user";
	readonly run: (show: Show) => Promise<ToolOutcome>;
}

/** What the model reads of a call, as much as fits, and how a command of it fared. */
export interface CallResult {
	readonly ok: boolean;
	readonly text: string;
	/** What of the text is the same each time nothing has changed. */
	readonly lasting?: string;
	readonly command?: CommandEnd;
	/** What it sees besides. */
	readonly image?: UserImage;
}

/** Runs a call as an item of its turn. Undefined when it was stopped. */
export async function runCall(turn: ToolContext, call: ToolCall, runnable: Runnable): Promise<CallResult | undefined> {
	const { thread, envelope, ports, signal } = turn;
	const { turnId, budgets } = envelope.identity;
	const { kind, title, by } = runnable;
	await ports.waitForDrain(signal);
	const item: CallItem = {
		kind,
		id: ItemId.parse(ports.newId()),
		callId: call.callId,
		name: call.name,
		arguments: call.arguments,
		title: shorten(title),
		status: "running",
		...(by && { by }),
	};
	const finish = (end: Pick<CallItem, "status" | "output" | "command">): Promise<void> =>
		thread.commit([{ kind: "event", event: { type: "itemCompleted", turnId, item: { ...item, ...end } } }], "unsynced");
	await thread.commit([{ kind: "event", event: { type: "itemStarted", turnId, item } }], "unsynced");
	const live = showWhileRunning(turn, { itemId: item.id, itemKind: kind });
	const outcome = await runnable.run(live.show).catch((error: unknown): ToolOutcome | undefined => {
		if (signal.aborted) return undefined;
		ports.log("error", `Tool ${call.name} failed: ${error instanceof Error ? error.stack : error}`);
		return { ok: false, reason: "The tool failed with an internal error; the arguments are not the cause." };
	});
	live.end();
	if (outcome === undefined) {
		await finish({ status: "interrupted" });
		return undefined;
	}
	const whole = outcome.ok ? outcome.text : outcome.reason;
	const text = truncateMiddle(whole, budgets.toolOutput);
	if (outcome.ok && outcome.changes !== undefined) {
		const files = outcome.changes.files.map(asRecorded);
		const event = { type: "turnDiff", turnId, callId: call.callId, files } as const;
		await thread.commit([{ kind: "event", event }], "unsynced");
	}
	const command = outcome.ok && outcome.command !== undefined ? { command: asKept(outcome.command, whole, text) } : {};
	await finish({ status: outcome.ok ? "completed" : "failed", output: text, ...command });
	const { lasting = undefined, image = undefined } = outcome.ok ? outcome : {};
	return { ok: outcome.ok, text, ...command, ...(image && { image }), ...(lasting === undefined ? {} : { lasting }) };
}

/** Streams what a call writes until it is over. While the client takes nothing, what comes is left out. */
function showWhileRunning(
	{ thread, envelope, ports, signal }: ToolContext,
	item: Pick<Growing, "itemId" | "itemKind">,
): { readonly show: Show; readonly end: () => void } {
	let state: "open" | "full" | "over" = "open";
	const show: Show = (text) => {
		if (state !== "open") return;
		const room = ports.waitForDrain(signal);
		if (room === undefined) {
			thread.streamText({ turnId: envelope.identity.turnId, ...item }, text);
			return;
		}
		state = "full";
		void room.then(() => {
			if (state === "full") state = "open";
		});
	};
	const end = (): void => {
		state = "over";
	};
	return { show, end };
}

/** Where a command's output begins is only known while nothing before it was left out. */
function asKept({ outputFrom, ...end }: CommandEnd, whole: string, text: string): CommandEnd {
	if (outputFrom === undefined || whole.slice(0, outputFrom) !== text.slice(0, outputFrom)) return end;
	return { ...end, outputFrom };
}

function asRecorded(change: FileChange) {
	const hunks = change.hunks.map((hunk) => ({ ...hunk, removed: [...hunk.removed], added: [...hunk.added] }));
	return { ...change, hunks };
}

/** Understands a call, before anything is touched. */
function prepare(turn: ToolContext, call: ToolCall): Runnable {
	const { envelope } = turn;
	const tool = TOOLS.find(({ name }) => name === call.name && envelope.capabilities.tools.includes(name));
	if (tool === undefined) return refuse(call.name, whyNoTool(call.name, envelope));
	const prepared = tool.prepare(call.arguments, envelope.workspace.cwd ?? "/");
	if ("problem" in prepared) return refuse(call.name, prepared.problem);
	return { kind: prepared.kind, title: prepared.title, run: (show) => runIfAllowed(turn, call, prepared, show) };
}

function whyNoTool(name: string, { capabilities, policy }: ToolContext["envelope"]): string {
	const tools = `Tools: ${capabilities.tools.join(", ") || "none"}.`;
	const known = TOOLS.find((tool) => tool.name === name);
	const { plan, noSandbox, commands } = policy.value;
	if (known?.needs === "command" && commands && noSandbox !== undefined) {
		return `sandbox-unavailable: ${describeProblem(problemOf(noSandbox))} The tool ${name} is not available until then. ${tools}`;
	}
	const inPlan = known !== undefined && plan !== undefined ? " in plan mode" : "";
	return `The tool ${name} is not available${inPlan}. ${tools}`;
}

function refuse(title: string, reason: string): Runnable {
	return { kind: "toolCall", title, run: () => Promise.resolve({ ok: false, reason }) };
}

function shorten(title: string): string {
	return title.length <= MAX_TITLE_CHARS ? title : `${title.slice(0, MAX_TITLE_CHARS)}… (${title.length} characters)`;
}
