import { BASE_INSTRUCTIONS } from "../context/base-instructions.ts";
import { turnAborted } from "../context/fragments/turn-aborted.ts";
import { HostError } from "../protocol/errors.ts";
import type { Item, PublishedEvent } from "../protocol/events.ts";
import { ThreadId } from "../protocol/ids.ts";
import type { PartialSettings } from "../protocol/settings.ts";
import type { ThreadSummary } from "../protocol/thread.ts";
import { createEventLog } from "../store/event-log.ts";
import { type Home, threadPath } from "../store/home.ts";
import { listStoredThreads, summarize } from "../store/index.ts";
import type { LockThread } from "../store/lock.ts";
import { emptyState, type OpenTurn, replay, type ThreadState } from "../store/replay.ts";
import { type LoadedThread, loadThread } from "../store/segments.ts";
import { createThreadLog, deleteThread, setTornTailAside } from "../store/thread-log.ts";
import { asHistoryItem } from "./fragments.ts";
import { createLiveThread, type Draft, type LiveThread } from "./live-thread.ts";
import type { Ports } from "./ports.ts";
import { HOST_ENDED } from "./turn.ts";

/** The threads of this host: those it has open, and the way to the rest. */
export interface Threads {
	readonly start: (options: { readonly cwd: string | undefined; readonly settings: PartialSettings }) => ThreadId;
	/** Opens a thread and ends a turn that no host is running any more. */
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	readonly list: () => Promise<readonly ThreadSummary[]>;
	readonly remove: (threadId: ThreadId) => Promise<void>;
	readonly all: () => readonly LiveThread[];
}

export function createThreads(home: Home, ports: Ports): Threads {
	const open = new Map<ThreadId, Promise<LiveThread>>();
	const opened = new Map<ThreadId, LiveThread>();
	const load = (threadId: ThreadId): Promise<LiveThread> => {
		const found = open.get(threadId) ?? loadLiveThread(home, ports, threadId);
		open.set(threadId, found);
		found.then(
			(thread) => {
				// Only a thread that is ours stays as it is in memory; another process may write to the rest.
				if (thread.refusal === undefined) opened.set(threadId, thread);
				else open.delete(threadId);
			},
			() => open.delete(threadId),
		);
		return found;
	};
	return {
		start: ({ cwd, settings }) => {
			const threadId = ThreadId.parse(ports.newId());
			const thread = newThread(home, ports, threadId, cwd, settings);
			open.set(threadId, Promise.resolve(thread));
			opened.set(threadId, thread);
			return threadId;
		},
		open: load,
		list: () => {
			const open = [...opened].map(
				([id, thread]) => [id, { ...summarize(thread.state()), running: thread.running !== undefined }] as const,
			);
			return listStoredThreads(home, new Map(open));
		},
		remove: async (threadId) => {
			const thread = await load(threadId).catch((error: unknown) => {
				// What cannot be read can still be removed.
				if (error instanceof HostError && error.kind === "thread-unreadable") return undefined;
				throw error;
			});
			if (thread?.refusal !== undefined) throw thread.refusal;
			thread?.running?.abort.abort();
			await thread?.running?.ended;
			await thread?.close();
			open.delete(threadId);
			opened.delete(threadId);
			if (thread === undefined || thread.state().turns > 0) await deleteThread(home.disk, threadPath(home, threadId));
		},
		all: () => [...opened.values()],
	};
}

function newThread(
	home: Home,
	ports: Ports,
	threadId: ThreadId,
	cwd: string | undefined,
	settings: PartialSettings,
): LiveThread {
	const state = emptyState(threadId, { cwd, settings, baseInstructions: BASE_INSTRUCTIONS }, ports.now());
	const path = threadPath(home, threadId);
	const log = createThreadLog({ disk: home.disk, lock: home.lock, path, last: 0, now: ports.now });
	const events = createEventLog(home.disk, []);
	const publish = (event: PublishedEvent) => ports.publish(threadId, event);
	return createLiveThread({ state, log, events, now: ports.now, publish });
}

