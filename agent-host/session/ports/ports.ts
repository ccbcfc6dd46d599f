import type { ModelEffects } from "../../model/client.ts";
import type { ServerMemory } from "../../model/memory.ts";
import type { EditorModels } from "../../model/wires/editor/editor.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../protocol/approval/approval.ts";
import type { QuestionAnswer, QuestionRequest } from "../../protocol/approval/question.ts";
import type { editorToolCall, editorToolList } from "../../protocol/host/editor-tools.ts";
import type { HostStatus, HostWarning } from "../../protocol/host/host.ts";
import type {
	languageActions,
	languageHover,
	languageLocate,
	languageOutline,
	languageProblems,
	languageRename,
	languageSymbols,
	taskList,
} from "../../protocol/host/language.ts";
import type {
	serverAuthorize,
	serverCredentials,
	serverKeepCredentials,
	serverRedirect,
} from "../../protocol/host/server-sign-in.ts";
import type { serverInput } from "../../protocol/host/servers.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import type { Method, ParamsOf, ResultOf } from "../../protocol/method.ts";
import type { PublishedEvent } from "../../protocol/thread/events.ts";
import type { DayLedger } from "../../store/home/day-ledger.ts";
import type { OpenDocuments } from "../../workspace/apply/open-documents.ts";

type Ask<M extends Method> = (params: ParamsOf<M>, signal: AbortSignal) => Promise<ResultOf<M>>;

type AskPlain<M extends Method> = (params: ParamsOf<M>) => Promise<ResultOf<M>>;

export interface EditorKnowledge {
	readonly problems: Ask<typeof languageProblems>;
	readonly locate: Ask<typeof languageLocate>;
	readonly outline: Ask<typeof languageOutline>;
	readonly symbols: Ask<typeof languageSymbols>;
	readonly hover: Ask<typeof languageHover>;
	readonly actions: Ask<typeof languageActions>;
	readonly rename: Ask<typeof languageRename>;
	readonly tasks: Ask<typeof taskList>;
}

/** Tools that others have given the client's editor. */
export interface EditorToolClient {
	readonly list: Ask<typeof editorToolList>;
	readonly call: Ask<typeof editorToolCall>;
}

/** What the client does so that the user can sign in to MCP servers. */
export interface SignInClient {
	readonly credentials: AskPlain<typeof serverCredentials>;
	readonly keepCredentials: AskPlain<typeof serverKeepCredentials>;
	readonly redirect: AskPlain<typeof serverRedirect>;
	readonly authorize: AskPlain<typeof serverAuthorize>;
}

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
	/** A value that an MCP server needs, as it is stored or entered; undefined if the user does not say. */
	readonly serverInput: (asked: ParamsOf<typeof serverInput>) => Promise<string | undefined>;
	/** Every call rejects if the client cannot do that. */
	readonly signIn: SignInClient;
	/** What the client's editor knows about code and tasks; every call rejects if it cannot be asked. */
	readonly editor: EditorKnowledge;
	/** Likewise. */
	readonly editorTools: EditorToolClient;
	/** The client's open documents, which are edited through it. */
	readonly documents: OpenDocuments;
	readonly publish: (threadId: ThreadId, event: PublishedEvent) => void;
	/** Waits until the client has drained what was published, or `signal` aborts; undefined if there is no need. */
	readonly waitForDrain: (signal: AbortSignal) => Promise<void> | undefined;
	/** Background commands started or ended. */
	readonly processesChanged: () => void;
	/** State or tools of MCP servers changed. */
	readonly serversChanged: () => void;
	/** Host status changed. */
	readonly statusChanged: (status: HostStatus) => void;
	/** Warns the user about a limitation of the host, with the remedy. */
	readonly warn: (warning: HostWarning) => void;
	readonly log: (level: "info" | "warning" | "error", message: string) => void;
}

/** The ports that need no home folder: they exist before the client has said where it is. */
export type ClientPorts = Omit<Ports, "servers" | "dailySpending">;
