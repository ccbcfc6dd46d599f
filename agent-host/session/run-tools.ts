import { truncateMiddle } from "../history/truncate.ts";
import { decide } from "../permissions/decide.ts";
import type { Item } from "../protocol/events.ts";
import { ItemId } from "../protocol/ids.ts";
import { TOOLS } from "../tools/catalog.ts";
import type { ToolOutcome } from "../tools/tool.ts";
import type { ToolCall } from "./run-step.ts";
import type { Turn } from "./turn.ts";

type ToolCallItem = Extract<Item, { kind: "toolCall" }>;

/** Calls of one step that run at the same time; the rest wait. */
const MAX_PARALLEL = 8;
const MAX_TITLE_CHARS = 200;

/** Runs the calls of a step, several at a time, and records each result as it comes. */
export async function runTools(turn: Turn, calls: readonly ToolCall[]): Promise<void> {
	const waiting = [...calls];
	const worker = async (): Promise<void> => {
		for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await runTool(turn, call);
	};
	await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, calls.length) }, worker));
}

async function runTool(turn: Turn, call: ToolCall): Promise<void> {
	const { thread, envelope, ports, signal } = turn;
	const { turnId, budgets } = envelope.identity;
	const prepared = prepare(turn, call);
	const item: ToolCallItem = {
		kind: "toolCall",
		id: ItemId.parse(ports.newId()),
		callId: call.callId,
		name: call.name,
		arguments: call.arguments,
		title: shorten(prepared.title),
		status: "running",
	};
	await thread.commit([{ kind: "event", event: { type: "itemStarted", turnId, item } }], "unsynced");
	const outcome = await prepared.run().catch((error: unknown): ToolOutcome | "stopped" => {
		if (signal.aborted) return "stopped";
		ports.log("error", `Tool ${call.name} failed: ${error instanceof Error ? error.stack : error}`);
		return { ok: false, reason: "The tool failed inside the host; this is not the fault of the arguments." };
	});
	if (outcome === "stopped") {
		const stopped = { ...item, status: "interrupted" } as const;
		await thread.commit([{ kind: "event", event: { type: "itemCompleted", turnId, item: stopped } }], "unsynced");
		signal.throwIfAborted();
		return;
	}
	const output = truncateMiddle(outcome.ok ? outcome.text : outcome.reason, budgets.toolOutput);
	const completed = { ...item, status: outcome.ok ? "completed" : "failed", output } as const;
	await thread.commit(
		[
			{ kind: "items", turnId, items: [{ kind: "toolOutput", callId: call.callId, output }] },
			{ kind: "event", event: { type: "itemCompleted", turnId, item: completed } },
		],
		"synced",
	);
}

interface Runnable {
	readonly title: string;
	readonly run: () => Promise<ToolOutcome>;
}

/** Understands a call and decides whether it may run, before anything is touched. */
function prepare({ envelope, tools, signal }: Turn, call: ToolCall): Runnable {
	const tool = TOOLS.find(({ name }) => name === call.name && envelope.capabilities.tools.includes(name));
	if (tool === undefined) {
		const offered = envelope.capabilities.tools.join(", ") || "none";
		return refuse(call.name, `There is no tool ${call.name}. Tools: ${offered}.`);
	}
	const prepared = tool.prepare(call.arguments, envelope.workspace.cwd ?? "/");
	if ("problem" in prepared) return refuse(call.name, prepared.problem);
	const verdict = decide(prepared.access, envelope.policy);
	if (verdict.kind === "deny") return refuse(prepared.title, verdict.reason);
	return { title: prepared.title, run: () => prepared.run(tools, signal) };
}

function refuse(title: string, reason: string): Runnable {
	return { title, run: () => Promise.resolve({ ok: false, reason }) };
}

function shorten(title: string): string {
	return title.length <= MAX_TITLE_CHARS ? title : `${title.slice(0, MAX_TITLE_CHARS)}…`;
}
