import type { ToolSpecification } from "../../port.ts";

// A call that came as plain text is recorded with arguments like any other, so that every other wire, tool and view can
// read it; only the wire that has such calls turns one into the other.

/** The arguments of a call that came as plain text. */
export function argumentsOfText(name: string, text: string, tools: readonly ToolSpecification[]): string {
	const field = tools.find((tool) => tool.name === name)?.freeForm?.field ?? "input";
	return JSON.stringify({ [field]: text });
}

/** The plain text of such a call. */
export function textOfCall(json: string): string {
	const [text] = Object.values(JSON.parse(json) as Readonly<Record<string, string>>);
	return text ?? "";
}
