import type { Quirks } from "../refusals/quirks.ts";

/** Services whose form of this API is documented; all others are treated alike, and refusals teach the rest. */
export type ChatServer =
	| "openai"
	| "azure"
	| "anthropic"
	| "google"
	| "mistral"
	| "deepseek"
	| "moonshot"
	| "zai"
	| "openrouter"
	| "other";

const HOSTS: readonly (readonly [hosts: RegExp, server: ChatServer])[] = [
	[/(?:^|\.)openai\.azure\.com$|\.services\.ai\.azure\.com$/, "azure"],
	[/(?:^|\.)openai\.com$/, "openai"],
	[/(?:^|\.)anthropic\.com$/, "anthropic"],
	[/(?:^|\.)googleapis\.com$/, "google"],
	[/(?:^|\.)mistral\.ai$/, "mistral"],
	[/(?:^|\.)deepseek\.com$/, "deepseek"],
	[/(?:^|\.)moonshot\.(?:ai|cn)$/, "moonshot"],
	[/(?:^|\.)(?:z\.ai|bigmodel\.cn)$/, "zai"],
	[/(?:^|\.)openrouter\.ai$/, "openrouter"],
];

export function recognizeChatServer(baseUrl: string): ChatServer {
	const { hostname } = new URL(baseUrl);
	return HOSTS.find(([hosts]) => hosts.test(hostname))?.[1] ?? "other";
}

const WANTS_REASONING: ReadonlySet<ChatServer> = new Set(["deepseek", "moonshot", "zai"]);

/** Whether the model's reasoning goes back with its calls, also when there was none. */
export function wantsReasoning(server: ChatServer, quirks: Quirks): boolean {
	return WANTS_REASONING.has(server) || quirks.has("reasoning-back");
}

/** Which call ids a server accepts. */
export function callIdForm(server: ChatServer, quirks: Quirks): "any" | "plain" | "short" {
	if (server === "mistral" || quirks.has("short-call-ids")) return "short";
	return server === "anthropic" ? "plain" : "any";
}

/** Whether each step's first call needs the model's signature, or the accepted stand-in for one. */
export function wantsSignatures(server: ChatServer, quirks: Quirks): boolean {
	return server === "google" || quirks.has("thought-signatures");
}

/** Whether nothing but an answer may follow the results of calls, also where the user spoke first. */
export function wantsAnswers(server: ChatServer, quirks: Quirks): boolean {
	return server === "mistral" || quirks.has("answer-after-tools");
}
