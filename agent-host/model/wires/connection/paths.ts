/** A path below a server's base address. */
export type Path = `/${string}`;

const VERSION = /\/v\d+(?:(?:alpha|beta)\d*)?\/?$/;

/**
 * Addresses are written with the version of the API, as OpenAI's library wants them, or without it, as those of
 * Anthropic and Google do.
 */
function versionFor(baseUrl: string, version: Path): Path | "" {
	return VERSION.test(new URL(baseUrl).pathname) ? "" : version;
}

export function messagesPath(baseUrl: string): Path {
	return `${versionFor(baseUrl, "/v1")}/messages`;
}

export function geminiPath(baseUrl: string, model: string): Path {
	return `${geminiModelPath(baseUrl, model)}:streamGenerateContent?alt=sse`;
}

function geminiModelPath(baseUrl: string, model: string): Path {
	const id = encodeURIComponent(model.replace(/^models\//, ""));
	return `${versionFor(baseUrl, "/v1beta")}/models/${id}`;
}

/** Where the tokens of a request are counted. */
export function messagesCountPath(baseUrl: string): Path {
	return `${messagesPath(baseUrl)}/count_tokens`;
}

export function geminiCountPath(baseUrl: string, model: string): Path {
	return `${geminiModelPath(baseUrl, model)}:countTokens`;
}

/** Where models are listed, all on one page. */
export function modelsPath(baseUrl: string, style: "bearer" | "anthropic" | "google"): Path {
	switch (style) {
		case "bearer":
			return "/models";
		case "anthropic":
			return `${versionFor(baseUrl, "/v1")}/models?limit=1000`;
		case "google":
			return `${versionFor(baseUrl, "/v1beta")}/models?pageSize=1000`;
	}
}
