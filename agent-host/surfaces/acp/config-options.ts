import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { ReasoningEffort } from "../../protocol/settings/model-values.ts";
import type { PartialSettings, Settings } from "../../protocol/settings/settings.ts";

/** The names that people know the modes by. */
const MODES = { readOnly: "Read Only", ask: "Ask First", workspaceWrite: "Workspace", full: "Full Access" } as const;
/** Those that last: a review is one turn, which the command `/review` starts. */
const COLLABORATION = [
	{ id: "default", name: "Act" },
	{ id: "plan", name: "Plan" },
] as const;

type Current = Pick<Settings, "model" | "permissions" | "modes">;

/** What a person can choose for a thread in their editor. */
export function listOptions(
	current: Current,
	modes: readonly (keyof typeof MODES)[],
	models: readonly string[],
): SessionConfigOption[] {
	const { id, reasoningEffort } = current.model;
	return [
		{
			...{ type: "select", id: "mode", name: "Permissions", category: "mode" },
			currentValue: current.permissions.mode,
			// What is in force is always among them, also if it cannot be chosen again.
			options: [...new Set([...modes, current.permissions.mode])].map((mode) => ({ value: mode, name: MODES[mode] })),
		},
		{
			...{ type: "select", id: "model", name: "Model", category: "model" },
			currentValue: id,
			options: [...new Set([id, ...models])].map((name) => ({ value: name, name: name === "" ? "Default" : name })),
		},
		{
			...{ type: "select", id: "thought_level", name: "Reasoning effort", category: "thought_level" },
			currentValue: reasoningEffort ?? "medium",
			options: ReasoningEffort.options.map((effort) => ({ value: effort, name: effort })),
		},
		{
			...{ type: "select", id: "collaboration", name: "Plan or act" },
			currentValue: lastingMode(current),
			options: COLLABORATION.map(({ id, name }) => ({ value: id, name })),
		},
	] as SessionConfigOption[];
}

/** The same for clients that know only modes. */
export function listPlanModes(current: Pick<Settings, "modes">): SessionModeState {
	return { currentModeId: lastingMode(current), availableModes: COLLABORATION.map((mode) => ({ ...mode })) };
}

function lastingMode({ modes }: Pick<Settings, "modes">): string {
	return COLLABORATION.find(({ id }) => id === modes.collaboration)?.id ?? "default";
}

/** A choice as settings, not parsed yet; undefined if there is no such option. */
export function toChange(option: string, value: string): Readonly<Record<string, unknown>> | undefined {
	if (option === "collaboration" && !COLLABORATION.some(({ id }) => id === value)) return undefined;
	const changes: Readonly<Record<string, object>> = {
		mode: { permissions: { mode: value } },
		model: { model: { id: value } },
		thought_level: { model: { reasoningEffort: value } },
		collaboration: { modes: { collaboration: value } },
	};
	return Object.hasOwn(changes, option) ? (changes[option] as PartialSettings) : undefined;
}
