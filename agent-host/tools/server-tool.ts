import { EDITOR_AS_SERVER, type ServerTool } from "../envelope/envelope.ts";
import { quote } from "../protocol/say.ts";
import type { CallFindings, PreparedCall } from "./tool.ts";
import type { ToolPorts } from "./tool-ports.ts";

/** A call with parsed arguments. The server checks what they mean; it may do anything, so the user is asked. */
export function prepareServerCall(tool: ServerTool, rawArguments: string): PreparedCall | { readonly problem: string } {
	const input = parseObject(rawArguments);
	if (input === undefined) return { problem: `Bad arguments for ${tool.name}: they are not a JSON object.` };
	return {
		kind: "toolCall",
		title: quote(`${tool.server}: ${tool.tool}`),
		look: async (ports) => lookAtServerCall(tool, input, ports),
	};
}

/** What a call of a server's tool would do, with every argument. */
export function lookAtServerCall(
	tool: ServerTool,
	input: Readonly<Record<string, unknown>>,
	ports: Pick<ToolPorts, "callServer">,
): CallFindings {
	const run = ports.callServer({ tool, input });
	const called = {
		tool: tool.tool,
		definition: tool.digest,
		description: tool.description,
		input: JSON.stringify(input, undefined, 2),
	};
	if (tool.server === EDITOR_AS_SERVER) {
		const subject = { kind: "editorTool" as const, ...called };
		return { access: { kind: "editorTool" }, show: async () => ({ subject, run }), run };
	}
	const subject = { kind: "serverTool" as const, server: tool.server, ...called };
	const { server, tool: name, digest: definition, uncontained = false } = tool;
	const access = { kind: "server" as const, server, tool: name, definition, uncontained };
	return { access, show: async () => ({ subject, run }), run };
}

function parseObject(raw: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(raw === "" ? "{}" : raw);
		const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
		return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
	} catch {
		return undefined;
	}
}
