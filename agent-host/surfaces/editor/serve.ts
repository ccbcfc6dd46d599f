import {
	type CancellationToken,
	createMessageConnection,
	ErrorCodes,
	type MessageConnection,
	type MessageReader,
	type MessageWriter,
	ResponseError,
} from "vscode-jsonrpc/node";
import type { Upkeep } from "../../start/upkeep.ts";
import { BoundedChannel, type MessageId } from "./bounded-channel.ts";
import type { ConnectedSession } from "./connect-session.ts";
import { BoundedReader, ChannelWriter, FrameWriter } from "./frames.ts";
import { INITIALIZE_RESULT, InitializeParams } from "./initialize.ts";
import { parseParams } from "./parse.ts";

/** Time to record the end of running turns once the parent is gone. */
const GOODBYE_MS = 800;

/** Serves one editor over the pipe it started us with, until that pipe closes. */
export function serveEditor(transport: "ipc" | "stdio", upkeep: Upkeep): void {
	const { reader, writer } = openTransport(transport);
	const connection = createMessageConnection(reader, writer);
	const host = createHost(connection, upkeep.turnEnded);
	// In the language-server protocol an exit without a shutdown is an error; a parent that is gone is not.
	const leave = (code: number) => void leaveAfter(host.close().finally(upkeep.leaving), code);
	reader.onClose(() => leave(0));
	writer.onError(() => leave(0));
	if (transport === "ipc") process.on("disconnect", () => leave(0));
	connection.onNotification("exit", () => leave(host.wasShutDown() ? 0 : 1));
	connection.listen();
}

function openTransport(transport: "ipc" | "stdio"): { readonly reader: MessageReader; readonly writer: MessageWriter } {
	const writer = transport === "ipc" ? new ChannelWriter(process) : new FrameWriter(process.stdout);
	// If no id could be read, the answer has none, as JSON-RPC requires.
	const refuse = (message: string, id: MessageId = null): void => {
		const code = id === null ? ErrorCodes.ParseError : ErrorCodes.InvalidRequest;
		// A closed pipe is noticed elsewhere.
		writer.write({ jsonrpc: "2.0", id, error: { code, message } } as never).catch(() => undefined);
	};
	const reader = transport === "ipc" ? new BoundedChannel(process, refuse) : new BoundedReader(process.stdin, refuse);
	return { reader, writer };
}

function createHost(
	connection: MessageConnection,
	turnEnded: () => void,
): {
	readonly close: () => Promise<void>;
	readonly wasShutDown: () => boolean;
} {
	let shutDown = false;
	let session: Promise<ConnectedSession> | undefined;
	connection.onRequest("initialize", (params: unknown) => {
		if (session !== undefined) throw new ResponseError(ErrorCodes.InvalidRequest, "The host is already initialized.");
		session = connectSoon(connection, parseParams("initialize", InitializeParams, params), turnEnded);
		// Every request reports the failure.
		session.catch(() => undefined);
		return INITIALIZE_RESULT;
	});
	connection.onRequest("shutdown", async () => {
		shutDown = true;
		await (await session)?.close();
		return null;
	});
	connection.onRequest(async (name: string, params: unknown, token: CancellationToken) => {
		if (shutDown) throw new ResponseError(ErrorCodes.InvalidRequest, "The host is shutting down.");
		if (session === undefined) throw new ResponseError(ErrorCodes.ServerNotInitialized, "Send initialize first.");
		return (await session).request(name, params, toSignal(token));
	});
	// Waits as requests do, so that each sees everything sent before it.
	connection.onNotification((name: string, params: unknown) => {
		session?.then((connected) => connected.notify(name, params)).catch(() => undefined);
	});
	return { close: async () => (await session)?.close(), wasShutDown: () => shutDown };
}

/** `$/cancelRequest` for one request. */
function toSignal(token: CancellationToken): AbortSignal {
	const cancelled = new AbortController();
	if (token.isCancellationRequested) cancelled.abort();
	else token.onCancellationRequested(() => cancelled.abort());
	return cancelled.signal;
}

/** Most of the host is loaded after the client has its answer, while it gets ready itself. */
async function connectSoon(
	connection: MessageConnection,
	params: InitializeParams,
	turnEnded: () => void,
): Promise<ConnectedSession> {
	await new Promise(setImmediate);
	const { connectSession } = await import("./connect-session.ts");
	return connectSession(connection, params, turnEnded);
}

async function leaveAfter(closed: Promise<void>, code: number): Promise<never> {
	setTimeout(() => process.exit(code), GOODBYE_MS);
	await closed.catch(() => undefined);
	process.exit(code);
}
