import { agentsBelow } from "../../protocol/agent.ts";
import { HostError } from "../../protocol/errors.ts";
import { ThreadId, type TurnId } from "../../protocol/ids.ts";
import { asFix, asMessage, listFiles, say } from "../../protocol/say.ts";
import { mergePartialSettings, type PartialSettings } from "../../protocol/settings/settings.ts";
import type { ThreadSummary } from "../../protocol/thread/thread.ts";
import { removeTemporary, sweepTemporary } from "../../sandbox/command/temporary.ts";
import { findThreadFiles, type Home, type ThreadFile, threadPath } from "../../store/home/home.ts";
import { deleteThread } from "../../store/log/thread-log.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { forgetSummaries, listStoredThreads, summarize } from "../../store/threads/list-threads.ts";
import { searchThreads, type Watch } from "../../store/threads/search-threads.ts";
import { sweepHome } from "../../store/threads/sweep-home.ts";
import { forkRecords, importRecords } from "../../store/threads/transfer-thread.ts";
import { repairThread } from "../../store/threads/verify-thread.ts";
import type { Ports } from "../ports/ports.ts";
import type { FullAccess } from "./full-access.ts";
import { readHeld } from "./last-envelope.ts";
import type { LiveThread } from "./live-thread.ts";
import { type BegunThread, busyError, createThread, loadLiveThread } from "./open-thread.ts";

/** The threads of this host: the open ones, and access to the rest. */
export interface Threads {
	readonly start: (begun: BegunThread) => ThreadId;
	/** Opens a thread and ends an abandoned turn. */
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	/** Releases a thread unless it is busy or not on disk. */
	readonly close: (threadId: ThreadId) => Promise<void>;
	readonly list: () => Promise<readonly ThreadSummary[]>;
	/** With the threads of its sub-agents: all of them, or none if another host holds one. */
	readonly remove: (threadId: ThreadId) => Promise<void>;
	/** Threads that contain the words of the query; all of them if it is empty. */
	readonly search: (query: string, watch: Watch) => Promise<readonly (ThreadSummary & { readonly found: string })[]>;
	/** Makes a new thread from one as it was at the end of a turn, or as it is now. */
	readonly fork: (threadId: ThreadId, throughTurnId: TurnId | undefined) => Promise<ThreadId>;
	/** The same for a sub-agent; undefined if no turn has ended. */
	readonly forkForAgent: (threadId: ThreadId, begun: BegunThread) => Promise<ThreadId | undefined>;
	/** Makes a thread from exported records. */
	readonly importThread: (text: string) => Promise<ThreadId>;
	/** Removes unreadable records; returns how many there were. */
	readonly repair: (threadId: ThreadId) => Promise<number>;
	readonly all: () => readonly LiveThread[];
}

/** Limit for idle threads in memory; other hosts may take over the rest. */
export const MAX_IDLE_THREADS = 16;

