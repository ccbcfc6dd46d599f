import * as vscode from "vscode";
import { ModelSettings, PartialSettings } from "../../agent-host/protocol/settings.ts";

const KEYS = [
	"provider",
	"baseUrl",
	"id",
	"contextWindow",
	"reasoningEffort",
	"reasoningSummary",
	"serviceTier",
] as const satisfies readonly (keyof ModelSettings)[];

export type SettingsRead =
	| { readonly ok: true; readonly settings: PartialSettings; readonly model: ModelSettings }
	| { readonly ok: false; readonly settings: PartialSettings; readonly model: ModelSettings; readonly problem: string };

/** The `vitrine.*` settings as the host takes them; a value that does not fit is left out and named. */
export function readSettings(): SettingsRead {
	const configuration = vscode.workspace.getConfiguration("vitrine.model");
	const raw = Object.fromEntries(
		KEYS.map((key) => [key, configuration.get<unknown>(key)]).filter(
			([, value]) => value !== "" && value !== undefined,
		),
	);
	const parsed = PartialSettings.safeParse({ model: raw });
	if (parsed.success) return { ok: true, settings: parsed.data, model: ModelSettings.parse(raw) };
	const [issue] = parsed.error.issues;
	const problem = `The setting vitrine.${issue?.path.join(".") ?? "model"} is not valid: ${issue?.message ?? "unknown"}.`;
	return { ok: false, settings: {}, model: ModelSettings.parse({}), problem };
}

export function watchSettings(changed: () => void): vscode.Disposable {
	return vscode.workspace.onDidChangeConfiguration((event) => {
		if (event.affectsConfiguration("vitrine")) changed();
	});
}

export async function writeModelSettings(model: {
	readonly provider: ModelSettings["provider"];
	readonly baseUrl?: string;
	readonly id?: string;
}): Promise<void> {
	const configuration = vscode.workspace.getConfiguration("vitrine.model");
	const target = vscode.ConfigurationTarget.Global;
	// The provider last: until then a half-written choice is not in force.
	await configuration.update("baseUrl", model.baseUrl || undefined, target);
	await configuration.update("id", model.id || undefined, target);
	await configuration.update("provider", model.provider, target);
}
