/** The options that name a model, for `parseArgs`. */
export const MODEL_OPTIONS = {
	"base-url": { type: "string" },
	wire: { type: "string" },
	model: { type: "string" },
} as const;

type Values = { readonly [name in keyof typeof MODEL_OPTIONS]?: string | undefined };

/** A server by its address; OpenAI when only a model or a wire is named; nothing when none of them is. Not parsed yet. */
export function modelSettings({ "base-url": baseUrl, model, wire }: Values) {
	if ([baseUrl, model, wire].every((value) => value === undefined)) return {};
	const server = baseUrl === undefined ? { provider: "openai" } : { provider: "compatible", baseUrl };
	return { model: { ...server, id: model ?? "", wire: wire ?? "responses" } };
}
