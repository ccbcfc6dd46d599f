import type { ModelEffects } from "../../model/client.ts";
import type { ServerMemory } from "../../model/memory.ts";
import type { EditorModels } from "../../model/wires/editor/editor.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../protocol/approval/approval.ts";
import type { QuestionAnswer, QuestionRequest } from "../../protocol/approval/question.ts";
import type { HostStatus, HostWarning } from "../../protocol/host/host.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { PublishedEvent } from "../../protocol/thread/events.ts";
import type { DayLedger } from "../../store/home/day-ledger.ts";
import type { OpenDocuments } from "../../workspace/apply/open-documents.ts";

/** The effects a session is handed. Tests hand in others; nothing in the session reaches round them. */
export interface Ports {
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Resolves after `ms`, or rejects with the signal's reason. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	/** Calls `work` once after `ms`, unless cancelled by the function it returns. */
	readonly setTimer: (ms: number, work: () => void) => () => void;
	/** From 0 to 1. */
	readonly random: () => number;
	readonly newId: () => string;
	/** The key or sign-in stored for one provider at one origin. */
	readonly secret: ModelEffects["secret"];
	/** The editor's own models. */
	readonly editorModels: EditorModels;
	/** What is known of model servers. */
	readonly servers: ServerMemory;
	/** What all windows have spent, by day. */
	readonly dailySpending: DayLedger;
	/** Asks the user through the client; rejects when the client cannot, or when `signal` aborts. */
	readonly ask: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;
	/** Asks the user how to go on; rejects as `ask` does. */
	readonly question: (request: QuestionRequest, signal: AbortSignal) => Promise<QuestionAnswer>;
	/** The client's open documents, to be edited through it. */
	readonly documents: OpenDocuments;
	readonly publish: (threadId: ThreadId, event: PublishedEvent) => void;
	/** Waits while the client does not take what was published, or until `signal` aborts; undefined when there is no need. */
	readonly waitForDrain: (signal: AbortSignal) => Promise<void> | undefined;
	/** Commands in the background came or went. */
	readonly processesChanged: () => void;
	/** What the host says of itself is something else now. */
	readonly statusChanged: (status: HostStatus) => void;
	/** Tells the user what limits the host, and what helps. */
	readonly warn: (warning: HostWarning) => void;
	readonly log: (level: "info" | "warning" | "error", message: string) => void;
}

/** The ports that need no home: all that there are before the client has said where it is. */
export type ClientPorts = Omit<Ports, "servers" | "dailySpending">;
