import { findServers } from "../../capabilities/servers/find.ts";
import { createServers, describeError, type Servers } from "../../capabilities/servers/load.ts";
import { describeServers, offerPrompts, offerTools } from "../../capabilities/servers/offer.ts";
import { readPromptText } from "../../capabilities/servers/read-prompts.ts";
import { readResult } from "../../capabilities/servers/read-result.ts";
import type { KnownServer, Server } from "../../capabilities/servers/server.ts";
import { EDITOR_AS_SERVER, type ServerTool } from "../../envelope/envelope.ts";
import type { Observed } from "../../envelope/resolve-envelope.ts";
import { digestPolicy, digestValue, type Policy } from "../../permissions/policy/policy.ts";
import { isWithin } from "../../permissions/reach/is-within.ts";
import { findForbidding } from "../../permissions/resolve/limit-servers.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ListedServer } from "../../protocol/host/servers.ts";
import { say } from "../../protocol/say.ts";
import type { Managed } from "../../protocol/settings/managed-limits.ts";
import type { ToolPorts } from "../../tools/tool-ports.ts";
import { VERSION } from "../../version.ts";
import { type Facts, layerSettings } from "../facts.ts";
import type { Ports } from "../ports/ports.ts";
import { createEditorTools } from "./editor-tools.ts";
import { explainEnd, explainStart } from "./explain-end.ts";
import { listServers } from "./list-servers.ts";
import { createOpenServer, type OpenServerOptions } from "./open-server.ts";
import { createServerLogs } from "./server-log.ts";
import type { FoundServers } from "./server-places.ts";
import { createServerResources, type ServerResources } from "./server-resources.ts";
import { createSignInServers } from "./sign-in-servers.ts";

export interface ToolServersOptions
	extends Omit<OpenServerOptions, "logs" | "started" | "facts" | "ports" | "authorizations"> {
	readonly facts: Facts;
	readonly ports: Pick<Ports, "now" | "setTimer" | "log" | "serverInput" | "newId" | "signIn" | "editorTools">;
	/** What this machine's administrator allows. */
	readonly limits: () => Promise<readonly Managed[]>;
	/** What plugins and the workspace bring along now, in every place that a thread could use them in. */
	readonly look: () => Promise<FoundServers>;
	readonly changed: () => void;
}

/** What servers offer: the user's, and these of the workspace, without those that are switched off. */
export type ObserveServers = (theirs: readonly Server[], off: readonly string[]) => Promise<Observed["servers"]>;

/** The MCP servers of the user and of the workspace, as turns use them. */
export interface ToolServers extends Pick<Servers, "close"> {
	/** All servers, for display. */
	readonly list: () => Promise<readonly ListedServer[]>;
	/** Starts one that may be used here; returns what came of it. `file`: the one of this file, if several have the name. */
	readonly start: (name: string, file?: string) => Promise<ListedServer>;
	/** Ends it, without a file all of the name; it starts again with the next call. */
	readonly stop: (name: string, file?: string) => Promise<void>;
	/** Signs the user in to one that may be used here, and starts it. */
	readonly signIn: (name: string, file?: string) => Promise<ListedServer>;
	/** False if the user was not signed in. */
	readonly signOut: (name: string, file?: string) => Promise<boolean>;
	readonly resources: ServerResources;
	readonly readLog: (name: string, file?: string) => string;
	/**
	 * What they offer now, for a turn that begins; `theirs`: of the workspace, after consent. In a workspace that is not
	 * trusted nothing is started.
	 */
	readonly observe: ObserveServers;
	/** The same as far as it is known, for a look at the next turn: only a turn starts servers. */
	readonly foresee: ObserveServers;
	readonly callServer: ToolPorts["callServer"];
	readonly readServerPrompt: ToolPorts["readServerPrompt"];
	/**
	 * Trust, folders or settings changed: servers that may now do something else than when they started end, those that
	 * may only do more after what waits for them. All that run are told of changed folders.
	 */
	readonly endOutdated: () => Promise<void>;
}

