import type { Transport } from "@modelcontextprotocol/client";
import { readCatalogue } from "./catalogue.ts";
import { type Connection, connect, type ToolCall } from "./connection.ts";
import { plainText } from "./plain-text.ts";
import type { Catalogue, KnownServer, Server, ServerState } from "./server.ts";

/** A server that does not answer by then has failed. */
const START_MS = 30_000;
/** A server that is not used for this long is stopped. */
const IDLE_MS = 600_000;
/** A turn waits no longer than this for servers that it does not know yet. */
const LEARN_MS = 10_000;
/** A server that failed is not started again for a turn until this time has passed. */
const RETRY_MS = 60_000;
const MAX_REASON_CHARS = 500;

/** The effects that servers need. */
export interface ServerEffects {
	readonly open: (server: Server) => Promise<Transport>;
	readonly roots: () => readonly string[];
	readonly version: string;
	readonly now: () => number;
	readonly setTimer: (ms: number, work: () => void) => () => void;
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
	readonly call: (server: Server, call: ToolCall, signal: AbortSignal) => Promise<unknown>;
	/** All that were used, for display. */
	readonly list: () => readonly KnownServer[];
	/** Ends a server; it starts again with the next call. */
	readonly stop: (name: string) => Promise<void>;
	readonly close: () => Promise<void>;
}

interface Entry {
	readonly server: Server;
	state: ServerState;
	catalogue: Catalogue | undefined;
	connection: Promise<Connection> | undefined;
	failedAt: number;
	cancelIdle: () => void;
}

export function createServers(effects: ServerEffects): Servers {
	const entries = new Map<string, Entry>();
	const entryOf = (server: Server): Entry => {
		const known = entries.get(server.digest);
		if (known !== undefined) return known;
		const entry: Entry = {
			server,
			state: { kind: "idle" },
			catalogue: undefined,
			connection: undefined,
			failedAt: Number.NEGATIVE_INFINITY,
			cancelIdle: () => undefined,
		};
		// The same name with other settings replaces it.
		for (const [digest, other] of entries) {
			if (other.server.name !== server.name) continue;
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
		entry.cancelIdle = effects.setTimer(IDLE_MS, () => void end(entry));
	};
	const end = async (entry: Entry): Promise<void> => {
		const { connection } = entry;
		entry.connection = undefined;
		entry.cancelIdle();
		if (connection === undefined) return;
		await connection.then((open) => open.close()).catch(() => undefined);
		if (entry.state.kind !== "failed") set(entry, { kind: "idle" });
	};
	const open = (entry: Entry): Promise<Connection> => {
		keepAlive(entry);
		entry.connection ??= start(entry).catch((error: unknown) => {
			entry.connection = undefined;
			entry.failedAt = effects.now();
			set(entry, { kind: "failed", reason: describeError(error) });
			throw error;
		});
		return entry.connection;
	};
	const start = async (entry: Entry): Promise<Connection> => {
		set(entry, { kind: "starting" });
		const signal = AbortSignal.timeout(START_MS);
		const transport = await effects.open(entry.server);
		try {
			const connection = await connect(
				transport,
				{
					roots: effects.roots,
					version: effects.version,
					changed: () => void relearn(entry),
					closed: () => {
						if (entry.connection === undefined) return;
						entry.connection = undefined;
						entry.cancelIdle();
						set(entry, { kind: "idle" });
					},
				},
				signal,
			);
			entry.catalogue = readCatalogue(await connection.listTools(signal));
			set(entry, { kind: "running" });
			return connection;
		} catch (error) {
			await transport.close().catch(() => undefined);
			throw error;
		}
	};
	/** A list that cannot be read again leaves the old one. */
	const relearn = async (entry: Entry): Promise<void> => {
		const listed = await entry.connection
			?.then((open) => open.listTools(AbortSignal.timeout(START_MS)))
			.catch(() => undefined);
		if (listed === undefined) return;
		entry.catalogue = readCatalogue(listed);
		effects.changed();
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
		async call(server, call, signal) {
			const entry = entryOf(server);
			const connection = await open(entry);
			try {
				return await connection.callTool(call, signal);
			} finally {
				if (entry.connection !== undefined) keepAlive(entry);
			}
		},
		list: () => [...entries.values()].map(describe),
		async stop(name) {
			await Promise.all([...entries.values()].filter(({ server }) => server.name === name).map(end));
		},
		async close() {
			await Promise.all([...entries.values()].map(end));
		},
	};
}

function describe({ server, state, catalogue }: Entry): KnownServer {
	return { server, state, catalogue };
}

/** What a library or a server says about a failure, in a line. */
export function describeError(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	return plainText(text.replaceAll(/\s+/g, " "), MAX_REASON_CHARS);
}
