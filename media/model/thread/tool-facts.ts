import { findPatch, type PatchedFile, readPatchedFiles } from "../../../agent-host/protocol/thread/patched-files.ts";
import { quoteWord } from "../../../l10n/quote-word.ts";
import type { ToolEntry } from "./entry.ts";

/** What a call is about, read from the model's JSON, which is untrusted and may be anything. */
export type ToolFacts =
	| { readonly kind: "command"; readonly command: string; readonly cwd: string | undefined }
	| { readonly kind: "patch"; readonly patch: string; readonly files: readonly PatchedFile[] }
	| { readonly kind: "plan"; readonly steps: readonly PlanStep[] }
	| { readonly kind: "findings"; readonly findings: readonly FindingFacts[] }
	| { readonly kind: "other" };

export interface FindingFacts {
	readonly severity: "error" | "warning" | "info";
	readonly path: string;
	readonly line: number;
	readonly title: string;
	readonly reason: string;
}

export interface PlanStep {
	readonly text: string;
	readonly state: "open" | "running" | "done";
}

export function readToolFacts({ name, arguments: json, cut }: Call): ToolFacts {
	// Its diffs are read when they are to be seen.
	if (cut !== undefined) return { kind: "patch", patch: "", files: cut.files.map((file) => ({ ...file, diff: "" })) };
	switch (name) {
		case "run_command":
			return commandFacts(parse(json));
		case "apply_patch":
			return patchFacts(json);
		case "update_plan":
			return planFacts(parse(json));
		case "report_findings":
			return findingsFacts(parse(json));
		default:
			return { kind: "other" };
	}
}

type Call = Pick<ToolEntry, "name" | "arguments"> & Partial<Pick<ToolEntry, "cut">>;

/** The file or folder that a call names. */
export function readPath({ arguments: json }: Pick<ToolEntry, "arguments">): string | undefined {
	const { path } = parse(json);
	return typeof path === "string" ? path : undefined;
}

function commandFacts({ command, cwd }: Loose): ToolFacts {
	const words = Array.isArray(command)
		? command
				.filter((word) => typeof word === "string")
				.map(quoteWord)
				.join(" ")
		: command;
	if (typeof words !== "string" || words === "") return { kind: "other" };
	return { kind: "command", command: words, cwd: typeof cwd === "string" ? cwd : undefined };
}

function patchFacts(json: string): ToolFacts {
	const patch = findPatch(json);
	return patch === undefined ? { kind: "other" } : { kind: "patch", patch, files: readPatchedFiles(patch) };
}

function planFacts({ steps, plan }: Loose): ToolFacts {
	const list = Array.isArray(steps) ? steps : Array.isArray(plan) ? plan : [];
	const read = list.map(readStep).filter((step) => step.text !== "");
	return read.length === 0 ? { kind: "other" } : { kind: "plan", steps: read };
}

function findingsFacts({ findings }: Loose): ToolFacts {
	if (!Array.isArray(findings)) return { kind: "other" };
	return {
		kind: "findings",
		findings: findings.map(readFinding).filter(({ title, path }) => title !== "" && path !== ""),
	};
}

function readFinding(finding: unknown): FindingFacts {
	const { severity, path, line, title, reason } = asObject(finding);
	const text = (value: unknown): string => (typeof value === "string" ? value : "");
	return {
		severity: severity === "error" || severity === "info" ? severity : "warning",
		path: text(path),
		line: Number.isInteger(line) && Number(line) > 0 ? Number(line) : 1,
		title: text(title),
		reason: text(reason),
	};
}

function readStep(step: unknown): PlanStep {
	if (typeof step === "string") return { text: step, state: "open" };
	const { step: name, text, title, status, state } = asObject(step);
	const words = [name, text, title].find((candidate) => typeof candidate === "string");
	const said = String(status ?? state ?? "").toLowerCase();
	const isDone = /^(?:completed?|done)$/.test(said);
	const isRunning = /^(?:in[_ -]?progress|running|active)$/.test(said);
	return { text: String(words ?? ""), state: isDone ? "done" : isRunning ? "running" : "open" };
}

type Loose = Readonly<Record<string, unknown>>;

function asObject(value: unknown): Loose {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

function parse(json: string): Loose {
	try {
		return asObject(JSON.parse(json));
	} catch {
		return {};
	}
}
