import type { ToolCall, UserImage } from "../../history/history-item.ts";
import { truncateMiddle } from "../../history/truncate.ts";
import type { FileChange } from "../../patch/change-set.ts";
import { findProblem } from "../../permissions/policy/sandbox-problem.ts";
import { describeObstacle, findObstacle } from "../../permissions/reach/may-run.ts";
import { ItemId } from "../../protocol/ids.ts";
import { quote, type Said } from "../../protocol/say.ts";
import type { CallItem, CallKind, CommandEnd } from "../../protocol/thread/item.ts";
import { asServerCall } from "../../tools/call-server-tool.ts";
import { TOOLS } from "../../tools/catalog.ts";
import type { Show } from "../../tools/command-call.ts";
import { prepareServerCall } from "../../tools/server-tool.ts";
import type { ToolOutcome } from "../../tools/tool-ports.ts";
import { writeTitle } from "../thread/call-title.ts";
import type { GrowingItem } from "../thread/live-texts.ts";
import type { ToolContext, Turn } from "../thread/running-turn.ts";
import type { MadeCall } from "./repeats.ts";
import { runHooked } from "./run-hooked.ts";
import { runIfAllowed } from "./run-if-allowed.ts";
import { runInParallel } from "./run-together.ts";

/** Limit for parallel calls of one step; the rest wait. */
const MAX_PARALLEL = 8;

/**
 * Runs the calls of a step, several at a time. Results are recorded in the order of the calls, whichever ends first. If
 * one cannot be recorded, no other begins, the running ones are stopped, and none is left when this rejects. Returns
 * the calls that were made.
 */
export async function runTools(turn: Turn, calls: readonly ToolCall[]): Promise<readonly MadeCall[]> {
	const made: MadeCall[] = [];
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
			// Calls that will no longer run have no result, and nothing may wait for them.
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
	await runInParallel([...workers, recorder], turn.signal);
	turn.signal.throwIfAborted();
	return made;
}

function asMade(call: ToolCall, { kind, title }: Runnable, { text, lasting = text, ok }: CallResult): MadeCall {
	const mayChange = ok && (kind === "command" || kind === "fileChange");
	return { name: call.name, ...writeTitle(title), arguments: call.arguments, result: lasting, mayChange };
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
	// After all results: some servers allow nothing between them.
	if (images.length > 0) await thread.commit([{ kind: "items", turnId, items: images }], "synced");
}

/** A parsed call, and who requested it if not the model. */
export interface Runnable {
	readonly kind: CallKind;
	readonly title: Said;
	readonly by?: "user";
	readonly run: (show: Show) => Promise<ToolOutcome>;
}

/** The text of a call for the model, as much as fits, and how its command ended. */
export interface CallResult {
	readonly ok: boolean;
	readonly text: string;
	/** The part of the text that stays the same if nothing has changed. */
	readonly lasting?: string;
	readonly command?: CommandEnd;
	/** An image for the model. */
	readonly image?: UserImage;
}

/** Runs a call as an item of its turn. Undefined if it was stopped. */
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
		...writeTitle(title),
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
	const { image } = outcome;
	const { lasting = undefined } = outcome.ok ? outcome : {};
	return { ok: outcome.ok, text, ...command, ...(image && { image }), ...(lasting === undefined ? {} : { lasting }) };
}

/** Streams a call's output until it is over. While the client does not drain, new output is skipped. */
function showWhileRunning(
	{ thread, envelope, ports, signal }: ToolContext,
	item: Pick<GrowingItem, "itemId" | "itemKind">,
): { readonly show: Show; readonly end: () => void } {
	let state: "open" | "full" | "over" = "open";
	const show: Show = (text) => {
		if (state !== "open") return;
		const drained = ports.waitForDrain(signal);
		if (drained === undefined) {
			thread.streamText({ turnId: envelope.identity.turnId, ...item }, text);
			return;
		}
		state = "full";
		void drained.then(() => {
			if (state === "full") state = "open";
		});
	};
	const end = (): void => {
		state = "over";
	};
	return { show, end };
}

/** Where a command's output begins is only known if nothing before it was cut. */
function asKept({ outputFrom, ...end }: CommandEnd, whole: string, text: string): CommandEnd {
	if (outputFrom === undefined || whole.slice(0, outputFrom) !== text.slice(0, outputFrom)) return end;
	return { ...end, outputFrom };
}

function asRecorded(change: FileChange) {
	const hunks = change.hunks.map((hunk) => ({ ...hunk, removed: [...hunk.removed], added: [...hunk.added] }));
	return { ...change, hunks };
}

/** Parses a call before anything is touched. */
function prepare(turn: ToolContext, call: ToolCall): Runnable {
	const { envelope } = turn;
	const prepared = prepareCall(call, envelope);
	if (prepared === undefined) return refuse(call.name, whyNoTool(call.name, envelope));
	if ("problem" in prepared) return refuse(call.name, prepared.problem);
	// As hooks know it.
	const known = asServerCall(call, envelope.capabilities.serverTools);
	return {
		kind: prepared.kind,
		title: prepared.title,
		run: (show) =>
			runHooked(turn, {
				call: known,
				prepared,
				prepareAgain: (changed) => prepareCall(changed, envelope),
				run: (context, prepared, changed) => runIfAllowed(context, changed, prepared, show),
			}),
	};
}

/** The call of an offered tool; undefined if there is no such tool. */
function prepareCall({ name, arguments: args }: ToolCall, { capabilities, workspace }: ToolContext["envelope"]) {
	const served = capabilities.serverTools.find((one) => one.name === name);
	if (served !== undefined) return prepareServerCall(served, args);
	const tool = TOOLS.find((one) => one.name === name && capabilities.tools.includes(name));
	return tool?.prepare(args, workspace.cwd ?? "/");
}

function whyNoTool(name: string, { capabilities, policy }: ToolContext["envelope"]): string {
	const tools = `Tools: ${listTools(capabilities).join(", ") || "none"}.`;
	const known = TOOLS.find((tool) => tool.name === name);
	const { plan, noSandbox, commands } = policy.value;
	const obstacle = known?.needs === "command" && commands ? findObstacle(policy.value) : undefined;
	if (noSandbox !== undefined && obstacle !== undefined) {
		return `${describeObstacle(obstacle).text} ${findProblem(noSandbox).fix} The tool ${name} is not available until then. ${tools}`;
	}
	const inPlan = known !== undefined && plan !== undefined ? ` in ${plan.review ? "review" : "plan"} mode` : "";
	return `The tool ${name} is not available${inPlan}. ${tools}`;
}

function listTools({ tools, serverTools }: ToolContext["envelope"]["capabilities"]): readonly string[] {
	return [...tools, ...serverTools.map(({ name }) => name)];
}

function refuse(name: string, reason: string): Runnable {
	return { kind: "toolCall", title: quote(name), run: () => Promise.resolve({ ok: false, reason }) };
}
