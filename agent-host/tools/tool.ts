import { resolve } from "node:path";
import * as z from "zod";
import type { Access, ToolNeed } from "../permissions/policy.ts";
import type { ApprovalSubject } from "../protocol/approval.ts";

/** What the model reads back from a call. A failure it can repair is a value, never a throw. */
export type ToolOutcome =
	| { readonly ok: true; readonly text: string }
	| { readonly ok: false; readonly reason: string };

export type FileText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

export interface FileListing {
	/** Paths relative to the folder that was listed, sorted. */
	readonly paths: readonly string[];
	/** Why the listing ends early, when it does. */
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

/** The effects a tool may have. Each refuses what lies, or leads through a link, outside the readable folders. */
export interface ToolPorts {
	readonly readText: (path: string, signal: AbortSignal) => Promise<FileText>;
	readonly listFiles: (folder: string, limit: number, signal: AbortSignal) => Promise<FileListing | FileText>;
	readonly searchFiles: (request: SearchRequest, signal: AbortSignal) => Promise<SearchOutcome>;
}

export interface Tool {
	/** Persisted: never renamed, nor its arguments. */
	readonly name: string;
	readonly description: string;
	readonly needs: ToolNeed;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly prepare: (rawArguments: string, cwd: string) => PreparedCall | { readonly problem: string };
}

/** A call whose arguments were understood: what it would touch, what to call it, how to run it. */
export interface PreparedCall {
	readonly title: string;
	/** What it would touch. Asks where paths lead; changes nothing. */
	readonly access: (ports: ToolPorts, signal: AbortSignal) => Promise<Access>;
	/** What exactly would happen, for the user to see before they allow it. */
	readonly subject: (ports: ToolPorts, signal: AbortSignal) => Promise<ApprovalSubject | undefined>;
	readonly run: (ports: ToolPorts, signal: AbortSignal) => Promise<ToolOutcome>;
}

export function defineTool<S extends z.ZodType>(shape: {
	readonly name: string;
	readonly description: string;
	readonly needs: ToolNeed;
	readonly input: S;
	readonly title: (input: z.output<S>) => string;
	readonly access: (input: z.output<S>, at: (path: string) => string, ports: ToolPorts) => Access | Promise<Access>;
	/** For a tool that may need an approval. */
	readonly subject?: (
		input: z.output<S>,
		at: (path: string) => string,
		ports: ToolPorts,
	) => ApprovalSubject | Promise<ApprovalSubject>;
	readonly run: (
		input: z.output<S>,
		at: (path: string) => string,
		ports: ToolPorts,
		signal: AbortSignal,
	) => Promise<ToolOutcome>;
}): Tool {
	const { name, description, needs } = shape;
	return {
		name,
		description,
		needs,
		parameters: z.toJSONSchema(shape.input, { io: "input" }),
		prepare: (rawArguments, cwd) => {
			const input = parseArguments(shape.input, rawArguments);
			if (!input.ok) return { problem: `Bad arguments for ${name}: ${input.reason}` };
			const at = (path: string) => resolve(cwd, path);
			return {
				title: shape.title(input.value),
				access: async (ports) => shape.access(input.value, at, ports),
				subject: async (ports) => shape.subject?.(input.value, at, ports),
				run: (ports, signal) => shape.run(input.value, at, ports, signal),
			};
		},
	};
}

function parseArguments<S extends z.ZodType>(
	schema: S,
	raw: string,
): { readonly ok: true; readonly value: z.output<S> } | { readonly ok: false; readonly reason: string } {
	let json: unknown;
	try {
		json = JSON.parse(raw === "" ? "{}" : raw);
	} catch {
		return { ok: false, reason: "they are not valid JSON." };
	}
	const parsed = schema.safeParse(json);
	if (parsed.success) return { ok: true, value: parsed.data };
	return { ok: false, reason: z.prettifyError(parsed.error) };
}
