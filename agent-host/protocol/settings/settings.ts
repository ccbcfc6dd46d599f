import * as z from "zod";
import { EditorToolsSettings } from "./editor-tool-settings.ts";
import { BaseUrl, Price, ReasoningEffort, Wire } from "./model-values.ts";
import { ApprovalPolicy, PermissionSettings } from "./policy-settings.ts";
import { ProvidersSettings } from "./provider-settings.ts";
import { ServersSettings } from "./server-settings.ts";
import { SourceSettings } from "./source-settings.ts";

export const ModelSettings = z.object({
	/** `editor` selects the editor's own models, which the client serves. */
	provider: z.enum(["demo", "openai", "anthropic", "compatible", "editor"]).default("demo"),
	/** The API of a `compatible` server. */
	wire: Wire.default("responses"),
	/** `chatgpt`: the secret is a sign-in token. If the server refuses it, the client is asked once for a renewed one. */
	auth: z.enum(["apiKey", "chatgpt"]).default("apiKey"),
	/** The server of `compatible`, such as `http://127.0.0.1:1234/v1`. */
	baseUrl: z.union([BaseUrl, z.literal("")]).default(""),
	id: z.string().max(200).default(""),
	/** Tokens; 0 uses the size in the table of models. */
	contextWindow: z.int().min(0).max(100_000_000).default(0),
	effectivePercent: z.int().min(1).max(100).default(95),
	reasoningEffort: ReasoningEffort.optional(),
	reasoningSummary: z.enum(["auto", "concise", "detailed", "none"]).default("auto"),
	serviceTier: z.enum(["auto", "default", "flex", "fast"]).default("auto"),
	verbosity: z.enum(["low", "medium", "high"]).optional(),
	/** By model name; overrides the host's table. */
	prices: z.record(z.string().max(200), Price).default({}),
	/** Tokens; changing the model or effort gives a warning if more than this would have to be processed again. */
	rereadWarning: z.int().min(0).max(100_000_000).default(50_000),
});
export type ModelSettings = z.infer<typeof ModelSettings>;

export const RetrySettings = z.object({
	/** Requests per step, including the first one. */
	attempts: z.int().min(1).max(5).default(5),
	/** Idle timeout of a request, in milliseconds. Models think, and gateways hold whole calls back, for minutes. */
	idleMs: z.int().min(50).max(3_600_000).default(300_000),
	/** First pause between two attempts; it doubles each time. */
	baseDelayMs: z.int().min(1).max(60_000).default(400),
});

export const CompactionSettings = z.object({
	/** Compact automatically when the window fills up. */
	auto: z.boolean().default(true),
	/** Percentage of the effective window at which a compaction starts. */
	percent: z.int().min(10).max(100).default(90),
	/** A fixed number of tokens instead, if smaller; 0 means none. */
	limit: z.int().min(0).max(100_000_000).default(0),
	strategy: z.enum(["structured", "remote", "deterministic"]).default("structured"),
	/** Percentage of the effective window for user messages that are kept word for word. */
	keepUserPercent: z.int().min(0).max(50).default(20),
	/** The model that writes summaries; empty means the thread's model. */
	model: z.string().max(200).default(""),
});
export type CompactionSettings = z.infer<typeof CompactionSettings>;

export const CollaborationMode = z.enum(["default", "plan", "review"]);
export type CollaborationMode = z.infer<typeof CollaborationMode>;
export const Personality = z.enum(["default", "concise", "friendly"]);
export type Personality = z.infer<typeof Personality>;

const ModeSettings = z.object({
	collaboration: CollaborationMode.default("default"),
	personality: Personality.default("default"),
	realtime: z.boolean().default(false),
});

const MAX_INSTRUCTION_CHARS = 100_000;

const MAX_FALLBACKS = 16;
/** A file below a folder. */
const FallbackName = z
	.string()
	.max(200)
	.regex(/^(?!\.\.?(?:\/|$))[^\\/\0][^\\\0]*$/, "must be a path inside a folder")
	.refine((name) => !name.split("/").includes(".."), "must be a path inside a folder");

const InstructionSettings = z.object({
	/** Replaces the base instructions of new threads. */
	base: z.string().max(MAX_INSTRUCTION_CHARS).default(""),
	developer: z.string().max(MAX_INSTRUCTION_CHARS).default(""),
	compactPrompt: z.string().max(MAX_INSTRUCTION_CHARS).default(""),
	/** In a workspace folder without an AGENTS.md, the first of these that exists. */
	fallbacks: z
		.array(FallbackName)
		.max(MAX_FALLBACKS)
		.default(["CLAUDE.md", ".claude/CLAUDE.md", ".github/copilot-instructions.md"]),
});

/** Tools that can be switched off; the permissions decide about the rest. */
const ToolSettings = z.object({
	plan: z.boolean().default(true),
	applyPatch: z.boolean().default(true),
	/** How many levels of sub-agents there can be: none, those of the thread, and those of its sub-agents. */
	agentDepth: z.int().min(0).max(2).default(1),
});
export type ToolSettings = z.infer<typeof ToolSettings>;

/** Hard limits; an absent one means no limit. */
export const Limits = z.object({
	tokens: z.int().min(1).optional(),
	money: z.number().positive().optional(),
	requests: z.int().min(1).optional(),
	minutes: z.number().positive().optional(),
});
export type Limits = z.infer<typeof Limits>;

export const BudgetSettings = z.object({
	/** With all that its sub-agents spend. */
	turn: Limits.default({}),
	thread: Limits.default({}),
	day: Limits.default({}),
	/** For each task of each sub-agent. */
	agent: Limits.default({}),
});
export type BudgetSettings = z.infer<typeof BudgetSettings>;

