import type { AgentReport } from "../../../agent-host/protocol/agent.ts";
import type { ApprovalDecision, ApprovalRequest } from "../../../agent-host/protocol/approval/approval.ts";
import type { GivenAnswers, QuestionChoice, QuestionRequest } from "../../../agent-host/protocol/approval/question.ts";
import type { EnvelopeSummary, Spent, ThreadEvent, TurnError } from "../../../agent-host/protocol/thread/events.ts";
import type { Goal } from "../../../agent-host/protocol/thread/goal.ts";
import type { ImageFacts } from "../../../agent-host/protocol/thread/image.ts";
import type { CallItem, CommandEnd, Containment, CutPatch, Item } from "../../../agent-host/protocol/thread/item.ts";
import { sayNamed } from "../../../l10n/host-words.ts";
import { type Message, t } from "../../../l10n/t.ts";

/** State of a streamed text: still growing, complete, cut off, or cut off by the end of its turn, which says so. */
export type TextState = "streaming" | "done" | "cut" | "ended";

export type ToolState = CallItem["status"];

type OfTurn = { readonly key: string; readonly turnId: string };
type OfItem = OfTurn & { readonly itemId: string };

/** Time between the item's first and last event. */
type Timed = {
	readonly startedAt: number | undefined;
	/** Duration, once it has ended. */
	readonly ms: number | undefined;
};

export type MessageEntry = OfItem &
	Timed & {
		readonly kind: "agentMessage" | "reasoning";
		readonly text: string;
		readonly state: TextState;
	};

export type UserEntry = OfItem & {
	readonly kind: "userMessage";
	/** `plain`, or the kind of the fragment that the host sent as a user message. */
	readonly messageKind: string;
	readonly text: string;
	readonly images: readonly ImageFacts[];
	/** Number of other attachments. */
	readonly attached: number;
	/** Sent to a running turn, so it did not start one. */
	readonly steered: boolean;
};

export type ToolEntry = OfItem &
	Timed & {
		readonly kind: "toolCall";
		readonly callId: string;
		/** Who started it. */
		readonly by: "agent" | "user";
		/** A hook of the user or the workspace, not a call of the model. */
		readonly isHook?: true;
		readonly name: string;
		readonly arguments: string;
		/** Only the beginning of a long patch has been sent; the event with that number has all of it. */
		readonly cut: (CutPatch & { readonly seq: number }) | undefined;
		readonly title: string;
		readonly status: ToolState;
		readonly output: string;
		readonly command: CommandEnd | undefined;
		/** The host's reason for allowing the call without asking. */
		readonly unasked: string | undefined;
		/** The policy refused it without asking. */
		readonly isRefused?: true;
		/** Its approvals, in order; they have no rows of their own. */
		readonly asked: readonly ApprovalEntry[];
		/** What contained the call, as a phrase; `word` only if that was not the sandbox. */
		readonly held: { readonly word: string | undefined; readonly words: string } | undefined;
		/** The sub-agent that it started. */
		readonly agent: AgentReport | undefined;
	};

/** A patch that the model is still writing. */
export type DraftEntry = OfItem & { readonly kind: "draft"; readonly text: string };

export type NoticeEntry = OfItem & {
	readonly kind: "notice";
	readonly level: "info" | "warning";
	readonly text: string;
};

export type ContextEntry = OfTurn & {
	readonly kind: "context";
	/** The full context for a model that has none yet, or only what changed since. */
	readonly scope: "all" | "changes";
	readonly fragments: Extract<ThreadEvent, { readonly type: "contextUpdated" }>["fragments"];
};

/** Used to classify paths: a path below none of the roots is outside the workspace. */
export interface Workspace {
	readonly roots: readonly string[];
	readonly cwd: string | undefined;
}

