import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ApprovalAnswer, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { QuestionAnswer, QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { CLIENT_METHODS, CLIENT_NOTIFICATIONS } from "../../agent-host/protocol/catalog.ts";
import type { HostStatus, HostWarning } from "../../agent-host/protocol/host/host.ts";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { Method, Notification, ParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import type { PublishedEvent, ThreadEvent } from "../../agent-host/protocol/thread/events.ts";
import { threadStart } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { DidOpen } from "../../agent-host/surfaces/editor/documents.ts";
import { connectIpc, connectStdio, type Message, type Wire } from "../host/rig/wire.ts";
import { allowUncontained, asOnWindows, onDrive } from "./as-windows/as-on-windows.ts";
import { isAsWindows } from "./as-windows/drive-paths.ts";
import type { FakeEditorModels } from "./fake-editor-models.ts";
import type { Held } from "./fake-model-steps.ts";
import { within } from "./fake-model-wait.ts";

export interface HostSpec {
	readonly home: string;
	readonly folders?: readonly string[];
	readonly settings?: PartialSettings;
	readonly trusted?: boolean;
	readonly locale?: string;
	readonly transport?: "stdio" | "ipc";
	readonly env?: Readonly<Record<string, string>>;
	/** The answer to `secret/get`; without it the host learns that there is no key. */
	readonly secret?: string | ((ask: SecretAsk) => SecretAnswer);
	/** Serves `editorModel/*`; without it the client knows no such methods. */
	readonly editorModels?: FakeEditorModels;
	/** The user's answer to a question; without it the client says that it cannot ask. */
	readonly approve?: (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;
	/** The user's answer to a question about how to go on; without it the client says that it cannot ask. */
	readonly answer?: (request: QuestionRequest) => QuestionAnswer | Promise<QuestionAnswer>;
	/** What the user enters for a server; without it the client knows no such method. */
	readonly serverInput?: (asked: ParamsOf<typeof CLIENT_METHODS.serverInput>) => string | undefined;
	/** What the client does when the user signs in to a server, by method; without it the client knows none of that. */
	readonly signIn?: (method: string, params: unknown) => unknown;
	/** The client says that it can ask the user for the agent. */
	readonly asksUser?: boolean;
	/** What the client answers about code and tasks, by method; without it the client does not say that it can. */
	readonly language?: (method: string, params: unknown) => unknown;
	/** Whether the user has changed an open document, by its URI; without it, they have changed each that is open. */
	readonly unsaved?: (uri: string) => boolean;
	/** The same for tools of its editor. */
	readonly editorTools?: (method: string, params: unknown) => unknown;
	/** Another program that speaks the same protocol, for the rig's own tests and the benchmark's floor. */
	readonly program?: string;
	/** Where compiled code is kept, if not where all hosts of the tests keep it. */
	readonly codeCache?: string;
}

export type SecretAsk = ParamsOf<typeof CLIENT_METHODS.secretGet>;
export type SecretAnswer = ResultOf<typeof CLIENT_METHODS.secretGet>;

export interface Exit {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

/** An error reply, as the client sees it. */
export class RpcError extends Error {
	readonly code: number;
	readonly data: unknown;

	constructor(code: number, message: string, data: unknown) {
		super(message);
		this.name = "RpcError";
		this.code = code;
		this.data = data;
	}
}

/** What has come from the host so far, for checks after the fact. */
export interface Received {
	/** Every message whole, as text. */
	readonly messages: readonly string[];
	readonly logs: readonly string[];
	readonly statuses: readonly HostStatus[];
	readonly warnings: readonly HostWarning[];
	readonly secretRequests: readonly string[];
	/** Requests of the host that this client does not know. */
	readonly unknownRequests: readonly string[];
	/** Text on stdout that belongs to no frame. */
	stray(): string;
	stderr(): string;
}

export interface HostProcess {
	readonly pid: number;
	readonly received: Received;
	readonly exited: Promise<Exit>;
	/** Bytes as they are, for malformed frames; stdio only. */
	readonly wire: Wire;
	request<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
	notify<N extends Notification>(notification: N, params: ParamsOf<N>): void;
	/** For the language-server protocol's own messages, and for wrong ones. */
	requestRaw(name: string, params: unknown): Promise<unknown>;
	notifyRaw(name: string, params: unknown): void;
	/** Published events of a thread in order of arrival. */
	events(threadId: ThreadId): readonly PublishedEvent[];
	/** The first event, past or coming, that `matches`. */
	waitFor(threadId: ThreadId, matches: (event: ThreadEvent) => boolean): Promise<PublishedEvent>;
	killHard(): Promise<Exit>;
	/** `shutdown`, `exit`, and the process is gone. */
	close(): Promise<Exit>;
}

/** The built host. Another build, such as the one inside a packed extension, can be named instead. */
export const HOST_BUNDLE = process.env.VITRINE_HOST_BUNDLE ?? join(import.meta.dirname, "../../dist/agent-host.cjs");
/** As the extension gives the host one; shared by all hosts, so that each starts as a user's second one does. */
export const CODE_CACHE = chooseCache(join(import.meta.dirname, "../../node_modules"));
const PATIENCE_MS = 20_000;

/** Whoever cannot write to the project has one for this process and those that it names it to. */
function chooseCache(modules: string): string {
	if (process.env.VITRINE_HOST_CACHE !== undefined) return process.env.VITRINE_HOST_CACHE;
	try {
		accessSync(modules, constants.W_OK);
		return join(modules, ".cache/vitrine-host");
	} catch {
		const folder = mkdtempSync(join(tmpdir(), "vitrine-cache-"));
		process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
		return folder;
	}
}

/** Starts the built host and takes it through `initialize` and `initialized`. */
export async function startHost(spec: HostSpec): Promise<HostProcess> {
	const host = launchHost(spec);
	try {
		await initialize(host, spec);
		return host;
	} catch (error) {
		await host.killHard();
		throw error;
	}
}

export async function initialize(host: HostProcess, wanted: HostSpec): Promise<unknown> {
	const spec = forSystem(wanted);
	const result = await host.requestRaw("initialize", {
		processId: process.pid,
		rootUri: null,
		capabilities: {},
		workspaceFolders: (spec.folders ?? []).map((path) => ({
			uri: pathToFileURL(path, { windows: path.includes("\\") }).href,
			name: path,
		})),
		initializationOptions: {
			home: spec.home,
			trusted: spec.trusted ?? true,
			settings: spec.settings ?? {},
			surface: { name: "test", version: "1" },
			...(spec.locale === undefined ? {} : { locale: spec.locale }),
			...(spec.asksUser === undefined ? {} : { asksUser: spec.asksUser }),
			...(spec.language === undefined ? {} : { knowsLanguages: true }),
			...(spec.editorTools === undefined ? {} : { hasTools: true }),
		},
	});
	host.notifyRaw("initialized", {});
	return result;
}

/** The stage `windows` runs host tests on hosts that run as on Windows. */
function forSystem(spec: HostSpec): HostSpec {
	return isAsWindows() ? { approve: allowUncontained, ...asOnWindows(spec) } : spec;
}

/** Starts the process and connects, with nothing said yet. */
export function launchHost(wanted: HostSpec): HostProcess {
	const spec = forSystem(wanted);
	const ipc = spec.transport === "ipc";
	const args = [ipc ? "--node-ipc" : "--stdio", "--code-cache", spec.codeCache ?? CODE_CACHE];
	const child = spawn(process.execPath, [spec.program ?? HOST_BUNDLE, ...args], {
		stdio: ipc ? ["ignore", "pipe", "pipe", "ipc"] : ["pipe", "pipe", "pipe"],
		env: { PATH: process.env.PATH, LANG: "C.UTF-8", ...spec.env },
	});
	const wire = ipc ? connectIpc(child) : connectStdio(child);
	return connect(child, isAsWindows() ? onDrive(wire) : wire, spec);
}

function connect(
	child: ChildProcess,
	wire: Wire,
	{ secret, editorModels, approve, answer: choose, serverInput, signIn, language, unsaved, editorTools }: HostSpec,
): HostProcess {
	const messages: string[] = [];
	const logs: string[] = [];
	const statuses: HostStatus[] = [];
	const warnings: HostWarning[] = [];
	const secretRequests: string[] = [];
	const unknownRequests: string[] = [];
	const openUris = new Set<string>();
	const events = new Map<string, PublishedEvent[]>();
	const pending = new Map<number, PromiseWithResolvers<unknown>>();
	const watchers = new Set<(threadId: string, published: PublishedEvent) => void>();
	const exited = Promise.withResolvers<Exit>();
	let stderr = "";
	let lastId = 0;

	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	// Node's own "close" does not come when this side ended the ipc channel, so the streams are waited for here.
	const outputs = [child.stdout, child.stderr].map((stream) => stream && once(stream, "close"));
	child.on("exit", (code, signal) => {
		Promise.all(outputs).then(
			() => exited.resolve({ code, signal }),
			(error: unknown) => exited.reject(error),
		);
	});
	exited.promise.then(
		({ code, signal }) => {
			for (const waiting of pending.values())
				waiting.reject(new Error(`The host ended (${code ?? signal}). ${stderr}`));
		},
		() => undefined,
	);

	function serve(id: number | string, method: string, params: unknown): void {
		const answer = editorModels?.serve(id, method, params, (name, sent) => notifyRaw(name, sent));
		if (answer !== undefined) {
			void answer.then((result) => wire.send({ jsonrpc: "2.0", id, result }));
			return;
		}
		if (method === CLIENT_METHODS.approvalAsk.name && approve !== undefined) {
			const request = CLIENT_METHODS.approvalAsk.params.parse(params);
			void Promise.resolve(approve(request)).then((result) => wire.send({ jsonrpc: "2.0", id, result }));
			return;
		}
		if (method === CLIENT_METHODS.questionAsk.name && choose !== undefined) {
			const request = CLIENT_METHODS.questionAsk.params.parse(params);
			void Promise.resolve(choose(request)).then(
				(result) => wire.send({ jsonrpc: "2.0", id, result }),
				({ message }: Error) => wire.send({ jsonrpc: "2.0", id, error: { code: -32000, message } }),
			);
			return;
		}
		if (method === CLIENT_METHODS.serverInput.name && serverInput !== undefined) {
			const value = serverInput(CLIENT_METHODS.serverInput.params.parse(params));
			wire.send({ jsonrpc: "2.0", id, result: value === undefined ? {} : { value } });
			return;
		}
		if (method === CLIENT_METHODS.documentUnsaved.name) {
			const { uri } = CLIENT_METHODS.documentUnsaved.params.parse(params);
			wire.send({ jsonrpc: "2.0", id, result: { isUnsaved: unsaved?.(uri) ?? openUris.has(uri) } });
			return;
		}
		const serveBy =
			signIn !== undefined && /^server\/(?:credentials|keepCredentials|redirect|authorize)$/.test(method)
				? signIn
				: /^(?:language|task)\//.test(method)
					? language
					: /^editorTool\//.test(method)
						? editorTools
						: undefined;
		if (serveBy !== undefined) {
			void (async () => serveBy(method, params))().then(
				(result) => wire.send({ jsonrpc: "2.0", id, result }),
				({ message }: Error) => wire.send({ jsonrpc: "2.0", id, error: { code: -32000, message } }),
			);
			return;
		}
		if (method !== CLIENT_METHODS.secretGet.name) {
			unknownRequests.push(method);
			wire.send({ jsonrpc: "2.0", id, error: { code: -32601, message: `The test does not serve ${method}.` } });
			return;
		}
		const ask = CLIENT_METHODS.secretGet.params.parse(params);
		secretRequests.push(ask.provider);
		const stored = secret === undefined ? {} : { value: secret };
		wire.send({ jsonrpc: "2.0", id, result: typeof secret === "function" ? secret(ask) : stored });
	}

	function note(method: string, params: unknown): void {
		const { threadEvent, hostStatusChanged, hostWarning } = CLIENT_NOTIFICATIONS;
		if (method === threadEvent.name) {
			const { threadId, ...published } = threadEvent.params.parse(params);
			const all = events.get(threadId) ?? [];
			events.set(threadId, all);
			all.push(published);
			for (const watcher of watchers) watcher(threadId, published);
		} else if (method === hostStatusChanged.name) statuses.push(hostStatusChanged.params.parse(params));
		else if (method === hostWarning.name) warnings.push(hostWarning.params.parse(params));
		else if (method === "$/cancelRequest") editorModels?.cancel((params as { readonly id: number | string }).id);
		else if (method === "window/logMessage") logs.push(JSON.stringify(params));
	}

	wire.listen((text) => {
		messages.push(text);
		const { id, method, params, result, error } = JSON.parse(text) as Message;
		if (method !== undefined && id !== undefined && id !== null) serve(id, method, params);
		else if (method !== undefined) note(method, params);
		else if (error) pending.get(Number(id))?.reject(new RpcError(error.code, error.message, error.data));
		else pending.get(Number(id))?.resolve(result);
	});

	function requestRaw(method: string, params: unknown): Promise<unknown> {
		lastId += 1;
		const id = lastId;
		const reply = Promise.withResolvers<unknown>();
		pending.set(id, reply);
		wire.send({ jsonrpc: "2.0", id, method, params });
		return within(reply.promise, PATIENCE_MS, () => `no reply to ${method}. ${wire.stray()}${stderr}`).finally(() =>
			pending.delete(id),
		);
	}

	const notifyRaw = (method: string, params: unknown) => {
		const opened = DidOpen.safeParse(params).data?.textDocument.uri;
		if (method === "textDocument/didOpen" && opened !== undefined) openUris.add(opened);
		wire.send({ jsonrpc: "2.0", method, params });
	};

	return {
		pid: child.pid ?? 0,
		wire,
		exited: exited.promise,
		received: {
			messages,
			logs,
			statuses,
			warnings,
			secretRequests,
			unknownRequests,
			stray: wire.stray,
			stderr: () => stderr,
		},
		async request(method, params) {
			return method.result.parse(await requestRaw(method.name, params)) as ResultOf<typeof method>;
		},
		notify: (notification, params) => notifyRaw(notification.name, params),
		requestRaw,
		notifyRaw,
		events: (threadId) => events.get(threadId) ?? [],
		async waitFor(threadId, matches) {
			const known = events.get(threadId)?.find((published) => matches(published.event));
			if (known) return known;
			const coming = Promise.withResolvers<PublishedEvent>();
			const watcher = (of: string, published: PublishedEvent) => {
				if (of === threadId && matches(published.event)) coming.resolve(published);
			};
			watchers.add(watcher);
			const ended = exited.promise.then(({ code, signal }) => {
				throw new Error(`The host ended (${code ?? signal}) before the event came. ${stderr}`);
			});
			const seen = () => (events.get(threadId) ?? []).map(({ event }) => event.type).slice(-20);
			return within(
				Promise.race([coming.promise, ended]),
				PATIENCE_MS,
				() => `the event did not come; last were ${seen().join(", ")}. ${stderr}`,
			).finally(() => watchers.delete(watcher));
		},
		killHard() {
			child.kill("SIGKILL");
			return exited.promise;
		},
		async close() {
			if (child.exitCode !== null || child.signalCode !== null) return exited.promise;
			await requestRaw("shutdown", null);
			notifyRaw("exit", null);
			return within(exited.promise, 5_000, () => `the host did not exit. ${stderr}`).finally(() =>
				child.kill("SIGKILL"),
			);
		},
	};
}

export async function aThread(host: HostProcess, params: ParamsOf<typeof threadStart> = {}): Promise<ThreadId> {
	return (await host.request(threadStart, params)).threadId;
}

export type TurnEnd = Extract<ThreadEvent, { type: "turnCompleted" }>;

export interface TurnOutcome {
	readonly turnId: TurnId;
	readonly end: TurnEnd;
	/** What this turn published, deltas included. */
	readonly published: readonly PublishedEvent[];
	/** Text of the agent's last message. */
	readonly text: string;
}

/** Sends one message and waits until the turn has ended, however it ends. */
export async function runTurn(host: HostProcess, threadId: ThreadId, text: string): Promise<TurnOutcome> {
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text }] });
	return endOfTurn(host, threadId, turnId);
}

