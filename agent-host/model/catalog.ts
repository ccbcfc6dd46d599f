export const OPENAI_BASE_URL = "https://api.openai.com/v1";
export const ANTHROPIC_BASE_URL = "https://api.anthropic.com/v1";

export const DEMO_MODEL = { id: "demo", window: 16_000 };
