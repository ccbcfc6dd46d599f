import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describeIssue, type Issue } from "../../protocol/describe-issue.ts";
import { ClientSettings } from "../../protocol/settings/client-settings.ts";
import { type ModelSettings, mergePartialSettings, type PartialSettings } from "../../protocol/settings/settings.ts";

/** The options that select a model, for `parseArgs`. */
export const MODEL_OPTIONS = {
	"base-url": { type: "string" },
	wire: { type: "string" },
	model: { type: "string" },
} as const;

/** Those that set how a turn runs. */
export const TURN_OPTIONS = {
	...MODEL_OPTIONS,
	effort: { type: "string" },
	summary: { type: "string" },
	mode: { type: "string" },
	approval: { type: "string" },
	settings: { type: "string" },
} as const;

type Values = { readonly [name in keyof typeof TURN_OPTIONS]?: string | undefined };

export type ReadSettings =
	| { readonly ok: true; readonly settings: PartialSettings }
	| { readonly ok: false; readonly reason: string };

/** A server by its address; OpenAI if only a model or a wire is given; undefined if none is. Not parsed yet. */
export function modelSettings({ "base-url": baseUrl, model, wire }: Values) {
	if ([baseUrl, model, wire].every((value) => value === undefined)) return {};
	const server = baseUrl === undefined ? { provider: "openai" } : { provider: "compatible", baseUrl };
	return { model: { ...server, id: model ?? "", wire: wire ?? "responses" } };
}

/** The settings of a new thread: the file's, then those of the options. */
export async function readSettings(values: Values, cwd: string): Promise<ReadSettings> {
	const file = await readSettingsFile(values.settings, cwd);
	if (!file.ok) return file;
	// With a file, an option changes only what it names.
	const model = values.settings === undefined ? modelSettings(values) : changedModel(values);
	const read = combine(file.settings, model, values);
	return read.ok ? { ...read, settings: placeNamedModel(read.settings) } : read;
}

/**
 * The settings with the server of a model that they name without one: that of their address, or OpenAI. The demo model has
 * no name, so it is never meant.
 */
export function placeNamedModel(
	settings: PartialSettings,
	before: ModelSettings["provider"] = "demo",
): PartialSettings {
	const { id = "", provider, baseUrl = "" } = settings.model ?? {};
	if (id === "" || provider !== undefined || before !== "demo") return settings;
	return { ...settings, model: { ...settings.model, provider: baseUrl === "" ? "openai" : "compatible" } };
}

/** What the options change for one turn of a thread that has settings of its own. */
export async function readChange(values: Values, cwd: string): Promise<ReadSettings> {
	const file = await readSettingsFile(values.settings, cwd);
	return file.ok ? combine(file.settings, changedModel(values), values) : file;
}

function changedModel({ "base-url": baseUrl, model, wire }: Values) {
	const changed = {
		...(baseUrl === undefined ? {} : { provider: "compatible", baseUrl }),
		...(model === undefined ? {} : { id: model }),
		...(wire === undefined ? {} : { wire }),
	};
	return Object.keys(changed).length === 0 ? {} : { model: changed };
}

function combine(file: PartialSettings, named: { readonly model?: object }, values: Values): ReadSettings {
	const { effort, summary, mode, approval } = values;
	const model = {
		...named.model,
		...(effort === undefined ? {} : { reasoningEffort: effort }),
		...(summary === undefined ? {} : { reasoningSummary: summary }),
	};
	const given = ClientSettings.safeParse({
		...(Object.keys(model).length === 0 ? {} : { model }),
		...(mode === undefined ? {} : { permissions: { mode } }),
		...(approval === undefined ? {} : { approval }),
	});
	if (given.success) return { ok: true, settings: mergePartialSettings(file, given.data) };
	return { ok: false, reason: describeIssues(given.error) };
}

/** The option that gives each setting its value. */
const OPTION_OF: Readonly<Record<string, string>> = {
	"model.baseUrl": "--base-url",
	"model.wire": "--wire",
	"model.id": "--model",
	"model.reasoningEffort": "--effort",
	"model.reasoningSummary": "--summary",
	"permissions.mode": "--mode",
	approval: "--approval",
};

/** A line for each option with a value that it cannot have. */
export function describeIssues({ issues }: { readonly issues: readonly Issue[] }): string {
	const nameOf = (setting: string) => OPTION_OF[setting] ?? setting;
	return issues.map((issue) => `${nameOf(issue.path.join("."))}: ${describeIssue(issue)}`).join("\n");
}

async function readSettingsFile(file: string | undefined, cwd: string): Promise<ReadSettings> {
	if (file === undefined) return { ok: true, settings: {} };
	try {
		const parsed = ClientSettings.safeParse(JSON.parse(await readFile(resolve(cwd, file), "utf8")));
		if (parsed.success) return { ok: true, settings: parsed.data };
		const reason = parsed.error.issues.map((issue) => `${issue.path.join(".") || "it"} ${describeIssue(issue)}`)[0];
		return { ok: false, reason: `The settings file ${file} is not valid: ${reason}` };
	} catch (error) {
		return {
			ok: false,
			reason: `The settings file ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
		};
	}
}
