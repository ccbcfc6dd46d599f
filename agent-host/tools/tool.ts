import { resolve } from "node:path";
import * as z from "zod";
import type { ServerTool } from "../envelope/envelope.ts";
import type { UserImage } from "../history/history-item.ts";
import type { ReadImage } from "../history/image-facts.ts";
import type { ChangeSet, FileChange, PatchOutcome } from "../patch/change-set.ts";
import type { Patch } from "../patch/grammar.ts";
import type { PatchProblem } from "../patch/plan-patch.ts";
import type { Access, EditTarget, Policy, ToolNeed } from "../permissions/policy/policy.ts";
import type { ApprovalSubject } from "../protocol/approval/approval.ts";
import type { CallKind, CommandEnd } from "../protocol/thread/item.ts";
import type { CommandPorts, Show } from "./command-call.ts";
import { toParameters } from "./parameters.ts";

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
	| { readonly ok: false; readonly reason: string };

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
export interface ToolPorts extends PatchPorts, CommandPorts {
	/** The turn's policy, with all links that it depends on resolved once. */
	readonly policy: () => Promise<Policy>;
	/** What reading a path would touch: its real path and the link paths that lead there. */
	readonly lookUp: (path: string) => Extract<Access, { readonly kind: "read" }>;
	readonly readText: (path: string, signal: AbortSignal) => Promise<FileText>;
	readonly readImage: (path: string) => Promise<ReadImage>;
	readonly listFiles: (folder: string, limit: number, signal: AbortSignal) => Promise<FileListing | FileText>;
	readonly searchFiles: (request: SearchRequest, signal: AbortSignal) => Promise<SearchOutcome>;
	/** A page of what compactions dropped from this thread. */
	readonly recall: (request: RecallRequest, signal: AbortSignal) => Promise<ToolOutcome>;
	/** Calls a tool of an MCP server. */
	readonly callServer: (call: ServerCall) => Run;
}

/** A call to a tool of an MCP server. */
export interface ServerCall {
	readonly tool: ServerTool;
	readonly input: Readonly<Record<string, unknown>>;
}

export interface RecallRequest {
	readonly query?: string | undefined;
	readonly turnId?: string | undefined;
	/** Number of the first entry, or of the first character of a turn. */
	readonly from: number;
}

/** A call of a tool with one field can also be plain text. */
export interface FreeForm {
	readonly field: string;
	/** The grammar of its content, in Lark's notation. */
	readonly grammar: string;
}

export interface Tool {
	/** Persisted: never renamed, nor its arguments. */
	readonly name: string;
	readonly description: string;
	readonly needs: ToolNeed;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly freeForm: FreeForm | undefined;
	/** The description for the model in a turn with this policy, if it differs. */
	readonly describeUnder: (policy: Policy) => Pick<Tool, "description" | "parameters"> | undefined;
	readonly prepare: (rawArguments: string, cwd: string) => PreparedCall | { readonly problem: string };
}

/** The call would fail whatever the user says, so they are not asked. */
export interface Unaskable {
	readonly problem: string;
}

/** A call with parsed arguments. */
export interface PreparedCall {
	readonly kind: CallKind;
	readonly title: string;
	/** Finds out what it would touch now: resolves paths, and changes nothing. */
	readonly look: (ports: ToolPorts) => Promise<CallFindings>;
}

/** The findings for a call. What is judged, shown and run belongs together, so that only what was judged can run. */
export interface CallFindings {
	/** What it would touch. */
	readonly access: Access;
	/** For the approval; undefined if the call never needs one. */
	readonly show: (signal: AbortSignal) => Promise<Shown | Unaskable | undefined>;
	/** Runs what was found, without an approval. */
	readonly run: Run;
}

/** What exactly would happen; only that is run. */
export interface Shown {
	readonly subject: ApprovalSubject;
	readonly run: Run;
}

export type Run = (signal: AbortSignal, show: Show) => Promise<ToolOutcome>;

type ResolvePath = (path: string) => string;