const TelemetrySettings = z.object({
	/** Where the trace of each turn is sent, as OTLP over HTTP, such as `http://127.0.0.1:4318`; empty means nowhere. */
	endpoint: z.union([BaseUrl, z.literal("")]).default(""),
	/** Include prompts and answers in traces. */
	content: z.boolean().default(false),
});

const SandboxSettings = z.object({
	/** Try the policy on the sandbox when the host starts, not only after its first command. */
	probeOnStart: z.boolean().default(false),
});

const MAX_SKILLS_OFF = 500;

/** Folders with a SKILL.md, of the user and of trusted workspaces. */
const SkillSettings = z.object({
	enabled: z.boolean().default(true),
	/** Names of skills that are not used. */
	off: z.array(z.string().max(200)).max(MAX_SKILLS_OFF).default([]),
});

const GROUPS = {
	model: ModelSettings,
	retry: RetrySettings,
	permissions: PermissionSettings,
	compaction: CompactionSettings,
	modes: ModeSettings,
	instructions: InstructionSettings,
	tools: ToolSettings,
	budgets: BudgetSettings,
	telemetry: TelemetrySettings,
	sandbox: SandboxSettings,
	skills: SkillSettings,
	sources: SourceSettings,
};

export const Settings = z.object({
	model: GROUPS.model.prefault({}),
	retry: GROUPS.retry.prefault({}),
	permissions: GROUPS.permissions.prefault({}),
	approval: ApprovalPolicy.default("onRequest"),
	compaction: GROUPS.compaction.prefault({}),
	modes: GROUPS.modes.prefault({}),
	instructions: GROUPS.instructions.prefault({}),
	tools: GROUPS.tools.prefault({}),
	budgets: GROUPS.budgets.prefault({}),
	telemetry: GROUPS.telemetry.prefault({}),
	sandbox: GROUPS.sandbox.prefault({}),
	skills: GROUPS.skills.prefault({}),
	/** Chosen for a thread. */
	sources: GROUPS.sources.prefault({}),
	/** MCP servers. Only the client's own settings count, never those of a thread. */
	servers: ServersSettings.default({}),
	/** Tools of the editor that may be offered. Only the client's own settings count here, too. */
	editorTools: EditorToolsSettings.default([]),
	/** Model providers beside the one of `model`. Only the client's own settings count here, too. */
	providers: ProvidersSettings.default({}),
	/** Upper bound for the tokens of the fixed prefix that are subtracted on both sides of the percentage left. */
	usageBaseline: z.int().min(0).max(1_000_000).default(12_000),
});
export type Settings = z.infer<typeof Settings>;

/** What a client may send: every key is optional and no defaults are added, so that a partial value stays partial. */
export const PartialSettings = z.object({
	model: withoutDefaults(GROUPS.model).optional(),
	retry: withoutDefaults(GROUPS.retry).optional(),
	permissions: withoutDefaults(GROUPS.permissions).optional(),
	approval: ApprovalPolicy.optional(),
	compaction: withoutDefaults(GROUPS.compaction).optional(),
	modes: withoutDefaults(GROUPS.modes).optional(),
	instructions: withoutDefaults(GROUPS.instructions).optional(),
	tools: withoutDefaults(GROUPS.tools).optional(),
	budgets: withoutDefaults(GROUPS.budgets).optional(),
	telemetry: withoutDefaults(GROUPS.telemetry).optional(),
	sandbox: withoutDefaults(GROUPS.sandbox).optional(),
	skills: withoutDefaults(GROUPS.skills).optional(),
	sources: withoutDefaults(GROUPS.sources).optional(),
	servers: ServersSettings.optional(),
	editorTools: EditorToolsSettings.optional(),
	providers: ProvidersSettings.optional(),
	usageBaseline: z.int().min(0).max(1_000_000).optional(),
});
export type PartialSettings = z.infer<typeof PartialSettings>;

/**
 * Overlays each layer on those before it, group by group. The result is parsed as a whole, so it is valid or refused as
 * one.
 */
export function mergeSettings(...layers: readonly PartialSettings[]): Settings {
	return Settings.parse(layers.reduce<PartialSettings>(layer, {}));
}

/** Merges partial values: the later one wins, key by key. */
export function mergePartialSettings(...layers: readonly PartialSettings[]): PartialSettings {
	return PartialSettings.parse(layers.reduce<PartialSettings>(layer, {}));
}

function layer(base: PartialSettings, change: PartialSettings): Record<string, unknown> {
	const merged: Record<string, unknown> = { ...base };
	for (const [key, value] of Object.entries(change)) {
		if (value === undefined) continue;
		merged[key] = key in GROUPS ? { ...Object(merged[key]), ...defined(Object(value)) } : value;
	}
	return merged;
}

function withoutDefaults<S extends z.ZodRawShape>(group: z.ZodObject<S>) {
	const bare = Object.fromEntries(
		Object.entries(group.shape).map(([key, value]) => [
			key,
			z.optional(hasDefault(value) ? (value.unwrap() as z.ZodType) : (value as z.ZodType)),
		]),
	);
	// The loop keeps every key and only drops defaults, which is what Partial says about the group's output.
	return z.object(bare) as unknown as z.ZodType<Partial<z.output<z.ZodObject<S>>>>;
}

function hasDefault(value: unknown): value is z.ZodDefault | z.ZodPrefault {
	return value instanceof z.ZodDefault || value instanceof z.ZodPrefault;
}

function defined<T extends object>(group: T | undefined): Partial<T> {
	const kept = Object.entries(group ?? {}).filter(([, value]) => value !== undefined);
	return Object.fromEntries(kept) as Partial<T>;
}