export function createThreads(
	home: Home,
	ports: Ports,
	/** Ends the background commands of a thread; resolves when they are gone. */
	endCommands: (threadId: ThreadId) => Promise<void>,
	full: FullAccess,
): Threads {
	const open = new Map<ThreadId, Promise<LiveThread>>();
	const opened = new Map<ThreadId, LiveThread>();
	/** Threads that are being released; none is opened again before that is done. */
	const closing = new Map<ThreadId, Promise<void>>();
	/** Once per host. */
	let swept: Promise<void> | undefined;
	let hasWarned = false;
	let hasWarnedOfMissing = false;
	const load = (threadId: ThreadId): Promise<LiveThread> => {
		const known = open.get(threadId);
		const found = known ?? loadWhenClosed(threadId);
		open.set(threadId, found);
		found.then(
			(thread) => {
				if (open.get(threadId) !== found) return;
				// Only a thread that we hold stays unchanged in memory; another process may write to the rest.
				if (thread.refusal === undefined) {
					// The most recently used one is the last.
					opened.delete(threadId);
					opened.set(threadId, thread);
					if (known === undefined) closeIdle();
				} else open.delete(threadId);
			},
			() => open.delete(threadId),
		);
		return found;
	};
	const loadWhenClosed = async (threadId: ThreadId): Promise<LiveThread> => {
		await closing.get(threadId);
		const thread = await loadLiveThread(home, ports, threadId, full);
		warnOfKey();
		return thread;
	};
	const warnOfKey = (): void => {
		const problem = home.seals.problem();
		if (problem === undefined || hasWarned) return;
		hasWarned = true;
		ports.warn({ code: "seals", ...asMessage(problem), ...asFix(say("seals-fix")) });
	};
	const warnOfMissing = async (files: readonly ThreadFile[], listed: readonly ThreadSummary[]): Promise<void> => {
		if (hasWarnedOfMissing || files.length === listed.length) return;
		const there = new Set(listed.map(({ threadId }) => threadId));
		// An empty one may be a thread that another window has just begun, and holds nothing that could be missing.
		const unlisted = files.filter(({ threadId, size }) => size > 0 && !there.has(threadId));
		// Another window may have deleted one meanwhile.
		const found = await Promise.all(unlisted.map(({ path }) => home.disk.stat(path).catch(() => undefined)));
		const missing = unlisted.filter((_, index) => found[index] !== undefined);
		if (hasWarnedOfMissing || missing.length === 0) return;
		hasWarnedOfMissing = true;
		const said = say("threads-missing", { files: listFiles(missing.map(({ path }) => path)) });
		ports.warn({ code: "threads", ...asMessage(said), ...asFix(say("threads-missing-fix")) });
	};
	/** Closes the least recently used threads, except busy ones and ones that are not on disk. */
	const closeIdle = (): void => {
		const idle = [...opened].filter(([, thread]) => isIdle(thread));
		for (const [id, thread] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_THREADS))) closeOne(id, thread);
	};
	const isIdle = (thread: LiveThread): boolean =>
		thread.running === undefined && !thread.isStarting && thread.reserved === undefined && thread.state().written;
	const closeOne = (id: ThreadId, thread: LiveThread): void => {
		open.delete(id);
		opened.delete(id);
		const closed = thread.close().catch(() => undefined);
		closing.set(
			id,
			closed.finally(() => closing.delete(id)),
		);
	};
	/** Ends this host's work on a thread. Undefined if it cannot be read; rejects if another host holds it. */
	const endWork = async (threadId: ThreadId): Promise<LiveThread | undefined> => {
		const thread = await load(threadId).catch((error: unknown) => {
			if (error instanceof HostError && error.kind === "thread-unreadable") return undefined;
			throw error;
		});
		if (thread?.refusal !== undefined) throw thread.refusal;
		thread?.running?.abort.abort();
		await thread?.running?.ended;
		return thread;
	};
	const release = async (threadId: ThreadId, last?: () => Promise<void>): Promise<LiveThread | undefined> => {
		const thread = await endWork(threadId);
		await thread?.close(last);
		open.delete(threadId);
		opened.delete(threadId);
		return thread;
	};
	const removeOne = async (threadId: ThreadId): Promise<void> => {
		const path = threadPath(home, threadId);
		// While we still hold the lock: the next holder finds no thread, never half of one.
		const remove = async () => {
			await deleteThread(home.disk, path);
			await removeTemporary(home.folder, threadId);
		};
		const thread = await release(threadId, remove);
		if (thread === undefined) await remove();
	};
	return {
		start: (begun) => {
			const threadId = ThreadId.parse(ports.newId());
			const thread = createThread(home, ports, threadId, begun);
			full.note(threadId, begun.settings);
			open.set(threadId, Promise.resolve(thread));
			opened.set(threadId, thread);
			closeIdle();
			return threadId;
		},
		open: load,
		close: async (threadId) => {
			const thread = opened.get(threadId);
			if (thread !== undefined && isIdle(thread)) closeOne(threadId, thread);
			await closing.get(threadId);
		},
		list: async () => {
			// Leftovers only take up space and must not prevent the list from showing.
			if (home.problem === undefined) swept ??= sweepAll(home).catch(() => undefined);
			await swept;
			const open = [...opened].map(
				([id, thread]) => [id, { ...summarize(thread.state()), running: thread.running !== undefined }] as const,
			);
			const files = await findThreadFiles(home);
			const listed = await listStoredThreads(home, new Map(open), files);
			await warnOfMissing(files, listed);
			return listed;
		},
		remove: async (threadId) => {
			// Its turn ends first, so that it starts no other sub-agent.
			await endWork(threadId);
			const below = agentsBelow(await listStoredThreads(home, new Map()), threadId);
			// Nothing is deleted if one of them cannot be.
			for (const agent of below) await endWork(agent);
			await Promise.all([threadId, ...below].map(endCommands));
			for (const one of below.toReversed()) await removeOne(one);
			await removeOne(threadId);
			await forgetSummaries(home, [...below, threadId]);
		},
		search: async (query, watch) => {
			const files = await findThreadFiles(home);
			const summaries = await listStoredThreads(home, new Map(), files);
			if (query === "") return summaries.map((summary) => ({ ...summary, found: summary.preview }));
			const found = new Map((await searchThreads(home, files, query, watch)).map((row) => [row.threadId, row.found]));
			return summaries.flatMap((summary) => {
				const text = found.get(summary.threadId);
				return text === undefined ? [] : [{ ...summary, found: text }];
			});
		},
		fork: async (threadId, throughTurnId) => {
			if (home.problem !== undefined) throw new HostError("storage-unavailable", home.problem);
			const state = full.held((await load(threadId)).state());
			const { held, cwd, baseInstructions } = state;
			const copy = ThreadId.parse(ports.newId());
			const now = {
				settings: settingsOfFork(state),
				baseInstructions,
				...(held && { held }),
				...(cwd === undefined ? {} : { cwd }),
			};
			if (state.written && (await forkRecords(home, threadId, copy, throughTurnId, now))) return copy;
			throw new HostError("input-refused", say("nothing-to-fork"));
		},
		forkForAgent: async (threadId, { agent, settings, cwd }) => {
			const { baseInstructions } = (await load(threadId)).state();
			const copy = ThreadId.parse(ports.newId());
			const now = { settings, baseInstructions, ...(agent && { agent }), ...(cwd === undefined ? {} : { cwd }) };
			return (await forkRecords(home, threadId, copy, undefined, now)) ? copy : undefined;
		},
		importThread: async (text) => {
			if (home.problem !== undefined) throw new HostError("storage-unavailable", home.problem);
			const threadId = ThreadId.parse(ports.newId());
			await importRecords(home, threadId, text, ports.now());
			return threadId;
		},
		repair: async (threadId) => {
			if (opened.get(threadId)?.state().written === false) return 0;
			await release(threadId);
			const lock = await home.lock(threadPath(home, threadId));
			if (!("release" in lock)) throw busyError(lock.owner);
			try {
				return await repairThread(home, threadId);
			} finally {
				lock.release();
			}
		},
		all: () => [...opened.values()],
	};
}

/** A sub-agent's thread has its rights from its parent, which a fork does not work for: it keeps those of the last turn. */
function settingsOfFork({ settings, agent, envelope }: ThreadState): PartialSettings {
	if (agent === undefined) return settings;
	const { permissions, approval } = readHeld(envelope) ?? {};
	const rights = { ...(permissions && { permissions }), ...(approval && { approval }) };
	// Its own settings go first: they are read-only if its records cannot be trusted.
	return mergePartialSettings(rights, settings, agent.readsOnly ? { permissions: { mode: "readOnly" } } : {});
}

/** Removes leftovers of interrupted deletions, and temporary files of deleted threads. */
async function sweepAll(home: Home): Promise<void> {
	await sweepHome(home);
	const names = await home.disk.list(home.threads).catch(() => undefined);
	// If they cannot be listed, none counts as deleted.
	if (names === undefined) return;
	const threads = names.flatMap((name) => /^(.*)\.jsonl(?:\.\d+|\.intact)?$/.exec(name)?.[1] ?? []);
	await sweepTemporary(home.folder, new Set(threads));
}
