import { isAbsolute, join } from "node:path";
import type { PlanEntry, SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { ThreadEvent } from "../../protocol/thread/events.ts";
import type { CallItem } from "../../protocol/thread/item.ts";

/** A longer text goes as its beginning. */
export const MAX_CONTENT_CHARS = 262_144;

const KINDS: Readonly<Record<string, ToolKind>> = {
	read_file: "read",
	view_image: "read",
	recall: "read",
	list_files: "search",
	search_files: "search",
	run_command: "execute",
	write_command_input: "execute",
	stop_command: "execute",
	apply_patch: "edit",
	update_plan: "think",
};

/** A call that has begun, or that waits for approval. */
export function announceCall(
	item: CallItem,
	cwd: string | undefined,
	status: "pending" | "in_progress",
): SessionUpdate {
	const rawInput = parseArguments(item.arguments);
	return {
		sessionUpdate: "tool_call",
		toolCallId: item.callId,
		title: item.title,
		name: item.name,
		kind: KINDS[item.name] ?? "other",
		status,
		rawInput,
		locations: locate(rawInput, cwd),
	};
}

/** How it ended; the plan is an update of its own. */
export function finishCall(item: CallItem): readonly SessionUpdate[] {
	const plan = item.kind === "plan" ? readPlan(item.arguments) : undefined;
	return [
		{
			sessionUpdate: "tool_call_update",
			toolCallId: item.callId,
			title: item.title,
			status: item.status === "completed" ? "completed" : "failed",
			...(item.output === undefined ? {} : { rawOutput: { output: item.output.slice(0, MAX_CONTENT_CHARS) } }),
			// A patch shows its diff instead.
			...(item.output === undefined || item.kind === "fileChange" ? {} : { content: [text(item.output)] }),
		},
		...(plan === undefined ? [] : [{ sessionUpdate: "plan" as const, entries: plan }]),
	];
}

type TurnDiff = Extract<ThreadEvent, { readonly type: "turnDiff" }>;

/** The changed lines of each file. */
export function showDiff({ callId, files }: TurnDiff): SessionUpdate {
	const content = files.flatMap(({ resolved, movedTo, operation, hunks }): readonly ToolCallContent[] =>
		hunks.map(({ removed, added }) => ({
			type: "diff",
			path: movedTo?.resolved ?? resolved,
			oldText: operation === "add" ? null : removed.join("\n").slice(0, MAX_CONTENT_CHARS),
			newText: added.join("\n").slice(0, MAX_CONTENT_CHARS),
		})),
	);
	const locations = files.map(({ resolved, movedTo, hunks }) => ({
		path: movedTo?.resolved ?? resolved,
		...(hunks[0] === undefined ? {} : { line: hunks[0].to }),
	}));
	return { sessionUpdate: "tool_call_update", toolCallId: callId, content: [...content], locations };
}

function text(output: string): ToolCallContent {
	return { type: "content", content: { type: "text", text: output.slice(0, MAX_CONTENT_CHARS) } };
}

/** The model's JSON: possibly malformed. */
function parseArguments(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return json;
	}
}

function locate(input: unknown, cwd: string | undefined): ToolCallLocation[] {
	const { path, from } = Object(input) as Readonly<Record<string, unknown>>;
	if (typeof path !== "string" || path === "" || (cwd === undefined && !isAbsolute(path))) return [];
	const whole = isAbsolute(path) ? path : join(cwd ?? "", path);
	return [{ path: whole, ...(typeof from === "number" ? { line: from } : {}) }];
}

const STATES: Readonly<Record<string, PlanEntry["status"]>> = { running: "in_progress", done: "completed" };

function readPlan(json: string): PlanEntry[] | undefined {
	const { steps } = Object(parseArguments(json)) as { readonly steps?: unknown };
	if (!Array.isArray(steps)) return undefined;
	return steps.map((step: unknown) => {
		const { text: content, status } = Object(step) as Readonly<Record<string, unknown>>;
		return { content: String(content), priority: "medium", status: STATES[String(status)] ?? "pending" };
	});
}
