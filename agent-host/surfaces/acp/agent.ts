import {
	type AgentApp,
	agent,
	type ClientCapabilities,
	methods,
	PROTOCOL_VERSION,
	RequestError,
} from "@agentclientprotocol/sdk";
import { HostError } from "../../protocol/errors.ts";
import { ThreadId } from "../../protocol/ids.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { VERSION } from "../../version.ts";
import { matchFolder } from "../match-folder.ts";
import type { TurnWatch } from "../turn-watch.ts";
import {
	changeOption,
	createTelling,
	describeSession,
	NEVER,
	NO_REPORT,
	type OpenedSession,
	reopenSession,
	tellCommands,
} from "./agent-session.ts";
import type { Hosts } from "./hosts.ts";
import { replaySession, runPrompt } from "./run-prompt.ts";

const LIST_PAGE = 1_000;
const INTERNAL_ERROR = -32_603;

export const AGENT_CAPABILITIES = {
	loadSession: true,
	promptCapabilities: { image: true, embeddedContext: true },
	mcpCapabilities: { http: true },
	sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
} as const;

export interface AgentDesk {
	readonly hosts: Hosts;
	readonly watch: TurnWatch;
	/** The user's own settings: an editor can only be stricter. */
	readonly user: Settings;
}

/** The agent as an editor sees it over the Agent Client Protocol. */
export function createAgent({ hosts, watch, user }: AgentDesk): AgentApp {
	let capabilities: ClientCapabilities | undefined;
	/** How often the prompts of a session were cancelled. */
	const cancels = new Map<ThreadId, number>();
	const countCancels = (threadId: ThreadId): number => cancels.get(threadId) ?? 0;
	const cancel = async ({ host, threadId }: OpenedSession): Promise<void> => {
		cancels.set(threadId, countCancels(threadId) + 1);
		await host.session.interrupt(threadId);
	};
	const telling = createTelling(watch);
	const { session: of } = methods.agent;

	const find = ({ sessionId }: { readonly sessionId: string }): OpenedSession => ({
		host: hosts.find(sessionId),
		threadId: ThreadId.parse(sessionId),
	});
	return agent({ name: "vitrine" })
		.onRequest(methods.agent.initialize, ({ params }) => {
			capabilities = params.clientCapabilities;
			return {
				protocolVersion: PROTOCOL_VERSION,
				agentInfo: { name: "vitrine", title: "Vitrine", version: VERSION },
				agentCapabilities: AGENT_CAPABILITIES,
				authMethods: [],
			};
		})
		.onRequest(of.new, ({ params, client }) =>
			answer(async () => {
				const host = await hosts.open([params.cwd, ...(params.additionalDirectories ?? [])], params.mcpServers);
				const { threadId } = await host.handlers.threadStart({ cwd: params.cwd, settings: {} }, NEVER, NO_REPORT);
				hosts.assign(threadId, host);
				const opened = { host, threadId };
				const described = await describeSession(opened, user);
				tellCommands(opened, client);
				return { sessionId: threadId, ...described };
			}),
		)
		.onRequest(of.load, ({ params, client }) =>
			answer(async () => {
				const opened = await reopenSession(hosts, params);
				await replaySession(opened, { client, capabilities });
				const described = await describeSession(opened, user);
				tellCommands(opened, client);
				return described;
			}),
		)
		.onRequest(of.resume, ({ params, client }) =>
			answer(async () => {
				const opened = await reopenSession(hosts, params);
				const described = await describeSession(opened, user);
				tellCommands(opened, client);
				return described;
			}),
		)
		.onRequest(of.list, ({ params }) =>
			answer(async () => {
				const { handlers } = await hosts.open([], []);
				const cursor = params.cursor ?? undefined;
				const { threads, nextCursor } = await handlers.threadList({ cursor, limit: LIST_PAGE }, NEVER, NO_REPORT);
				const isWanted = params.cwd == null ? () => true : matchFolder(params.cwd);
				// The threads of sub-agents are part of the sessions that started them.
				const sessions = threads.flatMap(({ threadId, cwd, title, preview, updatedAt, agent: subAgent }) =>
					cwd === undefined || subAgent !== undefined || !isWanted(cwd)
						? []
						: [{ sessionId: threadId, cwd, title: title || preview, updatedAt: new Date(updatedAt).toISOString() }],
				);
				return { sessions, ...(nextCursor === undefined ? {} : { nextCursor }) };
			}),
		)
		.onRequest(of.delete, ({ params }) =>
			answer(async () => {
				const threadId = ThreadId.parse(params.sessionId);
				const host = await hosts.findAny(threadId);
				// Its turn ends with it.
				cancels.set(threadId, countCancels(threadId) + 1);
				await Promise.resolve(host.handlers.threadDelete({ threadId }, NEVER, NO_REPORT)).catch(unlessMissing);
				hosts.forget(threadId);
				return {};
			}),
		)
		.onRequest(of.close, ({ params }) =>
			answer(async () => {
				const opened = find(params);
				await cancel(opened);
				await opened.host.session.threads.close(opened.threadId);
				return {};
			}),
		)
		.onRequest(of.setMode, ({ params }) =>
			answer(async () => {
				await changeOption(find(params), "collaboration", params.modeId, user);
				return {};
			}),
		)
		.onRequest(of.setConfigOption, ({ params }) =>
			answer(async () => {
				const { configOptions } = await changeOption(find(params), params.configId, String(params.value), user);
				return { configOptions };
			}),
		)
		.onNotification(of.cancel, ({ params }) => cancel(find(params)))
		.onRequest(of.prompt, ({ params, client, signal }) =>
			answer(() => {
				const opened = find(params);
				// An editor can also cancel the request itself.
				signal.addEventListener("abort", () => void cancel(opened).catch(() => undefined), { once: true });
				const before = countCancels(opened.threadId);
				const isCancelled = () => countCancels(opened.threadId) > before;
				return runPrompt(opened, params.prompt, watch, { client, capabilities, telling, signal, isCancelled });
			}),
		);
}

/** What is not there need not be deleted. */
function unlessMissing(error: unknown): void {
	if (!(error instanceof HostError && error.kind === "thread-not-found")) throw error;
}

/** Failures that a person can act on keep their sentence. */
async function answer<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof HostError) throw new RequestError(INTERNAL_ERROR, error.message, { kind: error.kind });
		throw error;
	}
}
