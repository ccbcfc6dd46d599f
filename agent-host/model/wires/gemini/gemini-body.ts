import type { ModelRequest } from "../../port.ts";
import { askInWords } from "../host-text.ts";
import { type Quirks, withoutRefused } from "../refusals/quirks.ts";
import { needsSignatures, thinkingConfig } from "./gemini-model.ts";
import { type Reader, toContents } from "./gemini-turns.ts";

/** The body of a Gemini request; its model is in the address. */
export function toGeminiBody(
	request: ModelRequest,
	quirks: Quirks,
	{ source, refusedSeals }: Pick<Reader, "source" | "refusedSeals">,
): object {
	const system = [request.instructions, ...schemaInWords(request, quirks)].filter((text) => text !== "");
	const contents = toContents(request.input, {
		source,
		refusedSeals,
		needsSignatures: needsSignatures(request.model) || quirks.has("thought-signatures"),
	});
	const generationConfig = { ...thinking(request), ...format(request, quirks) };
	const body = {
		...(system.length === 0 ? {} : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
		contents,
		...(request.tools.length === 0 || quirks.has("no-tools")
			? {}
			: { tools: [{ functionDeclarations: request.tools.map(toDeclaration) }] }),
		...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
	};
	return withoutRefused(body, quirks);
}

function toDeclaration({ name, description, parameters }: ModelRequest["tools"][number]): object {
	return { name, description, parametersJsonSchema: { ...parameters } };
}

function thinking(request: ModelRequest): object {
	const config = thinkingConfig(request);
	return config === undefined || Object.keys(config).length === 0 ? {} : { thinkingConfig: config };
}

function format({ outputSchema }: ModelRequest, quirks: Quirks): object {
	if (outputSchema === undefined || quirks.has("no-json_schema")) return {};
	return { responseMimeType: "application/json", responseJsonSchema: { ...outputSchema.schema } };
}

function schemaInWords({ outputSchema }: ModelRequest, quirks: Quirks): readonly string[] {
	return outputSchema === undefined || !quirks.has("no-json_schema") ? [] : [askInWords(outputSchema)];
}
