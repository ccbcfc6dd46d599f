import { ErrorCodes, type MessageConnection, ResponseError } from "vscode-jsonrpc/node";
import * as z from "zod";
import { approvalAsk } from "../../protocol/approval/approval.ts";
import { questionAsk } from "../../protocol/approval/question.ts";
import { CLIENT_NOTIFICATIONS, HOST_METHODS, HOST_NOTIFICATIONS } from "../../protocol/catalog.ts";
import { editorToolCall, editorToolList } from "../../protocol/host/editor-tools.ts";
import { secretGet } from "../../protocol/host/host.ts";
import {
	languageActions,
	languageHover,
	languageLocate,
	languageOutline,
	languageProblems,
	languageRename,
	languageSymbols,
	taskList,
} from "../../protocol/host/language.ts";
import {
	serverAuthorize,
	serverCredentials,
	serverKeepCredentials,
	serverRedirect,
} from "../../protocol/host/server-sign-in.ts";
import { serverInput } from "../../protocol/host/servers.ts";
import { asFix, asMessage, say } from "../../protocol/say.ts";
import { readClientSettings } from "../../session/facts.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import { SYSTEM_PORTS } from "../../session/ports/system-ports.ts";
import type { Session } from "../../session/session.ts";
import { cutPatch } from "../cut-patch.ts";
import { createHandlers, type Handlers, type Report } from "../handlers.ts";
import { openSession } from "../open-session.ts";
import { askClient } from "./ask-client.ts";
import { unlessCancelled } from "./cancel.ts";
import { connectEditorModels } from "./client-models.ts";
import { createDocuments, DidChange, DidClose, DidOpen, DidSave, type Documents } from "./documents.ts";
import { createOpenDocuments } from "./edit-in-client.ts";
import { changeFolders, DidChangeFolders, type InitializeParams, listFolders } from "./initialize.ts";
import { createOutbox, estimateSize } from "./outbox.ts";
import { asResponseError, parseParams } from "./parse.ts";
import { withProgress } from "./progress.ts";
import { createPublisher } from "./publish.ts";

/** A session and the editor at the other end of its connection. */
export interface ConnectedSession {
	/** Answers with a result, or throws the error for the client. */
	readonly request: (name: string, params: unknown, signal: AbortSignal) => Promise<unknown>;
	readonly notify: (name: string, params: unknown) => void;
	readonly close: () => Promise<void>;
}

const LOG_TYPES = { error: 1, warning: 2, info: 3 } as const;

/** Handler keys by the names of their methods on the wire. */
const KEYS = new Map(
	Object.entries(HOST_METHODS).map(([key, { name }]) => [name, key as keyof typeof HOST_METHODS] as const),
);

export async function connectSession(
	connection: MessageConnection,
	{ workspaceFolders, initializationOptions }: InitializeParams,
	turnEnded: () => void,
): Promise<ConnectedSession> {
	const documents = createDocuments();
	const ports = connectPorts(connection, documents, turnEnded);
	const folders = listFolders(workspaceFolders ?? []);
	const session = await openSession(folders, initializationOptions, ports, documents.texts, { pursuesGoals: true });
	const handlers = createHandlers(session);
	const listeners = listen(session, documents, ports);
	return {
		request: async (name, params, signal) => {
			const tell = (method: string, about: object) => notify(connection, method, about);
			try {
				const key = findKey(name);
				const work = (report: Report) =>
					unlessCancelled(key, answer(handlers, key, params, { signal, report }), signal);
				return await withProgress(key, params, tell, work);
			} catch (error) {
				const failure = asResponseError(error);
				if (failure.data?.kind === "internal") {
					ports.log("error", `${name} failed: ${error instanceof Error ? error.stack : error}`);
				}
				throw failure;
			}
		},
		notify: (name, params) => {
			try {
				listeners.get(name)?.(params);
			} catch (error) {
				// A notification has no answer, so the problem can only be logged.
				ports.log("warning", `Ignored: ${error instanceof Error ? error.message : error}`);
			}
		},
		close: session.close,
	};
}

function findKey(name: string): keyof typeof HOST_METHODS {
	const key = KEYS.get(name);
	if (key === undefined) throw new ResponseError(ErrorCodes.MethodNotFound, `The host has no method ${name}.`);
	return key;
}

async function answer(
	handlers: Handlers,
	key: keyof typeof HOST_METHODS,
	params: unknown,
	{ signal, report }: { readonly signal: AbortSignal; readonly report: Report },
): Promise<unknown> {
	const { name, params: schema } = HOST_METHODS[key];
	// The key comes from the table that types the handlers, and the params are parsed with its schema.
	return handlers[key](parseParams(name, schema, params) as never, signal, report);
}

type Listener = (params: unknown) => void;