export type ApprovalEntry = OfTurn & {
	readonly kind: "approval";
	readonly request: ApprovalRequest;
	readonly workspace: Workspace;
	/** `lapsed`: the turn ended before the user answered. */
	readonly state:
		| { readonly kind: "pending" | "lapsed" }
		| {
				readonly kind: "resolved";
				readonly decision: ApprovalDecision;
				readonly by: "user" | "host";
				readonly note: string | undefined;
		  };
};

export type QuestionEntry = OfTurn & {
	readonly kind: "question";
	readonly request: QuestionRequest;
	/** Without a choice, the user did not answer. */
	readonly state:
		| { readonly kind: "pending" }
		| {
				readonly kind: "answered";
				readonly choice: QuestionChoice | undefined;
				readonly answers?: GivenAnswers | undefined;
		  };
};

export type WarningEntry = OfTurn & { readonly kind: "warning"; readonly code: string; readonly text: string };

/** What a turn took, sent and changed, known when it has ended. */
export interface TurnFacts {
	/** From its start to its end; undefined if its start is not known. */
	readonly ms: number | undefined;
	readonly spent: Spent | undefined;
	/** Requests that failed and were repeated. */
	readonly retries: number;
	/** Context that was sent besides the conversation. */
	readonly context: readonly ContextEntry[];
	readonly changes: ChangesEntry | undefined;
}

export type TurnEndEntry = OfTurn & {
	readonly kind: "turnEnd";
	readonly status: "interrupted" | "failed";
	readonly error: TurnError | undefined;
	readonly facts: TurnFacts;
};

/** The last line of a turn that was completed. */
export type TurnSummaryEntry = OfTurn & { readonly kind: "turnSummary"; readonly facts: TurnFacts };

/** Files that a turn changed, added when it ends. */
export type ChangesEntry = OfTurn & {
	readonly kind: "changes";
	readonly files: number;
	readonly paths: readonly string[];
	/** Files among them that the user's build or tests run. */
	readonly runWithBuild: readonly string[];
};

/** Files that were restored, or whose restore was undone. */
export type RestoredEntry = OfTurn & { readonly kind: "restored"; readonly files: number; readonly redone: boolean };

/** Turns that were removed from the conversation, with the files that were restored together with them. */
export type RolledBackEntry = OfTurn & { readonly kind: "rolledBack"; readonly turns: number; readonly files: number };

/** A goal that was paused or has ended. */
export type GoalEntry = OfTurn & { readonly kind: "goal"; readonly goal: Goal };

export type CompactionEntry = OfItem & {
	readonly kind: "contextCompaction";
	readonly report: Extract<Item, { readonly kind: "contextCompaction" }>;
	readonly state: "applied" | "undone";
};

/** One entry of the transcript. The kinds are also the page's `data-kind`. */
export type Entry =
	| UserEntry
	| MessageEntry
	| ToolEntry
	| DraftEntry
	| NoticeEntry
	| ContextEntry
	| ApprovalEntry
	| QuestionEntry
	| CompactionEntry
	| GoalEntry
	| WarningEntry
	| ChangesEntry
	| RestoredEntry
	| RolledBackEntry
	| TurnSummaryEntry
	| TurnEndEntry;

export const UNTIMED: Timed = { startedAt: undefined, ms: undefined };

