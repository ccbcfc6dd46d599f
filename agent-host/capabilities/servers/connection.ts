import type { Client, Transport } from "@modelcontextprotocol/client";
import { DefaultJsonSchemaValidator } from "./library-shims.ts";

/** An open connection to a server. */
export interface Connection {
	/** Everything it lists, unchecked. */
	readonly listTools: (signal: AbortSignal) => Promise<readonly unknown[]>;
	readonly callTool: (call: ToolCall, signal: AbortSignal) => Promise<unknown>;
	readonly close: () => Promise<void>;
}

export interface ToolCall {
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
	/** How long it may be silent; progress counts as life. */
	readonly timeoutMs: number;
	readonly onProgress: (text: string) => void;
}

export interface ConnectOptions {
	/** Its tools changed. */
	readonly changed: () => void;
	/** The connection ended, for whatever reason. */
	readonly closed: () => void;
	/** Folders that it may be told about. */
	readonly roots: () => readonly string[];
	readonly version: string;
}

/** A server may list tools, but for no longer than this. */
const LIST_TIMEOUT_MS = 30_000;
const MAX_PAGES = 16;
/** However alive it looks, a call ends after this long. */
const MAX_CALL_MS = 3_600_000;

/** Opens a connection over a transport. The library is loaded with the first server, not at start. */
export async function connect(transport: Transport, options: ConnectOptions, signal: AbortSignal): Promise<Connection> {
	const { Client } = await import("@modelcontextprotocol/client");
	const client = new Client(
		{ name: "vitrine", version: options.version },
		{
			capabilities: { roots: {} },
			jsonSchemaValidator: new DefaultJsonSchemaValidator(),
			listMaxPages: MAX_PAGES,
			listChanged: { tools: { autoRefresh: false, onChanged: options.changed } },
		},
	);
	client.setRequestHandler("roots/list", () => ({ roots: options.roots().map((path) => ({ uri: `file://${path}` })) }));
	client.onclose = options.closed;
	client.onerror = () => undefined;
	await client.connect(transport, { signal, timeout: LIST_TIMEOUT_MS });
	return toConnection(client);
}

function toConnection(client: Client): Connection {
	return {
		listTools: async (signal) => {
			if (client.getServerCapabilities()?.tools === undefined) return [];
			const { tools } = await client.listTools(undefined, { signal, timeout: LIST_TIMEOUT_MS, cacheMode: "refresh" });
			return tools;
		},
		callTool: ({ tool, input, timeoutMs, onProgress }, signal) =>
			client.callTool(
				{ name: tool, arguments: { ...input } },
				{
					signal,
					timeout: timeoutMs,
					resetTimeoutOnProgress: true,
					maxTotalTimeout: MAX_CALL_MS,
					onprogress: ({ progress, total, message }) =>
						onProgress(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`)),
				},
			),
		close: () => client.close(),
	};
}
