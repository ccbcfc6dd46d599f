import type { Transport } from "@modelcontextprotocol/client";
import { readLists } from "./catalogue.ts";
import { type Connection, connect } from "./connection.ts";
import { plainText } from "./plain-text.ts";
import { type AskingCall, type Called, createCalls } from "./running-calls.ts";
import type { Catalogue, KnownServer, Server, ServerState } from "./server.ts";
import { SignInNeeded } from "./sign-in/authorize-fetch.ts";

/** A server that does not answer by then has failed. */
const START_MS = 30_000;
/** A server that is not used for this long is stopped. */
const IDLE_MS = 600_000;
/** A turn waits no longer than this for servers that it does not know yet. */
const LEARN_MS = 10_000;
/** A server that failed is not started again for a turn until this time has passed. */
const RETRY_MS = 60_000;
const MAX_REASON_CHARS = 500;

/** A server that waits for its user: only a start by hand asks again. */
export class NotGiven extends Error {}

/** The effects that servers need. */
export interface ServerEffects {
	/** May ask the user for something, which takes as long as it takes. */
	readonly open: (server: Server) => Promise<Transport>;
	readonly roots: () => readonly string[];
	readonly version: string;
	readonly now: () => number;
	readonly setTimer: (ms: number, work: () => void) => () => void;
	/** Whether a user can be asked what a server wants to know. */
	readonly asksUser: boolean;
	/** For the server's own log. */
	readonly note: (server: Server, line: string) => void;
	/** State or tools of a server changed. */
	readonly changed: () => void;
}

/** The running MCP servers of a host, shared by its threads. Nothing runs before it is needed. */
export interface Servers {
	/** What the servers offer, asked for once; those that take too long, or fail, offer nothing. */
	readonly learn: (servers: readonly Server[]) => Promise<readonly KnownServer[]>;
	/** What is known of them without starting any. */
	readonly look: (servers: readonly Server[]) => readonly KnownServer[];
	/** Calls a tool; starts its server if needed. */
	readonly call: (server: Server, call: AskingCall, signal: AbortSignal) => Promise<unknown>;
	/** The messages of a prompt, unchecked; starts its server if needed. */
	readonly getPrompt: (
		server: Server,
		name: string,
		input: Readonly<Record<string, string>>,
		signal: AbortSignal,
	) => Promise<unknown>;
	/** The contents of a resource, unchecked; starts its server if needed. */
	readonly readResource: (server: Server, uri: string, signal: AbortSignal) => Promise<unknown>;
	/** Starts a server, also one that failed a moment ago. */
	readonly start: (server: Server) => Promise<void>;
	/** All that were used, for display. */
	readonly list: () => readonly KnownServer[];
	/** Ends servers; each starts again with the next call. */
	readonly stop: (isMeant: (server: Server) => boolean) => Promise<void>;
	/** The same for servers that may finish what waits for them. */
	readonly stopAfterUse: (isMeant: (server: Server) => boolean) => Promise<void>;
	/** Tells those that run that their folders have changed. */
	readonly tellRoots: () => void;
	readonly close: () => Promise<void>;
}

interface Entry extends Called {
	state: ServerState;
	catalogue: Catalogue | undefined;
	/** How often its lists were asked for, and which of these times the catalogue is from. */
	listings: number;
	listing: number;
	connection: Promise<Connection> | undefined;
	failedAt: number;
	/** How much waits for it: calls, prompts and resources. */
	uses: number;
	endsAfterUse: boolean;
	cancelIdle: () => void;
	/** A start that is under way goes no further. */
	cancelStart: () => void;
}

