import {
	CancellationTokenSource,
	createMessageConnection,
	ErrorCodes,
	IPCMessageReader,
	type MessageConnection,
	type MessageReader,
	type MessageWriter,
	ResponseError,
} from "vscode-jsonrpc/node";
import type * as z from "zod";
import { approvalAsk } from "../../protocol/approval.ts";
import { CLIENT_NOTIFICATIONS, HOST_METHODS, HOST_NOTIFICATIONS } from "../../protocol/catalog.ts";
import { secretGet } from "../../protocol/host.ts";
import type { ClientPorts, Ports } from "../../session/ports/ports.ts";
import { SYSTEM_PORTS } from "../../session/ports/system-ports.ts";
import type { Session } from "../../session/session.ts";
import { createDocuments, DidChange, DidClose, DidOpen, type Documents } from "./documents.ts";
import { createOpenDocuments } from "./edit-documents.ts";
import { connectEditorModels } from "./editor-models.ts";
import { BoundedReader, ChannelWriter, FrameWriter } from "./frames.ts";
import { createHandlers, type Handlers } from "./handlers.ts";
import {
	changeFolders,
	DidChangeFolders,
	INITIALIZE_RESULT,
	InitializeParams,
	initializeSession,
} from "./initialize.ts";
import { createOutbox, sizeOf } from "./outbox.ts";
import { asResponseError, parseParams } from "./parse.ts";
import { createPublisher } from "./publish.ts";

/** Time to record the end of running turns once the parent is gone. */
const GOODBYE_MS = 800;

const LOG_TYPES = { error: 1, warning: 2, info: 3 } as const;

/** Serves one editor, over the pipe it started us with, until that pipe closes. */
export function serveEditor(transport: "ipc" | "stdio"): void {
	const { reader, writer } = openTransport(transport);
	const connection = createMessageConnection(reader, writer);
	const host = createHost(connection);
	// The language-server protocol: an exit that no shutdown announced is an error; a parent that is gone is not.
	const leave = (code: number) => void leaveAfter(host.close(), code);
	reader.onClose(() => leave(0));
	writer.onError(() => leave(0));
	if (transport === "ipc") process.on("disconnect", () => leave(0));
	connection.onNotification("exit", () => leave(host.wasShutDown() ? 0 : 1));
	connection.listen();
}

function openTransport(transport: "ipc" | "stdio"): { readonly reader: MessageReader; readonly writer: MessageWriter } {
	if (transport === "ipc") return { reader: new IPCMessageReader(process), writer: new ChannelWriter(process) };
	const writer = new FrameWriter(process.stdout);
	const refuse = (message: string) =>
		// No id could be read, so the answer has none, as JSON-RPC asks.
		void writer.write({ jsonrpc: "2.0", id: null, error: { code: ErrorCodes.ParseError, message } } as never);
	return { reader: new BoundedReader(process.stdin, refuse), writer };
}

function createHost(connection: MessageConnection): {
	readonly close: () => Promise<void>;
	readonly wasShutDown: () => boolean;
} {
	let shutDown = false;
	let session: Session | undefined;
	let handlers: Handlers | undefined;
	const documents = createDocuments();
	const ports = connectPorts(connection, documents);

	onRequest(connection, ports, "initialize", InitializeParams, async (params) => {
		if (session !== undefined) throw new ResponseError(ErrorCodes.InvalidRequest, "The host is initialized already.");
		session = await initializeSession(params, ports, documents.texts);
		handlers = createHandlers(session);
		serveDocuments(connection, documents);
		return INITIALIZE_RESULT;
	});
	for (const [key, method] of Object.entries(HOST_METHODS)) {
		onRequest(connection, ports, method.name, method.params, (params) => {
			if (shutDown) throw new ResponseError(ErrorCodes.InvalidRequest, "The host is shutting down.");
			if (handlers === undefined) throw new ResponseError(ErrorCodes.ServerNotInitialized, "Send initialize first.");
			// The key comes from the table that types the handlers, and the params were parsed with its schema.
			return handlers[key as keyof Handlers](params as never);
		});
	}
	onNotification(connection, ports, "initialized", undefined, () => {
		const message = session?.status().storageProblem;
		const fix = "Choose a writable folder, then run “Vitrine: Restart Agent Host”.";
		if (message !== undefined) ports.warn({ code: "storage", message, fix });
		session?.recoverPatches().then(
			(sentences) => {
				for (const sentence of sentences)
					ports.warn({ code: "patch", message: sentence, fix: "Look at the files before you go on." });
			},
			(error: unknown) => ports.log("error", `A patch that was cut short is unsettled: ${error}`),
		);
		session
			?.lookAtSandbox()
			.catch((error: unknown) => ports.log("error", `The sandbox could not be looked for: ${error}`));
	});
	onNotification(
		connection,
		ports,
		HOST_NOTIFICATIONS.didChangeTrust.name,
		HOST_NOTIFICATIONS.didChangeTrust.params,
		({ trusted }) => {
			if (session === undefined) return;
			session.facts.trusted = trusted;
			announceStatus(connection, session);
		},
	);
	const { didChangeConfiguration } = HOST_NOTIFICATIONS;
	onNotification(connection, ports, didChangeConfiguration.name, didChangeConfiguration.params, ({ settings }) => {
		if (session === undefined) return;
		session.facts.settings = settings;
		announceStatus(connection, session);
	});
	onNotification(connection, ports, "workspace/didChangeWorkspaceFolders", DidChangeFolders, (change) => {
		if (session === undefined) return;
		session.facts.folders = changeFolders(session.facts.folders, change);
		announceStatus(connection, session);
	});
	connection.onRequest("shutdown", async () => {
		shutDown = true;
		await session?.close();
		return null;
	});
	return { close: async () => session?.close(), wasShutDown: () => shutDown };
}

