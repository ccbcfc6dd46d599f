import * as z from "zod";
import type { ServerTool } from "../envelope/envelope.ts";
import type { ToolCall } from "../history/history-item.ts";
import { quote } from "../protocol/say.ts";
import { lookAtServerCall } from "./server-tool.ts";
import { type CallFindings, defineTool } from "./tool.ts";

const Input = z.object({
	server: z.string().min(1).max(200),
	tool: z.string().min(1).max(200),
	arguments: z.record(z.string(), z.unknown()).default({}),
});

export const callServerTool = defineTool({
	name: "call_server_tool",
	description: "Call a tool that find_server_tools returned.",
	needs: "none",
	input: Input,
	title: ({ server, tool }) => quote(`${server}: ${tool}`),
	// Judged and shown as the tool itself.
	async look({ server, tool, arguments: input }, _, ports) {
		const found = ports.serverTools.find((one) => one.server === server && one.tool === tool);
		return found === undefined ? unknownTool(server, tool) : lookAtServerCall(found, input, ports);
	},
});

/** A call that could be prepared, as one of the server's tool that it is for: what is meant for that tool applies to it. */
export function asServerCall(call: ToolCall, serverTools: readonly ServerTool[]): ToolCall {
	if (call.name !== callServerTool.name) return call;
	const { server, tool, arguments: input } = Input.parse(JSON.parse(call.arguments));
	const found = serverTools.find((one) => one.server === server && one.tool === tool);
	return found === undefined ? call : { ...call, name: found.name, arguments: JSON.stringify(input) };
}

function unknownTool(server: string, tool: string): CallFindings {
	const reason = `There is no tool ${tool} of ${server}. Use find_server_tools to see what there is.`;
	return { access: { kind: "none" }, show: async () => undefined, run: async () => ({ ok: false, reason }) };
}
