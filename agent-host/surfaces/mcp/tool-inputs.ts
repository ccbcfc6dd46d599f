import * as z from "zod";
import { ThreadId, TurnId } from "../../protocol/ids.ts";
import { MAX_PROMPT_CHARS } from "../../protocol/limits.ts";
import { ClientSettings } from "../../protocol/settings/client-settings.ts";
import { ReasoningEffort } from "../../protocol/settings/model-values.ts";
import { ApprovalPolicy, PermissionMode } from "../../protocol/settings/policy-settings.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";

const Text = z.string().min(1).max(MAX_PROMPT_CHARS);
const Instructions = z.string().max(100_000).optional();
export const MAX_WAIT_MS = 50_000;

/** Callers learn at least that settings are an object; all of them would fill their context. */
export const SettingsInput = ClientSettings.meta({ type: "object" });

/** The context of a turn that a caller can set, by the names that callers know. */
const context = {
	cwd: z.string().optional().describe("Folder to work in, below the folder that Vitrine was started with."),
	model: z.string().max(200).optional(),
	approval: ApprovalPolicy.optional().describe(
		"When the user is asked: untrusted, onRequest or never (refuse instead).",
	),
	sandbox: PermissionMode.exclude(["full"]).optional().describe("Permission mode; at most what the user allows."),
};

export const StartInput = z.strictObject({
	prompt: Text.optional(),
	...context,
	config: SettingsInput.optional().describe("Further settings of the thread, as in Vitrine's protocol."),
	baseInstructions: Instructions,
	developerInstructions: Instructions,
	compactPrompt: Instructions,
	tools: z.strictObject({ plan: z.boolean().optional(), applyPatch: z.boolean().optional() }).optional(),
	background: z.boolean().optional().describe("Return at once; call wait for the outcome."),
});

export const TurnInput = z.strictObject({
	threadId: ThreadId,
	prompt: Text,
	overrides: z
		.strictObject({
			...context,
			effort: ReasoningEffort.optional(),
			summary: z.enum(["auto", "concise", "detailed", "none"]).optional(),
			outputSchema: z.record(z.string(), z.json()).optional(),
		})
		.optional()
		.describe("For this turn only."),
	background: z.boolean().optional(),
});

export const WaitInput = z.strictObject({
	threadId: ThreadId,
	turnId: TurnId.optional(),
	timeoutMs: z.int().min(0).max(MAX_WAIT_MS).default(MAX_WAIT_MS),
});

type Context = z.infer<typeof TurnInput>["overrides"];

/** The same as settings. */
export function toSettings({ model, approval, sandbox, effort, summary }: NonNullable<Context>): PartialSettings {
	const identity = {
		...(model === undefined ? {} : { id: model }),
		...(effort === undefined ? {} : { reasoningEffort: effort }),
		...(summary === undefined ? {} : { reasoningSummary: summary }),
	};
	return {
		...(Object.keys(identity).length === 0 ? {} : { model: identity }),
		...(approval === undefined ? {} : { approval }),
		...(sandbox === undefined ? {} : { permissions: { mode: sandbox } }),
	};
}

/** The settings of a new thread. */
export function toThreadSettings(input: z.infer<typeof StartInput>): PartialSettings {
	const { config = {}, baseInstructions, developerInstructions, compactPrompt, tools } = input;
	const given = toSettings(input);
	const instructions = {
		...config.instructions,
		...(baseInstructions === undefined ? {} : { base: baseInstructions }),
		...(developerInstructions === undefined ? {} : { developer: developerInstructions }),
		...(compactPrompt === undefined ? {} : { compactPrompt }),
	};
	return {
		...config,
		...given,
		...(config.model === undefined && given.model === undefined ? {} : { model: { ...config.model, ...given.model } }),
		...(config.permissions === undefined && given.permissions === undefined
			? {}
			: { permissions: { ...config.permissions, ...given.permissions } }),
		...(Object.keys(instructions).length === 0 ? {} : { instructions }),
		...(tools === undefined ? {} : { tools: { ...config.tools, ...withoutUndefined(tools) } }),
	};
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
	const kept = Object.entries(value).filter(([, entry]) => entry !== undefined);
	return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
