export const OPENAI_BASE_URL = "https://api.openai.com/v1";
export const ANTHROPIC_BASE_URL = "https://api.anthropic.com/v1";
export const CHATGPT_BASE_URL = "https://chatgpt.com/backend-api/codex";

export const DEMO_MODEL = { id: "demo", window: 16_000 };

/** Tokens assumed for a model that is not in the table; small enough for most local servers. */
export const UNKNOWN_WINDOW = 32_000;

// Longest prefix first.
const WINDOWS: readonly (readonly [prefix: string, window: number])[] = [
	["gpt-4.1", 1_047_576],
	["gpt-4o", 128_000],
	["gpt-5", 400_000],
	["o3", 200_000],
	["o4", 200_000],
];

/** The context window of a model in the table. */
export function tableWindow(id: string): number | undefined {
	return WINDOWS.find(([prefix]) => id.startsWith(prefix))?.[1];
}