/** Entry for an item that has started (`streaming`) or is complete (`done`). */
export function entryFromItem(
	item: Item,
	turnId: string,
	{ state, seq }: { readonly state: "streaming" | "done"; readonly seq: number },
): Entry {
	const base = { key: item.id, turnId, itemId: item.id };
	switch (item.kind) {
		case "userMessage":
			return {
				...{ ...base, kind: item.kind, messageKind: item.messageKind, text: item.text },
				...{ images: item.images ?? [], attached: item.attached?.length ?? 0, steered: item.steered === true },
			};
		case "agentMessage":
		case "reasoning":
			return { ...base, ...UNTIMED, kind: item.kind, text: item.text, state: item.cut ? "cut" : state };
		case "command":
		case "fileChange":
		case "plan":
		case "toolCall":
		case "hook": {
			const { callId, name, arguments: json, cut, title, titleSaid, status, output = "", command } = item;
			const unknown = { ...UNTIMED, unasked: undefined, asked: [], held: undefined, agent: undefined };
			const { by = "agent" } = item;
			return {
				...base,
				kind: "toolCall",
				callId,
				by,
				name,
				arguments: json,
				cut: cut && { ...cut, seq },
				title: sayNamed(title, titleSaid),
				status,
				output,
				command,
				...unknown,
				...(item.kind === "hook" && { isHook: true as const }),
			};
		}
		case "contextCompaction":
			return { ...base, kind: item.kind, report: item, state: "applied" };
		case "notice":
			return { ...base, kind: item.kind, level: item.level, text: item.text };
	}
}

function lapse(entry: ApprovalEntry): ApprovalEntry {
	return entry.state.kind === "pending" ? { ...entry, state: { kind: "lapsed" } } : entry;
}

/** The entry as it stays when its turn ends before it is complete. */
export function cutEntry(entry: Entry, text: string | undefined): Entry {
	if (entry.kind === "approval") return lapse(entry);
	if (entry.kind === "question" && entry.state.kind === "pending") {
		return { ...entry, state: { kind: "answered", choice: undefined } };
	}
	if (entry.kind === "toolCall" && entry.status === "running") {
		return { ...entry, output: text ?? entry.output, status: "interrupted", asked: entry.asked.map(lapse) };
	}
	if ((entry.kind === "agentMessage" || entry.kind === "reasoning") && entry.state === "streaming") {
		return { ...entry, text: text ?? entry.text, state: "cut" };
	}
	return entry;
}

/** A command in its sandbox is what a reader expects. */
const HELD: Readonly<Record<Exclude<Containment, "sandboxed">, Message>> = {
	fullAccess: "Full Access",
	outside: "outside the sandbox",
	none: "without a sandbox",
};

export interface Surroundings {
	readonly at: number;
	/** The previous version of the entry. */
	readonly known: Entry | undefined;
	readonly envelope: EnvelopeSummary | undefined;
}

/** Adds what depends on the turn: times, the reason for not asking, containment. */
export function placeInTurn(entry: Entry, { at, known, envelope }: Surroundings): Entry {
	if (entry.kind === "agentMessage" || entry.kind === "reasoning") {
		const { startedAt = at } = known?.kind === entry.kind ? known : {};
		return { ...entry, startedAt, ms: entry.state === "streaming" ? undefined : at - startedAt };
	}
	if (entry.kind !== "toolCall") return entry;
	const before = known?.kind === "toolCall" ? known : undefined;
	const { startedAt = at, unasked, isRefused, asked = [], agent } = before ?? {};
	const refused = isRefused && { isRefused };
	const { sandbox, sandboxSaid, containment, durationMs } = entry.command ?? {};
	const name = sandbox ?? envelope?.permissions;
	const words = name && sayNamed(name, sandbox === undefined ? envelope?.permissionsSaid : sandboxSaid);
	const by = containment ?? (envelope?.permissionMode === "full" ? "fullAccess" : "sandboxed");
	const word = by === "sandboxed" ? undefined : t(HELD[by]);
	// A call that did not run was not contained by anything.
	const hasRun = entry.command !== undefined || entry.status === "running";
	const held = words === undefined || !hasRun ? undefined : { word, words };
	const ms = entry.status === "running" ? undefined : (durationMs ?? at - startedAt);
	// Its patch stays as it was read when the call began.
	const patch = entry.cut && before && before.cut === undefined ? before : entry;
	return {
		...entry,
		arguments: patch.arguments,
		cut: patch.cut,
		startedAt,
		ms,
		unasked,
		...refused,
		asked,
		held,
		agent,
	};
}