/** The effect of each client notification. */
function listen(session: Session, documents: Documents, ports: ClientPorts): ReadonlyMap<string, Listener> {
	const { didChangeTrust, didChangeConfiguration } = HOST_NOTIFICATIONS;
	const announce = () => {
		// First, because a status cannot be given for settings that do not fit together.
		void session.rightsChanged();
		ports.statusChanged(session.status());
	};
	return new Map([
		on("initialized", z.unknown(), () => runStartChecks(session, ports)),
		on(didChangeTrust.name, didChangeTrust.params, ({ trusted }) => {
			session.facts.trusted = trusted;
			announce();
		}),
		on(didChangeConfiguration.name, didChangeConfiguration.params, ({ settings }) => {
			session.facts.settings = readClientSettings(settings);
			announce();
		}),
		on("workspace/didChangeWorkspaceFolders", DidChangeFolders, (change) => {
			const before = session.facts.folders;
			const folders = changeFolders(before, change);
			session.facts.folders = folders;
			const { closedFolders } = session.facts;
			session.facts.closedFolders = [...before, ...closedFolders].filter((folder) => !folders.includes(folder));
			announce();
		}),
		on("textDocument/didOpen", DidOpen, documents.open),
		on("textDocument/didChange", DidChange, documents.change),
		on("textDocument/didSave", DidSave, documents.save),
		on("textDocument/didClose", DidClose, documents.close),
	]);
}

function on<S extends z.ZodType>(name: string, schema: S, hear: (params: z.output<S>) => void): [string, Listener] {
	return [name, (params) => hear(parseParams(name, schema, params))];
}

/** Checks at the host's start: unusable storage, interrupted patches and commands, the sandbox. */
function runStartChecks(session: Session, ports: ClientPorts): void {
	const { problem } = session.home;
	if (problem !== undefined) ports.warn({ code: "storage", ...asMessage(problem), ...asFix(say("storage-fix")) });
	session.recover().then(
		(sentences) => {
			for (const sentence of sentences) ports.warn({ code: "patch", message: sentence, ...asFix(say("patch-fix")) });
		},
		(error: unknown) => ports.log("error", `An interrupted patch could not be completed: ${error}`),
	);
	session.worktrees.reportUnfinished().then(
		(left) => {
			for (const one of left) ports.warn({ code: "worktree", ...asMessage(one), ...asFix(say("worktree-left-fix")) });
		},
		(error: unknown) => ports.log("error", `The worktrees could not be listed: ${error}`),
	);
	session.lookAtSandbox().catch((error: unknown) => ports.log("error", `The sandbox could not be detected: ${error}`));
}

function connectPorts(connection: MessageConnection, documents: Documents, turnEnded: () => void): ClientPorts {
	const outbox = createOutbox();
	const { publish } = createPublisher((threadId, whole) => {
		const event = cutPatch(whole);
		outbox.add(estimateSize(event), send(connection, CLIENT_NOTIFICATIONS.threadEvent.name, { threadId, ...event }));
		if (event.event.type === "turnCompleted") turnEnded();
	});
	return {
		...SYSTEM_PORTS,
		publish,
		waitForDrain: outbox.waitForDrain,
		documents: createOpenDocuments((method, params) => connection.sendRequest(method, params), documents),
		processesChanged: () => notify(connection, CLIENT_NOTIFICATIONS.processesChanged.name, {}),
		serversChanged: () => notify(connection, CLIENT_NOTIFICATIONS.serversChanged.name, {}),
		statusChanged: (status) => notify(connection, CLIENT_NOTIFICATIONS.hostStatusChanged.name, status),
		warn: (warning) => notify(connection, CLIENT_NOTIFICATIONS.hostWarning.name, warning),
		log: (level, message) => notify(connection, "window/logMessage", { type: LOG_TYPES[level], message }),
		editorModels: connectEditorModels(connection),
		editor: connectEditor(connection),
		editorTools: {
			list: (params, signal) => askClient(connection, editorToolList, params, signal),
			call: (params, signal) => askClient(connection, editorToolCall, params, signal),
		},
		secret: async (ask) => {
			const { value } = await askClient(connection, secretGet, ask, undefined);
			return value === undefined ? undefined : { value };
		},
		ask: (request, signal) => askClient(connection, approvalAsk, { ...request, ...request.subject }, signal),
		serverInput: async (asked) => (await askClient(connection, serverInput, asked, undefined)).value,
		signIn: {
			credentials: (params) => askClient(connection, serverCredentials, params, undefined),
			keepCredentials: (params) => askClient(connection, serverKeepCredentials, params, undefined),
			redirect: (params) => askClient(connection, serverRedirect, params, undefined),
			authorize: (params) => askClient(connection, serverAuthorize, params, undefined),
		},
		question: (request, signal) => askClient(connection, questionAsk, request, signal),
	};
}

/** The language servers and tasks of the editor. */
function connectEditor(connection: MessageConnection): ClientPorts["editor"] {
	return {
		problems: (params, signal) => askClient(connection, languageProblems, params, signal),
		locate: (params, signal) => askClient(connection, languageLocate, params, signal),
		outline: (params, signal) => askClient(connection, languageOutline, params, signal),
		symbols: (params, signal) => askClient(connection, languageSymbols, params, signal),
		hover: (params, signal) => askClient(connection, languageHover, params, signal),
		actions: (params, signal) => askClient(connection, languageActions, params, signal),
		rename: (params, signal) => askClient(connection, languageRename, params, signal),
		tasks: (params, signal) => askClient(connection, taskList, params, signal),
	};
}

// Notifications to a client that is gone are dropped; its closed pipe is noticed elsewhere.
function notify(connection: MessageConnection, name: string, params: object): void {
	send(connection, name, params).catch(() => undefined);
}

// The library throws at once if the connection is closed, and rejects if it closes on the way.
async function send(connection: MessageConnection, name: string, params: object): Promise<void> {
	await connection.sendNotification(name, params);
}