function connectPorts(connection: MessageConnection, documents: Documents): ClientPorts {
	const outbox = createOutbox();
	const { publish } = createPublisher((threadId, event) => {
		outbox.add(sizeOf(event), send(connection, CLIENT_NOTIFICATIONS.threadEvent.name, { threadId, ...event }));
	});
	return {
		...SYSTEM_PORTS,
		publish,
		room: outbox.room,
		documents: createOpenDocuments((method, params) => connection.sendRequest(method, params), documents),
		processesChanged: () => notify(connection, CLIENT_NOTIFICATIONS.processesChanged.name, {}),
		warn: (warning) => notify(connection, CLIENT_NOTIFICATIONS.hostWarning.name, warning),
		log: (level, message) => notify(connection, "window/logMessage", { type: LOG_TYPES[level], message }),
		editorModels: connectEditorModels(connection),
		secret: async (ask) => {
			const answer: unknown = await connection.sendRequest(secretGet.name, ask);
			const { value, account } = secretGet.result.parse(answer);
			return value === undefined ? undefined : { value, account };
		},
		ask: async (request, signal) => {
			const cancel = new CancellationTokenSource();
			const { promise: ended, reject } = Promise.withResolvers<never>();
			const onAbort = () => {
				cancel.cancel();
				reject(signal.reason);
			};
			signal.addEventListener("abort", onAbort, { once: true });
			try {
				const answer = connection.sendRequest(approvalAsk.name, { ...request, ...request.subject }, cancel.token);
				return approvalAsk.result.parse(await Promise.race([answer, ended]));
			} finally {
				signal.removeEventListener("abort", onAbort);
				cancel.dispose();
			}
		},
	};
}

function serveDocuments(connection: MessageConnection, documents: Documents): void {
	const log = { log: () => undefined };
	onNotification(connection, log, "textDocument/didOpen", DidOpen, documents.open);
	onNotification(connection, log, "textDocument/didChange", DidChange, documents.change);
	onNotification(connection, log, "textDocument/didClose", DidClose, documents.close);
}

function announceStatus(connection: MessageConnection, session: Session): void {
	notify(connection, CLIENT_NOTIFICATIONS.hostStatusChanged.name, session.status());
}

// A client that is gone hears nothing; that it is gone is noticed where its pipe closes.
function notify(connection: MessageConnection, name: string, params: object): void {
	send(connection, name, params).catch(() => undefined);
}

// The library throws at once when the connection is closed, and rejects when it closes on the way.
async function send(connection: MessageConnection, name: string, params: object): Promise<void> {
	await connection.sendNotification(name, params);
}

function onRequest<S extends z.ZodType>(
	connection: MessageConnection,
	ports: Pick<Ports, "log">,
	name: string,
	schema: S,
	handle: (params: z.output<S>) => unknown,
): void {
	connection.onRequest(name, async (...args: unknown[]) => {
		try {
			// The library appends a cancellation token; without params it is all there is.
			return await handle(parseParams(name, schema, args.length > 1 ? args[0] : undefined));
		} catch (error) {
			const answer = asResponseError(error);
			if (answer.data?.kind === "internal") {
				ports.log("error", `${name} failed: ${error instanceof Error ? error.stack : error}`);
			}
			throw answer;
		}
	});
}

function onNotification<S extends z.ZodType>(
	connection: MessageConnection,
	ports: Pick<Ports, "log">,
	name: string,
	schema: S | undefined,
	handle: (params: z.output<S>) => void,
): void {
	connection.onNotification(name, (...args: unknown[]) => {
		try {
			handle((schema === undefined ? undefined : parseParams(name, schema, args[0])) as z.output<S>);
		} catch (error) {
			// Nobody waits for an answer to a notification; the log is the only place to say it.
			ports.log("warning", `Ignored: ${error instanceof Error ? error.message : error}`);
		}
	});
}

async function leaveAfter(closed: Promise<void>, code: number): Promise<never> {
	setTimeout(() => process.exit(code), GOODBYE_MS);
	await closed.catch(() => undefined);
	process.exit(code);
}
