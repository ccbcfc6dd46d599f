import { resolve } from "node:path";
import * as z from "zod";
import type { Access, Policy, ToolNeed } from "../permissions/policy/policy.ts";
import type { ApprovalSubject } from "../protocol/approval/approval.ts";
import type { Said } from "../protocol/say.ts";
import type { CallKind } from "../protocol/thread/item.ts";
import type { Show } from "./command-call.ts";
import { toParameters } from "./parameters.ts";
import type { Run, ToolOutcome, ToolPorts } from "./tool-ports.ts";

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
	readonly title: Said;
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
		readonly title: (input: z.output<S>) => Said;
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
