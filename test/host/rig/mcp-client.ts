import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Desk } from "./command-here.ts";
import { VITRINE } from "./vitrine.ts";

export type Era = "legacy" | "modern";

/** A program that calls Vitrine over MCP, with a user who answers as the test says. */
export interface McpCaller {
	readonly client: Client;
	/** What the user was shown. */
	readonly shown: readonly string[];
	/** Types of the events that came. */
	readonly events: readonly string[];
	/** Lines of progress. */
	readonly told: readonly string[];
	/** Calls a tool; its structured result, or the text of its error. */
	call(name: string, args: object): Promise<{ readonly error?: string; readonly [key: string]: unknown }>;
	close(): Promise<void>;
}

export async function callOverMcp(
	{ home, workspace, model }: Desk,
	{
		era,
		answer,
		options = [],
		key,
	}: {
		readonly era: Era;
		/** Without it the client cannot ask. */
		readonly answer?: (message: string, signal: AbortSignal) => object;
		readonly options?: readonly string[];
		/** The key of the model's server. */
		readonly key?: string;
	},
): Promise<McpCaller> {
	const client = new Client(
		{ name: "test", version: "1" },
		{
			capabilities: {
				...(answer === undefined ? {} : { elicitation: { form: {} } }),
				experimental: { "vitrine/events": {} },
			},
			...(era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}),
		},
	);
	const shown: string[] = [];
	const told: string[] = [];
	const events: string[] = [];
	client.fallbackNotificationHandler = async ({ method, params }) => {
		if (method === "vitrine/event") events.push(Object(Object(params).event).type);
	};
	if (answer !== undefined) {
		client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => {
			shown.push(params.message);
			return answer(params.message, mcpReq.signal) as { action: "accept" };
		});
	}
	const server = ["--base-url", model.baseUrl, "--model", "fake-1", "--home", home, "--cwd", workspace];
	const args = [VITRINE, "mcp", ...server, ...options];
	const env = { ...(process.env as Record<string, string>), ...(key === undefined ? {} : { VITRINE_API_KEY: key }) };
	await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "inherit" }));
	return {
		client,
		shown,
		events,
		told,
		async call(name, input) {
			const onprogress = ({ message }: { readonly message?: string | undefined }) => told.push(message ?? "");
			const result = await client.callTool({ name, arguments: { ...input } }, { onprogress, timeout: 20_000 });
			const [first] = result.content;
			const text = first?.type === "text" ? first.text : "";
			return result.isError === true ? { error: text } : { ...Object(result.structuredContent) };
		},
		close: () => client.close(),
	};
}