/** Starts a turn and waits until the client has seen all that the model said before its gate. */
export async function startHeldTurn(
	host: HostProcess,
	step: Held,
	{ threadId, text = "Go on, tell me." }: { readonly threadId?: ThreadId; readonly text?: string } = {},
): Promise<{ readonly threadId: ThreadId; readonly turnId: TurnId }> {
	const id = threadId ?? (await aThread(host));
	const { turnId } = await host.request(turnStart, { threadId: id, input: [{ kind: "text", text }] });
	await step.reached;
	const isLast = (event: ThreadEvent) =>
		event.type === "itemDelta" && event.turnId === turnId && event.offset + event.text.length === step.before.length;
	if (step.before !== "") await host.waitFor(id, isLast);
	return { threadId: id, turnId };
}

export async function endOfTurn(host: HostProcess, threadId: ThreadId, turnId: TurnId): Promise<TurnOutcome> {
	const { event } = await host.waitFor(threadId, (e) => e.type === "turnCompleted" && e.turnId === turnId);
	const published = host.events(threadId).filter(({ event: e }) => "turnId" in e && e.turnId === turnId);
	const messages = published.flatMap(({ event: e }) =>
		e.type === "itemCompleted" && e.item.kind === "agentMessage" ? [e.item.text] : [],
	);
	return { turnId, end: event as TurnEnd, published, text: messages.at(-1) ?? "" };
}
