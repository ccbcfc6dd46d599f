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

/** The effects of a session. Tests pass others; nothing in the session bypasses them. */
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
	readonly editorModels: EditorModels;
	/** What is known about model servers. */
	readonly servers: ServerMemory;
	/** The spending of all windows, by day. */
	readonly dailySpending: DayLedger;
	/** Asks the user through the client; rejects if the client cannot, or when `signal` aborts. */
	readonly ask: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;
	/** Asks the user how to continue; rejects as `ask` does. */
	readonly question: (request: QuestionRequest, signal: AbortSignal) => Promise<QuestionAnswer>;
	/** The client's open documents, which are edited through it. */
	readonly documents: OpenDocuments;
	readonly publish: (threadId: ThreadId, event: PublishedEvent) => void;
	/** Waits until the client has drained what was published, or `signal` aborts; undefined if there is no need. */
	readonly waitForDrain: (signal: AbortSignal) => Promise<void> | undefined;
	/** Background commands started or ended. */
	readonly processesChanged: () => void;
	/** Host status changed. */
	readonly statusChanged: (status: HostStatus) => void;
	/** Warns the user about a limitation of the host, with the remedy. */
	readonly warn: (warning: HostWarning) => void;
	readonly log: (level: "info" | "warning" | "error", message: string) => void;
}

/** The ports that need no home folder: they exist before the client has said where it is. */
export type ClientPorts = Omit<Ports, "servers" | "dailySpending">;
