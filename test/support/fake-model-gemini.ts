import type { Gate } from "./fake-model-gate.ts";
import type { Part, Reply, Usage } from "./fake-model-steps.ts";

/** Renders a reply as Gemini's own API streams it: whole calls, signatures on the parts they belong to. */
export function* renderGemini(reply: Reply): Generator<string | Gate> {
	const event = (value: object) => `data: ${JSON.stringify(value)}\r\n\r\n`;
	const chunk = (parts: readonly object[], more: object = {}) =>
		event({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }] });
	const { ending, parts } = reply;
	const isFirst = (part: Part) => parts.find(({ kind }) => kind === "call") === part;
	for (const part of parts) yield* renderPart(part, isFirst(part), chunk);
	const counted = ending.kind === "completed" && ending.usage ? { usageMetadata: renderUsage(ending.usage) } : {};
	const finish = (finishReason: string) => event({ candidates: [{ finishReason, index: 0 }], ...counted });
	switch (ending.kind) {
		case "completed":
		case "cut":
			yield finish("STOP");
			return;
		case "incomplete":
			yield finish(ending.reason === "max_output_tokens" ? "MAX_TOKENS" : ending.reason.toUpperCase());
			return;
		case "failed":
		case "error":
			yield event({ error: { code: 0, message: ending.message, status: ending.code } });
			return;
		case "eof":
		case "silence":
			return;
	}
}

function* renderPart(
	part: Part,
	isFirstCall: boolean,
	chunk: (parts: readonly object[], more?: object) => string,
): Generator<string | Gate> {
	if (part.kind !== "call") {
		const thought = part.kind === "reasoning" ? { thought: true } : {};
		for (const piece of part.pieces) yield typeof piece === "string" ? chunk([{ text: piece, ...thought }]) : piece;
		return;
	}
	const gates = part.pieces.filter((piece) => typeof piece !== "string");
	yield* gates;
	const text = part.pieces.filter((piece) => typeof piece === "string").join("");
	const signature = isFirstCall ? { thoughtSignature: "c2lnbmVk" } : {};
	yield chunk([{ functionCall: { id: part.callId, name: part.name, args: JSON.parse(text) }, ...signature }]);
}

/** Thoughts are counted beside the answer. */
function renderUsage({ input, cached, output, reasoning }: Usage): object {
	return {
		promptTokenCount: input,
		cachedContentTokenCount: cached,
		candidatesTokenCount: output - reasoning,
		thoughtsTokenCount: reasoning,
		totalTokenCount: input + output,
	};
}
