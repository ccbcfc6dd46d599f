import { type AgentContext, type ClientCapabilities, methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import { HostError } from "../../protocol/errors.ts";
import { ThreadId } from "../../protocol/ids.ts";
import { quote } from "../../protocol/say.ts";
import { ClientSettings } from "../../protocol/settings/client-settings.ts";
import { mergeSettings, type Settings } from "../../protocol/settings/settings.ts";
import type { ThreadEvent } from "../../protocol/thread/events.ts";
import { SYSTEM_PORTS } from "../../session/ports/system-ports.ts";
import { boundSettings, listModes } from "../caller-settings.ts";
import type { TurnWatch } from "../turn-watch.ts";
import { listOptions, listPlanModes, toChange } from "./config-options.ts";
import type { FolderHost, Hosts } from "./hosts.ts";
import { createUpdates, warnUser } from "./to-updates.ts";

/** Requests of an editor that cannot be cancelled. */
export const NEVER = new AbortController().signal;
export const NO_REPORT = () => undefined;

/** What a prompt can begin with. */
export const ACP_COMMANDS = [
	{ name: "compact", description: "Compact the conversation", input: { hint: "what to keep in focus" } },
	{
		name: "review",
		description: "Review changes in a turn that can only read",
		input: { hint: "what to review; otherwise the uncommitted changes" },
	},
] as const;

/** A session of the editor, which is a thread, and where it runs. */
export interface OpenedSession {
	readonly host: FolderHost;
	readonly threadId: ThreadId;
}

interface ReopenParams {
	readonly sessionId: string;
	readonly cwd: string;
	readonly additionalDirectories?: string[];
	readonly mcpServers?: Parameters<Hosts["open"]>[1];
}

/** Opens a recorded thread in the folders that the editor names. */
export async function reopenSession(hosts: Hosts, params: ReopenParams): Promise<OpenedSession> {
	const threadId = ThreadId.parse(params.sessionId);
	const host = await hosts.open([params.cwd, ...(params.additionalDirectories ?? [])], params.mcpServers ?? []);
	await hosts.release(threadId, host);
	await host.handlers.threadResume({ threadId }, NEVER, NO_REPORT);
	hosts.assign(threadId, host);
	return { host, threadId };
}

/** What the editor shows to choose from, and what is chosen. */
export async function describeSession({ host, threadId }: OpenedSession, user: Settings) {
	const { session, handlers } = host;
	const { settings, held } = await handlers.threadSettings({ threadId, settings: {} }, NEVER, NO_REPORT);
	const current = mergeSettings(session.facts.settings, held, settings);
	const { models } = await Promise.resolve(handlers.modelList({}, NEVER, NO_REPORT)).catch(() => ({ models: [] }));
	const names = models.map(({ id }) => id);
	return { configOptions: listOptions(current, listModes(user), names), modes: listPlanModes(current) };
}

/** Changes one option from the next turn, within what the user allows. */
export async function changeOption(opened: OpenedSession, option: string, value: string, user: Settings) {
	const settings = ClientSettings.safeParse(toChange(option, value));
	if (!settings.success) throw new HostError("settings-refused", quote(`${option} cannot be ${value}.`));
	const { host, threadId } = opened;
	await host.handlers.threadSettings({ threadId, settings: boundSettings(settings.data, user) }, NEVER, NO_REPORT);
	return describeSession(opened, user);
}

interface Told {
	readonly hear: (event: ThreadEvent) => void;
	/** For what is no event of the thread. */
	readonly warn: (text: string) => void;
	/** Resolves when everything is out. */
	readonly sent: () => Promise<void>;
}

/** Tells the editor about events, one after the other. */
export async function tellEvents(
	{ host, threadId }: OpenedSession,
	client: AgentContext,
	options: { readonly capabilities: ClientCapabilities | undefined; readonly isReplay: boolean },
): Promise<Told> {
	const { cwd } = await host.handlers.threadSettings({ threadId, settings: {} }, NEVER, NO_REPORT);
	const toUpdates = createUpdates({ cwd, ...options });
	let sent = Promise.resolve();
	const send = (update: SessionUpdate): void => {
		const notify = () => client.notify(methods.client.session.update, { sessionId: threadId, update });
		sent = sent.then(notify).catch(() => undefined);
	};
	const warn = (text: string) => send(warnUser(text, SYSTEM_PORTS.newId(), options.capabilities));
	return { hear: (event) => toUpdates(event).forEach(send), warn, sent: () => sent };
}

/** Tells an editor about the turns of its sessions while prompts run. */
export interface Telling {
	/** Resolves once events are told. */
	readonly begin: (opened: OpenedSession, tell: () => Promise<Told>) => Promise<BegunTelling>;
}

interface BegunTelling extends Pick<Told, "warn"> {
	/** Resolves when everything is out. */
	readonly end: () => Promise<void>;
}

interface TellingSession {
	readonly begun: Promise<Pick<Told, "warn" | "sent"> & { readonly stop: () => void }>;
	prompts: number;
}

/** Prompts that run at once in a session share one: the editor hears each event once. */
export function createTelling(watch: Pick<TurnWatch, "follow">): Telling {
	const sessions = new Map<ThreadId, TellingSession>();
	return {
		async begin({ threadId }, tell) {
			const follow = async () => {
				const { hear, warn, sent } = await tell();
				return { stop: watch.follow(threadId, ({ event }) => hear(event)), warn, sent };
			};
			const session = sessions.get(threadId) ?? { begun: follow(), prompts: 0 };
			sessions.set(threadId, session);
			session.prompts += 1;
			const leave = (): boolean => {
				session.prompts -= 1;
				return session.prompts === 0 && sessions.delete(threadId);
			};
			const { stop, warn, sent } = await session.begun.catch((error: unknown) => {
				leave();
				throw error;
			});
			const end = (): Promise<void> => {
				if (leave()) stop();
				return sent();
			};
			return { warn, end };
		},
	};
}

/**
 * Tells the editor which commands a prompt can begin with. Called when nothing is awaited before the answer any more:
 * an editor drops what it hears of a session that it does not know yet.
 */
export function tellCommands({ threadId }: OpenedSession, client: AgentContext): void {
	const update = { sessionUpdate: "available_commands_update" as const, availableCommands: [...ACP_COMMANDS] };
	const params = { sessionId: threadId, update };
	// After the answer, which goes out before the next turn of the event loop.
	setImmediate(() => void client.notify(methods.client.session.update, params).catch(() => undefined));
}