interface StartedUnder {
	readonly server: Server;
	readonly inForce: Policy;
	readonly limit: (base: Policy) => Policy;
}

function offer(known: readonly KnownServer[]): Observed["servers"] {
	const offers = { listed: describeServers(known, "listed"), found: describeServers(known, "found") };
	return { offers, tools: offerTools(known), prompts: offerPrompts(known) };
}

export function createToolServers(options: ToolServersOptions): ToolServers {
	const { facts, ports, policy, limits, look, changed } = options;
	/** The policy that each server was started under, and what it would be started under otherwise. */
	const startedUnder = new Map<string, StartedUnder>();
	let toldFolders = facts.folders;
	const logs = createServerLogs(ports.now);
	const settings = () => layerSettings(facts.settings).servers;
	/** The user's, and those of the workspace whose names the user does not use. */
	const together = (theirs: readonly Server[]): readonly Server[] => {
		const own = settings();
		return [...findServers(own), ...theirs.filter(({ name }) => !Object.hasOwn(own, name))];
	};
	const wanted = async (theirs: readonly Server[], off: readonly string[] = []): Promise<readonly Server[]> => {
		if (!facts.trusted) return [];
		const managed = await limits();
		return together(theirs).filter(({ name }) => findForbidding(name, managed) === undefined && !off.includes(name));
	};
	const signIns = createSignInServers({
		...{ ports, policy },
		fillWith: () => ({
			...{ folder: facts.folders[0], userHome: options.userHome, environment: options.environment },
			ask: ports.serverInput,
		}),
	});
	const servers = createServers({
		roots: () => facts.folders,
		version: VERSION,
		now: ports.now,
		setTimer: ports.setTimer,
		asksUser: facts.asksUser,
		note: logs.note,
		changed,
		open: createOpenServer({
			...options,
			logs,
			authorizations: signIns.authorizations,
			started: (server, inForce, limit) => void startedUnder.set(server.digest, { server, inForce, limit }),
		}),
	});
	const describeFailure = (server: Server, error: unknown): string => explainEnd(server, describeError(error), logs);
	const describeCallFailure = (server: Server, error: unknown): string =>
		`${server.name} failed: ${describeFailure(server, error)}`;
	const editorTools = createEditorTools(facts, ports, limits);
	const list = async (): Promise<readonly ListedServer[]> => {
		const [found, managed] = [await look(), await limits()];
		const usable = await wanted(found.servers);
		return listServers(
			{ ...found, settings: settings() },
			{
				...{
					known: servers.list().map((one) => explainStart(one, logs)),
					usable,
					managed,
					isSignedIn: signIns.authorizations.isSignedIn,
				},
			},
		);
	};
	const find = async (name: string, file?: string): Promise<Server> => {
		const named = (await wanted((await look()).servers)).filter((one) => one.name === name);
		const server = file === undefined ? named[0] : named.find((one) => one.file?.path === file);
		if (server === undefined) throw new HostError("settings-refused", say("server-off", { name }));
		return server;
	};
	const start = async (server: Server): Promise<ListedServer> => {
		await servers.start(server);
		const { name, file } = server;
		const listed = (await list()).find((one) => one.name === name && one.file === file?.path);
		if (listed === undefined) throw new HostError("settings-refused", say("server-off", { name }));
		return listed;
	};
	const stop: ToolServers["stop"] = (name, file) => servers.stop((server) => isNamed(name, file)({ server }));
	/** Digests of servers that the user's settings no longer have; running turns may still know their tools. */
	const removed = new Set<string>();
	const endRemoved = async (): Promise<void> => {
		const kept = new Set((await wanted([])).map(({ digest }) => digest));
		const own = servers.list().filter(({ server }) => server.file === undefined && server.plugin === undefined);
		removed.clear();
		for (const { server } of own) if (!kept.has(server.digest)) removed.add(server.digest);
		await servers.stop(({ digest }) => removed.has(digest));
	};
	return {
		...{ list, stop, close: servers.close },
		readLog: (name, file) => logs.read(servers.list().find(isNamed(name, file))?.server ?? { name }),
		resources: createServerResources(servers, async () => wanted((await look()).servers), describeFailure),
		start: async (name, file) => start(await find(name, file)),
		signIn: async (name, file) => {
			const server = await find(name, file);
			const known = servers.list().find((one) => one.server.digest === server.digest);
			await signIns.signIn(server, known);
			// What is open was opened without it.
			await stop(name, server.file?.path);
			return start(server);
		},
		signOut: async (name, file) => {
			const server = await find(name, file);
			const isDone = await signIns.signOut(server);
			await stop(name, server.file?.path);
			return isDone;
		},
		observe: async (theirs, off) => editorTools.add(offer(await servers.learn(await wanted(theirs, off))), off),
		foresee: async (theirs, off) => editorTools.add(offer(servers.look(await wanted(theirs, off))), off),
		callServer: (asked) => {
			const { tool, input, owner = "", ask = async () => undefined } = asked;
			if (tool.server === EDITOR_AS_SERVER) return editorTools.call(asked);
			return async (signal, show) => {
				const server = findOffering(servers.list(), tool);
				if (server === undefined || removed.has(server.digest)) {
					return {
						ok: false,
						reason: `${tool.server} no longer offers ${tool.tool} as it did. The next turn sees what it offers.`,
					};
				}
				const { timeoutMs } = server.settings;
				try {
					const onProgress = (text: string) => show(`${text}\n`);
					const call = { tool: tool.tool, input, timeoutMs, onProgress, owner, ask };
					const raw = await servers.call(server, call, signal);
					const { ok, text, image } = readResult(raw);
					return { ...(ok ? { ok, text } : { ok, reason: text }), ...(image && { image }) };
				} catch (error) {
					signal.throwIfAborted();
					return { ok: false, reason: describeCallFailure(server, error) };
				}
			};
		},
		readServerPrompt: async (prompt, input, signal) => {
			const offering = servers.list().find((one) => offerPrompts([one]).some(({ digest }) => digest === prompt.digest));
			if (offering === undefined || removed.has(offering.server.digest))
				return { ok: false, reason: `${prompt.server} no longer offers it as it did.` };
			try {
				const raw = await servers.getPrompt(offering.server, prompt.prompt, input, signal);
				return { ok: true, text: readPromptText(raw) };
			} catch (error) {
				signal.throwIfAborted();
				return { ok: false, reason: describeCallFailure(offering.server, error) };
			}
		},
		async endOutdated() {
			await endRemoved();
			await Promise.all(
				[...startedUnder].map(async ([id, { server, inForce, limit }]) => {
					// A folder that is gone allows nothing.
					const base = await policy(server.file?.root).catch(() => undefined);
					const now = base && limit(base);
					const isMeant = ({ digest }: Server): boolean => digest === server.digest;
					if (now !== undefined && digestPolicy(now) === digestPolicy(inForce)) return;
					if (now !== undefined && isWidened(inForce, now)) return servers.stopAfterUse(isMeant);
					startedUnder.delete(id);
					await servers.stop(isMeant);
				}),
			);
			if (facts.folders === toldFolders) return;
			toldFolders = facts.folders;
			servers.tellRoots();
		},
	};
}

/** Whether nothing that a program has is taken from it. */
function isWidened(before: Policy, now: Policy): boolean {
	const isLimited = digestValue([before.limits, before.managed]) !== digestValue([now.limits, now.managed]);
	return !isLimited && isWithin(before, now);
}

/** Without a file, one of the name wherever it is defined. */
function isNamed(name: string, file: string | undefined): (known: Pick<KnownServer, "server">) => boolean {
	return ({ server }) => server.name === name && (file === undefined || server.file?.path === file);
}

/** The server that still describes the tool as it did when the turn began. */
function findOffering(known: readonly KnownServer[], tool: ServerTool): Server | undefined {
	return known.find((one) => offerTools([one]).some(({ digest }) => digest === tool.digest))?.server;
}
