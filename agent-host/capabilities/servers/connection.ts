import { pathToFileURL } from "node:url";
import type { Client, Transport } from "@modelcontextprotocol/client";
import * as z from "zod";
import type { Elicited } from "./elicitation.ts";
import { DefaultJsonSchemaValidator } from "./library-shims.ts";

/** An open connection to a server. */
export interface Connection {
	/** Everything it lists, unchecked. */
	readonly listTools: (signal: AbortSignal) => Promise<readonly unknown[]>;
	/** The same for prompts; a list that cannot be read is empty. */
	readonly listPrompts: (signal: AbortSignal) => Promise<readonly unknown[]>;
	/** Resources and templates of them; likewise. */
	readonly listResources: (signal: AbortSignal) => Promise<readonly unknown[]>;
	readonly readResource: (uri: string, signal: AbortSignal) => Promise<unknown>;
	readonly getPrompt: (name: string, input: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<unknown>;
	readonly callTool: (call: ToolCall, signal: AbortSignal) => Promise<unknown>;
	/** The folders that it may be told about have changed. */
	readonly tellRoots: () => Promise<void>;
	/** Whether a request failed because the server has forgotten the session, as after a restart: nothing was done. */
	readonly isForgotten: (error: unknown) => boolean;
	readonly close: () => Promise<void>;
}

export interface ToolCall {
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
	readonly onProgress: (text: string) => void;
}

export interface ConnectOptions {
	/** Its tools, prompts or resources changed. */
	readonly changed: () => void;
	/** The connection ended, for whatever reason. */
	readonly closed: () => void;
	/** Folders that it may be told about. */
	readonly roots: () => readonly string[];
	/** Answers a request of the server for information; absent if nobody can be asked. */
	readonly elicit?: ((params: unknown, signal: AbortSignal) => Promise<Elicited>) | undefined;
	readonly version: string;
}

/** A server may list tools, but for no longer than this. */
const LIST_TIMEOUT_MS = 30_000;
const MAX_PAGES = 16;
/** However alive it looks, a call ends after this long. */
const MAX_CALL_MS = 3_600_000;

/** What a call did is done: however little its result is what the library expects, it is read (read-result.ts). */
const AnyResult = z.looseObject({});

/** Opens a connection over a transport. The library is loaded with the first server, not at start. */
export async function connect(transport: Transport, options: ConnectOptions, signal: AbortSignal): Promise<Connection> {
	const { elicit } = options;
	const { Client, SdkHttpError } = await import("@modelcontextprotocol/client");
	const client = new Client(
		{ name: "vitrine", version: options.version },
		{
			// It may not use our model: sampling is left out.
			capabilities: { roots: { listChanged: true }, ...(elicit && { elicitation: { form: {}, url: {} } }) },
			jsonSchemaValidator: new DefaultJsonSchemaValidator(),
			listChanged: {
				tools: { autoRefresh: false, onChanged: options.changed },
				prompts: { autoRefresh: false, onChanged: options.changed },
				resources: { autoRefresh: false, onChanged: options.changed },
			},
		},
	);
	client.setRequestHandler("roots/list", () => ({
		roots: options.roots().map((path) => ({ uri: pathToFileURL(path).href })),
	}));
	if (elicit !== undefined) {
		client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => elicit(params, mcpReq.signal));
	}
	client.onclose = options.closed;
	client.onerror = () => undefined;
	await client.connect(transport, { signal, timeout: LIST_TIMEOUT_MS });
	return {
		...toConnection(client),
		isForgotten: (error) => error instanceof SdkHttpError && error.status === 404 && transport.sessionId !== undefined,
	};
}

function toConnection(client: Client): Omit<Connection, "isForgotten"> {
	return {
		listTools: async (signal) =>
			client.getServerCapabilities()?.tools === undefined ? [] : listAll(client, "tools/list", "tools", signal),
		listPrompts: async (signal) => {
			if (client.getServerCapabilities()?.prompts === undefined) return [];
			return listAll(client, "prompts/list", "prompts", signal).catch(() => []);
		},
		listResources: async (signal) => {
			if (client.getServerCapabilities()?.resources === undefined) return [];
			const lists = await Promise.all([
				listAll(client, "resources/list", "resources", signal).catch(() => []),
				listAll(client, "resources/templates/list", "resourceTemplates", signal).catch(() => []),
			]);
			return lists.flat();
		},
		readResource: (uri, signal) =>
			client.readResource({ uri }, { signal, timeout: LIST_TIMEOUT_MS, cacheMode: "refresh" }),
		getPrompt: (name, input, signal) =>
			client.getPrompt({ name, arguments: { ...input } }, { signal, timeout: LIST_TIMEOUT_MS }),
		callTool: ({ tool, input, onProgress }, signal) =>
			client.request({ method: "tools/call", params: { name: tool, arguments: { ...input } } }, AnyResult, {
				signal,
				timeout: MAX_CALL_MS,
				onprogress: ({ progress, total, message }) =>
					onProgress(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`)),
			}),
		tellRoots: () => client.sendRootsListChanged(),
		close: () => client.close(),
	};
}

const Page = z.looseObject({ nextCursor: z.string().optional().catch(undefined) });

/** A list over all its pages. The library would refuse all of it for one entry that breaks the protocol. */
async function listAll(client: Client, method: string, key: string, signal: AbortSignal): Promise<readonly unknown[]> {
	let listed: readonly unknown[] = [];
	let cursor: string | undefined;
	for (let pages = 0; pages < MAX_PAGES; pages += 1) {
		const request = { method, ...(cursor !== undefined && { params: { cursor } }) };
		const page = await client.request(request, Page, { signal, timeout: LIST_TIMEOUT_MS });
		const entries = page[key];
		if (!Array.isArray(entries)) throw new Error(`Its answer to ${method} has no list of ${key}.`);
		listed = [...listed, ...entries];
		if (!page.nextCursor || page.nextCursor === cursor) return listed;
		cursor = page.nextCursor;
	}
	throw new Error(`Its answers to ${method} have no end.`);
}
