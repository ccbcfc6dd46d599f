import type { ModelSettings } from "../protocol/settings.ts";

export const OPENAI_BASE_URL = "https://api.openai.com/v1";

export const DEMO_MODEL = { id: "demo", window: 16_000 };

/** Tokens assumed for a model that no table names; small enough for most local servers. */
const UNKNOWN_WINDOW = 32_000;

// Longest prefix first.
const WINDOWS: readonly (readonly [prefix: string, window: number])[] = [
	["gpt-4.1", 1_047_576],
	["gpt-4o", 128_000],
	["gpt-5", 400_000],
	["o3", 200_000],
	["o4", 200_000],
];

/** The context window in force: the user's number, else the table's, else a careful guess. */
export function windowOf(settings: ModelSettings): number {
	if (settings.contextWindow > 0) return settings.contextWindow;
	if (settings.provider === "demo") return DEMO_MODEL.window;
	return WINDOWS.find(([prefix]) => settings.id.startsWith(prefix))?.[1] ?? UNKNOWN_WINDOW;
}