export function createServers(effects: ServerEffects): Servers {
	const entries = new Map<string, Entry>();
	const calls = createCalls(effects);
	const entryOf = (server: Server): Entry => {
		const known = entries.get(server.digest);
		if (known !== undefined) return known;
		const entry: Entry = {
			server,
			state: { kind: "idle" },
			catalogue: undefined,
			listings: 0,
			listing: 0,
			connection: undefined,
			failedAt: Number.NEGATIVE_INFINITY,
			calls: new Set(),
			uses: 0,
			endsAfterUse: false,
			cancelIdle: () => undefined,
			cancelStart: () => undefined,
		};
		// The same name with other settings replaces it; another folder of the workspace may have one of its own.
		for (const [digest, other] of entries) {
			if (other.server.name !== server.name || other.server.file?.path !== server.file?.path) continue;
			entries.delete(digest);
			void end(other);
		}
		entries.set(server.digest, entry);
		return entry;
	};
	const set = (entry: Entry, state: ServerState): void => {
		entry.state = state;
		effects.changed();
	};
	const keepAlive = (entry: Entry): void => {
		entry.cancelIdle();
		if (entry.uses > 0) return;
		entry.cancelIdle = effects.setTimer(IDLE_MS, () => void end(entry));
	};
	const end = async (entry: Entry): Promise<void> => {
		const { connection } = entry;
		entry.connection = undefined;
		entry.endsAfterUse = false;
		entry.cancelIdle();
		entry.cancelStart();
		if (connection === undefined) return;
		await connection.then((open) => open.close()).catch(() => undefined);
		// Meanwhile another one may have been opened, whose state it is.
		if (entry.connection !== undefined) return;
		if (entry.state.kind === "running" || entry.state.kind === "starting") set(entry, { kind: "idle" });
	};
	const endAll = async (ending: readonly Entry[]): Promise<void> => {
		await Promise.all(ending.map(end));
	};
	const findMeant = (isMeant: (server: Server) => boolean): readonly Entry[] =>
		[...entries.values()].filter(({ server }) => isMeant(server));
	const open = (entry: Entry): Promise<Connection> => {
		keepAlive(entry);
		if (entry.connection !== undefined) return entry.connection;
		const stop = new AbortController();
		const isCurrent = (): boolean => entry.connection === opening;
		const opening: Promise<Connection> = start(entry, isCurrent, stop.signal).catch((error: unknown) => {
			if (stop.signal.aborted) throw stop.signal.reason;
			if (entry.connection === undefined || entry.connection === opening) {
				entry.connection = undefined;
				entry.failedAt = error instanceof NotGiven ? Number.POSITIVE_INFINITY : effects.now();
				set(entry, describeFailure(error));
			}
			throw error;
		});
		entry.connection = opening;
		entry.cancelStart = () => stop.abort(new Error("It was stopped before it had started."));
		return opening;
	};
	/**
	 * Does something over an open connection, which is not idle however long that takes. It is done again, once, over a
	 * new connection if the server has forgotten the old one.
	 */
	const use = async <T>(entry: Entry, work: (connection: Connection) => Promise<T>): Promise<T> => {
		entry.uses += 1;
		try {
			const opened = open(entry);
			const connection = await opened;
			return await work(connection).catch(async (error: unknown) => {
				if (!connection.isForgotten(error)) throw error;
				if (entry.connection === opened) await end(entry);
				return work(await open(entry));
			});
		} finally {
			entry.uses -= 1;
			if (entry.uses === 0 && entry.endsAfterUse) void end(entry);
			if (entry.connection !== undefined) keepAlive(entry);
		}
	};
	/** `isCurrent`: whether it has neither ended nor been followed by another one. */
	const start = async (entry: Entry, isCurrent: () => boolean, stop: AbortSignal): Promise<Connection> => {
		set(entry, { kind: "starting" });
		// What it waits for may be its user. A transport that comes too late has opened nothing yet.
		const transport = await orAborted(effects.open(entry.server), stop);
		const late = AbortSignal.timeout(START_MS);
		const signal = AbortSignal.any([late, stop]);
		try {
			const connection = await connect(
				transport,
				{
					roots: effects.roots,
					version: effects.version,
					elicit: effects.asksUser ? (params, asked) => calls.elicit(entry, params, asked) : undefined,
					changed: () => void relearn(entry),
					closed: () => {
						if (!isCurrent()) return;
						entry.connection = undefined;
						entry.cancelIdle();
						set(entry, { kind: "idle" });
					},
				},
				signal,
			);
			await learnLists(entry, connection, signal);
			if (isCurrent()) set(entry, { kind: "running" });
			return connection;
		} catch (error) {
			await transport.close().catch(() => undefined);
			throw late.aborted ? new Error(`It did not answer within ${START_MS / 1_000} s.`) : error;
		}
	};
	/** Of several lists the one that was asked for last counts, whichever comes last. */
	const learnLists = async (entry: Entry, connection: Connection, signal: AbortSignal): Promise<void> => {
		entry.listings += 1;
		const listing = entry.listings;
		const listed = await readLists(connection, signal);
		if (listing < entry.listing) return;
		entry.listing = listing;
		entry.catalogue = listed;
	};
	/** A list that cannot be read again leaves the old one. */
	const relearn = async (entry: Entry): Promise<void> => {
		await entry.connection
			?.then((open) => learnLists(entry, open, AbortSignal.timeout(START_MS)))
			.then(effects.changed, () => undefined);
	};
	const isWorthStarting = (entry: Entry): boolean =>
		entry.catalogue === undefined && effects.now() - entry.failedAt > RETRY_MS;

	return {
		async learn(servers) {
			const wanted = servers.map(entryOf);
			const starting = wanted.filter(isWorthStarting).map((entry) => open(entry).catch(() => undefined));
			if (starting.length > 0) {
				const late = Promise.withResolvers<void>();
				const cancel = effects.setTimer(LEARN_MS, late.resolve);
				await Promise.race([Promise.all(starting), late.promise]);
				cancel();
			}
			return wanted.map(describe);
		},
		look: (servers) => servers.map((server) => describe(entryOf(server))),
		call: (server, call, signal) => {
			const entry = entryOf(server);
			const shown = describeTool(entry, call.tool);
			const run = async (connection: Connection): Promise<unknown> => {
				// What was shown to the user is what the server said before it was started again.
				if (shown !== undefined && describeTool(entry, call.tool) !== shown)
					throw new Error(`It no longer offers ${call.tool} as it did. The next turn sees what it offers.`);
				return calls.run(connection, entry, call, signal);
			};
			return use(entry, run).catch((error: unknown) => {
				if (error instanceof SignInNeeded) set(entry, describeFailure(error));
				throw error;
			});
		},
		getPrompt: (server, name, input, signal) =>
			use(entryOf(server), (connection) => connection.getPrompt(name, input, signal)),
		readResource: (server, uri, signal) => use(entryOf(server), (connection) => connection.readResource(uri, signal)),
		start: async (server) => {
			await open(entryOf(server)).catch(() => undefined);
		},
		list: () => [...entries.values()].map(describe),
		stop: (isMeant) => endAll(findMeant(isMeant)),
		stopAfterUse: (isMeant) => {
			const meant = findMeant(isMeant);
			for (const entry of meant) entry.endsAfterUse = true;
			return endAll(meant.filter(({ uses }) => uses === 0));
		},
		tellRoots() {
			for (const { connection } of entries.values())
				void connection?.then((open) => open.tellRoots()).catch(() => undefined);
		},
		close: () => endAll([...entries.values()]),
	};
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	const aborted = Promise.withResolvers<never>();
	signal.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
	return Promise.race([work, aborted.promise]);
}

function describeFailure(error: unknown): ServerState {
	if (error instanceof SignInNeeded) return { kind: "signIn", challenge: error.challenge };
	return { kind: "failed", reason: describeError(error) };
}

function describe({ server, state, catalogue }: Entry): KnownServer {
	return { server, state, catalogue };
}

function describeTool({ catalogue }: Entry, name: string): string | undefined {
	return JSON.stringify(catalogue?.tools.find((tool) => tool.name === name));
}

/** What a library or a server says about a failure, in a line. */
export function describeError(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	return plainText(text.replaceAll(/\s+/g, " "), MAX_REASON_CHARS);
}
