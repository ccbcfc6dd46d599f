import type { Wire } from "./model-values.ts";

/** A model provider whose address everybody knows: its name is enough to configure it. */
export interface KnownProvider {
	/** As its maker writes it. */
	readonly brand: string;
	readonly wire: Wire;
	readonly baseUrl: string;
	/** Where users get an API key; absent for servers on this machine, which need none. */
	readonly keyPage?: string;
}

/** By the name that `vitrine.providers` uses. */
export const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
	openai: {
		brand: "OpenAI",
		wire: "responses",
		baseUrl: "https://api.openai.com/v1",
		keyPage: "platform.openai.com",
	},
	anthropic: {
		brand: "Anthropic",
		wire: "messages",
		baseUrl: "https://api.anthropic.com/v1",
		keyPage: "console.anthropic.com",
	},
	google: {
		brand: "Google Gemini",
		wire: "gemini",
		baseUrl: "https://generativelanguage.googleapis.com/v1beta",
		keyPage: "aistudio.google.com",
	},
	openrouter: {
		brand: "OpenRouter",
		wire: "chat",
		baseUrl: "https://openrouter.ai/api/v1",
		keyPage: "openrouter.ai",
	},
	mistral: { brand: "Mistral", wire: "chat", baseUrl: "https://api.mistral.ai/v1", keyPage: "console.mistral.ai" },
	deepseek: { brand: "DeepSeek", wire: "chat", baseUrl: "https://api.deepseek.com", keyPage: "platform.deepseek.com" },
	xai: { brand: "xAI", wire: "chat", baseUrl: "https://api.x.ai/v1", keyPage: "console.x.ai" },
	moonshot: {
		brand: "Moonshot AI",
		wire: "chat",
		baseUrl: "https://api.moonshot.ai/v1",
		keyPage: "platform.moonshot.ai",
	},
	zai: { brand: "Z.ai", wire: "chat", baseUrl: "https://api.z.ai/api/paas/v4", keyPage: "z.ai" },
	groq: { brand: "Groq", wire: "chat", baseUrl: "https://api.groq.com/openai/v1", keyPage: "console.groq.com" },
	ollama: { brand: "Ollama", wire: "chat", baseUrl: "http://127.0.0.1:11434/v1" },
	lmstudio: { brand: "LM Studio", wire: "chat", baseUrl: "http://127.0.0.1:1234/v1" },
	llamacpp: { brand: "llama.cpp", wire: "chat", baseUrl: "http://127.0.0.1:8080/v1" },
	vllm: { brand: "vLLM", wire: "chat", baseUrl: "http://127.0.0.1:8000/v1" },
};

/** Whether every request to this address needs a key. */
export function needsKey(baseUrl: string): boolean {
	return Object.values(KNOWN_PROVIDERS).some((known) => known.keyPage !== undefined && known.baseUrl === baseUrl);
}

export function findKnownProvider(name: string): KnownProvider | undefined {
	return Object.hasOwn(KNOWN_PROVIDERS, name) ? KNOWN_PROVIDERS[name] : undefined;
}