/** A tool whose calls depend only on their arguments. */
interface Plain<I> {
	readonly access: (input: I, at: ResolvePath, ports: ToolPorts) => Access | Promise<Access>;
	/** For a tool that may need an approval. */
	readonly subject?: (input: I, at: ResolvePath, ports: ToolPorts) => ApprovalSubject | Unaskable;
	readonly run: (input: I, at: ResolvePath, ports: ToolPorts, signal: AbortSignal, show: Show) => Promise<ToolOutcome>;
}

/** A tool whose calls are bound to what was found when they were judged. */
interface Bound<I> {
	readonly look: (input: I, at: ResolvePath, ports: ToolPorts) => Promise<CallFindings>;
}

/** Another description of a tool, for turns in which less can be asked for. */
interface Variant {
	readonly description: string;
	readonly input: z.ZodType;
}

export function defineTool<S extends z.ZodType>(
	shape: {
		readonly name: string;
		readonly description: string;
		readonly needs: ToolNeed;
		/** The kind of its calls in the transcript, if it is a special one. */
		readonly kind?: CallKind;
		readonly input: S;
		/** The description for plan mode, without what only an approval can open. */
		readonly planning?: Variant;
		/** The same on a machine without a sandbox. */
		readonly uncontained?: Variant;
		/** If a call may also be plain text instead of JSON. */
		readonly freeForm?: FreeForm;
		/** If the call really belongs to another tool, or must be made differently: this replaces everything below. */
		readonly instead?: (input: z.output<S>, at: ResolvePath) => ReturnType<Tool["prepare"]> | undefined;
		readonly title: (input: z.output<S>) => string;
	} & (Plain<z.output<S>> | Bound<z.output<S>>),
): Tool {
	const { name, description, needs, freeForm } = shape;
	const look = "look" in shape ? shape.look : createPlainLook(shape);
	let parameters: Tool["parameters"] | undefined;
	const described = new Map<Variant, ReturnType<Tool["describeUnder"]>>();
	return {
		name,
		description,
		needs,
		freeForm,
		// Created when a request first needs it, so that the host's start does not wait for it.
		get parameters() {
			parameters ??= toParameters(shape.input);
			return parameters;
		},
		describeUnder: (policy) => {
			const variant = policy.plan !== undefined ? shape.planning : policy.noSandbox && shape.uncontained;
			if (variant === undefined) return undefined;
			const { description, input } = variant;
			const known = described.get(variant) ?? { description, parameters: toParameters(input) };
			described.set(variant, known);
			return known;
		},
		prepare: (rawArguments, cwd) => {
			const input = parseArguments(shape.input, rawArguments, freeForm);
			if (!input.ok) return { problem: `Bad arguments for ${name}: ${input.reason}` };
			const at = (path: string) => resolve(cwd, path);
			const other = shape.instead?.(input.value, at);
			if (other !== undefined) return other;
			return {
				kind: shape.kind ?? "toolCall",
				title: shape.title(input.value),
				look: (ports) => look(input.value, at, ports),
			};
		},
	};
}

function createPlainLook<I>({ access, subject, run }: Plain<I>): Bound<I>["look"] {
	return async (input, at, ports) => {
		const runIt: Run = (signal, show) => run(input, at, ports, signal, show);
		return {
			access: await access(input, at, ports),
			show: async () => {
				const about = subject?.(input, at, ports);
				return about === undefined || "problem" in about ? about : { subject: about, run: runIt };
			},
			run: runIt,
		};
	};
}

function parseArguments<S extends z.ZodType>(
	schema: S,
	raw: string,
	freeForm: FreeForm | undefined,
): { readonly ok: true; readonly value: z.output<S> } | { readonly ok: false; readonly reason: string } {
	let json: unknown;
	try {
		json = JSON.parse(raw === "" ? "{}" : raw);
	} catch {
		if (freeForm === undefined) return { ok: false, reason: "they are not valid JSON." };
		json = raw;
	}
	if (typeof json === "string" && freeForm !== undefined) json = { [freeForm.field]: json };
	const parsed = schema.safeParse(json);
	if (parsed.success) return { ok: true, value: parsed.data };
	return { ok: false, reason: z.prettifyError(parsed.error) };
}