async function loadLiveThread(home: Home, ports: Ports, threadId: ThreadId): Promise<LiveThread> {
	const path = threadPath(home, threadId);
	if ((await home.disk.stat(path)) === undefined) throw notFound(threadId);
	const lock = home.problem === undefined ? await home.lock(path) : undefined;
	// Read only once the lock is ours: until then its holder may still be writing.
	const loaded = await loadThread(home.disk, path);
	const state = replayOrNothing(loaded);
	if (state === undefined) {
		if (lock !== undefined && "release" in lock) lock.release();
		throw new HostError("thread-unreadable", `Thread ${threadId} cannot be read: its file has no intact beginning.`);
	}
	if (loaded.damaged > 0)
		ports.log("warning", `Thread ${threadId}: ${loaded.damaged} unreadable records were left out.`);
	const refusal = refusalFor(home, lock, loaded.newer);
	const held = lock !== undefined && "release" in lock ? lock : undefined;
	if (refusal !== undefined) held?.release();
	else await setTornTailAside(home.disk, loaded);
	const log = createThreadLog({
		disk: home.disk,
		lock: home.lock,
		path,
		segment: loaded.path,
		last: state.records,
		now: ports.now,
		held,
		onNewSegment: (file) => ports.log("warning", `The disk failed to save a thread; it goes on in ${file}.`),
	});
	const events = createEventLog(home.disk, loaded.events);
	const publish = (event: PublishedEvent) => ports.publish(threadId, event);
	const thread = createLiveThread({ state, log, events, now: ports.now, publish, refusal });
	if (state.openTurn !== undefined && refusal === undefined) {
		await thread.commit(endAbandonedTurn(state.openTurn), "synced");
	}
	return thread;
}

// The checksums were right, so only somebody who wrote to the file on purpose can make this throw.
function replayOrNothing(loaded: LoadedThread): ThreadState | undefined {
	try {
		return replay(loaded);
	} catch {
		return undefined;
	}
}

function refusalFor(
	home: Home,
	lock: Awaited<ReturnType<LockThread>> | undefined,
	newer: boolean,
): HostError | undefined {
	if (home.problem !== undefined) return new HostError("storage-unavailable", home.problem);
	if (newer) {
		const message = "This thread was written by a newer Vitrine. Update Vitrine to go on with it.";
		return new HostError("thread-unreadable", message);
	}
	if (lock === undefined || "release" in lock) return undefined;
	const message = `This thread is open in another window (process ${lock.owner}). Go on there, or start a new thread here.`;
	return new HostError("thread-busy", message);
}

/** The records a host that died did not get to write: what it had said so far, and that the turn was cut off. */
function endAbandonedTurn(turn: OpenTurn): readonly Draft[] {
	const { turnId, live } = turn;
	const said = live?.itemKind === "agentMessage" && live.text !== "" ? [live] : [];
	const items = [
		...turn.unrecordedInput.map((text) => ({ kind: "userMessage", text }) as const),
		...said.map(({ text }) => ({ kind: "agentMessage", text, cut: true }) as const),
		asHistoryItem(turnAborted.of({ reason: "died" })),
	];
	return [
		...cutItems(turn).map((item): Draft => ({ kind: "event", event: { type: "itemCompleted", turnId, item } })),
		{ kind: "items", turnId, items },
		{ kind: "event", event: { type: "turnCompleted", turnId, status: "interrupted", error: HOST_ENDED } },
	];
}

function cutItems({ live, runningTools }: OpenTurn): readonly Item[] {
	const text = live === undefined ? [] : [{ kind: live.itemKind, id: live.itemId, text: live.text, cut: true }];
	return [...text, ...runningTools.map((tool) => ({ ...tool, status: "interrupted" as const }))];
}

function notFound(threadId: ThreadId): HostError {
	return new HostError("thread-not-found", `There is no thread ${threadId}. It may have been deleted.`);
}
