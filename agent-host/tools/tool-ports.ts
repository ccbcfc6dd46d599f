import type { ServerPrompt, ServerTool } from "../envelope/envelope.ts";
import type { UserImage } from "../history/history-item.ts";
import type { ReadImage } from "../history/image-facts.ts";
import type { AskHost } from "../network/host-rules.ts";
import type { ChangeSet, FileChange, PatchOutcome } from "../patch/change-set.ts";
import type { Patch } from "../patch/grammar.ts";
import type { PatchProblem } from "../patch/plan-patch.ts";
import type { Access, EditTarget, Policy } from "../permissions/policy/policy.ts";
import type { AskedQuestion, GivenAnswers, QuestionAnswer, QuestionSubject } from "../protocol/approval/question.ts";
import type { CommandEnd } from "../protocol/thread/item.ts";
import type { AgentPorts } from "./agent-call.ts";
import type { CommandPorts, Show } from "./command-call.ts";
import type { LanguagePorts } from "./language-port.ts";

/** The result of a call for the model. A failure that it can repair is a value, never a throw. */
export type ToolOutcome =
	| {
			readonly ok: true;
			readonly text: string;
			/** The part that would be the same if the call were made again and nothing had changed; defaults to the text. */
			readonly lasting?: string;
			/** What the call changed in the workspace, for the turn's record. */
			readonly changes?: ChangeSet;
			/** How a command ended, for its card. */
			readonly command?: CommandEnd;
			/** An image for the model beside the text. */
			readonly image?: UserImage;
	  }
	| { readonly ok: false; readonly reason: string; readonly image?: UserImage };

/** Does what was judged. */
export type Run = (signal: AbortSignal, show: Show) => Promise<ToolOutcome>;

export type FileText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

export interface FileListing {
	/** Paths relative to the listed folder, sorted. */
	readonly paths: readonly string[];
	/** Why the listing is incomplete, if so. */
	readonly cut?: string;
}

export interface SearchRequest {
	readonly folder: string;
	readonly pattern: string;
	readonly regex: boolean;
	readonly limit: number;
}

export interface SearchMatch {
	readonly path: string;
	readonly line: number;
	readonly text: string;
}

export type SearchOutcome =
	| { readonly ok: true; readonly matches: readonly SearchMatch[]; readonly cut?: string }
	| { readonly ok: false; readonly reason: string };

/** The files of a patch, found but not read. `targets` identifies all of them and their real paths. */
export type PatchTargets =
	| { readonly ok: true; readonly files: readonly EditTarget[]; readonly targets: string }
	| PatchProblem;

/** What a patch would do, without doing it. `digest` covers all of it, including contents. */
export type DescribedPatch =
	| {
			readonly ok: true;
			readonly files: readonly PatchedFile[];
			readonly digest: string;
			/** It does not fit files that the model may not read: what it asks for, instead of what it would change. */
			readonly unfit?: string;
	  }
	| PatchProblem;

/** One file of a patch, for an approval. */
export interface PatchedFile extends FileChange {
	/** Why it needs a separate approval, if so. */
	readonly protected?: string;
	/** Its contents are not text, so the hunks do not show them. */
	readonly binary?: true;
}

/** What was judged: a patch that would by now do anything else is not applied. */
export type JudgedPatch = { readonly targets: string } | { readonly digest: string };

export interface PatchPorts {
	readonly findTargets: (patch: Patch, cwd: string) => Promise<PatchTargets>;
	readonly describePatch: (patch: Patch, cwd: string, signal: AbortSignal) => Promise<DescribedPatch>;
	/** All or nothing; relative paths start at `cwd`. */
	readonly applyPatch: (patch: Patch, cwd: string, judged: JudgedPatch, signal: AbortSignal) => Promise<PatchOutcome>;
}

/** The effects a tool may have. Each refuses paths that are outside the readable folders, also through a link. */
export interface ToolPorts extends PatchPorts, CommandPorts, AgentPorts {
	/** The turn's policy, with all links that it depends on resolved once. */
	readonly policy: () => Promise<Policy>;
	/** The same for edits: repositories, and what they lead to, are protected too. */
	readonly editPolicy: () => Promise<Policy>;
	/** What reading a path would touch: its real path and the link paths that lead there. */
	readonly lookUp: (path: string) => Extract<Access, { readonly kind: "read" }>;
	readonly readText: (path: string, signal: AbortSignal) => Promise<FileText>;
	/** Whether a notebook is open in the editor with unsaved changes, which `readText` does not return. */
	readonly isUnsavedNotebook: (path: string) => Promise<boolean>;
	readonly readImage: (path: string) => Promise<ReadImage>;
	readonly listFiles: (folder: string, limit: number, signal: AbortSignal) => Promise<FileListing | FileText>;
	readonly searchFiles: (request: SearchRequest, signal: AbortSignal) => Promise<SearchOutcome>;
	/** A page of what compactions dropped from this thread. */
	readonly recall: (request: RecallRequest, signal: AbortSignal) => Promise<ToolOutcome>;
	/** The tools of MCP servers in this turn. */
	readonly serverTools: readonly ServerTool[];
	/** Calls a tool of an MCP server. */
	readonly callServer: (call: ServerCall) => Run;
	/** The text of a prompt of an MCP server, which the user invoked. */
	readonly readServerPrompt: (
		prompt: ServerPrompt,
		input: Readonly<Record<string, string>>,
		signal: AbortSignal,
	) => Promise<FileText>;
	/** Gets a page from the web; `askHost` asks the user about each site that is not allowed yet. */
	readonly fetchPage: (asked: PageRequest, signal: AbortSignal) => Promise<FetchedPage>;
	/** Asks the user, and waits. */
	readonly askUser: (questions: readonly AskedQuestion[]) => Promise<UserAnswers>;
	/** The text of a skill that the turn may use, or of a file in its folder. */
	readonly useSkill: (request: SkillRequest) => Promise<FileText>;
	/** What the editor's language servers say; undefined where no editor can be asked. */
	readonly language: LanguagePorts | undefined;
}

export interface SkillRequest {
	readonly name: string;
	/** What the user or the model says to it. */
	readonly given: string;
	/** A file in its folder, instead of its text. */
	readonly file?: string | undefined;
}

export interface PageRequest {
	readonly url: string;
	readonly askHost?: AskHost | undefined;
}

export type FetchedPage =
	| { readonly ok: true; readonly url: string; readonly type: string; readonly text: string }
	| { readonly ok: false; readonly reason: string };

/** What the user said. That they did not is a value, too, and never consent. */
export type UserAnswers =
	| { readonly state: "answered"; readonly answers: GivenAnswers }
	/** The user does not want to say. */
	| { readonly state: "skipped" }
	/** Nobody could be asked. */
	| { readonly state: "unavailable" };

/** A call to a tool of an MCP server. */
export interface ServerCall {
	readonly tool: ServerTool;
	readonly input: Readonly<Record<string, unknown>>;
	/** The thread it belongs to. */
	readonly owner?: string;
	/** Asks the user what the server wants to know while it runs; undefined if nobody answers. */
	readonly ask?: (subject: QuestionSubject, signal: AbortSignal) => Promise<QuestionAnswer | undefined>;
}

export interface RecallRequest {
	readonly query?: string | undefined;
	readonly turnId?: string | undefined;
	/** Number of the first entry, or of the first character of a turn. */
	readonly from: number;
}
