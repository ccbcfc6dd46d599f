import { BASE_INSTRUCTIONS } from "../../context/base-instructions.ts";
import { turnAborted } from "../../context/fragments/turn-aborted.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { runsWithBuild } from "../../permissions/resolve/build-names.ts";
import type { AgentHeader } from "../../protocol/agent.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import type { PublishedEvent } from "../../protocol/thread/events.ts";
import type { Item } from "../../protocol/thread/item.ts";
import type { Disk } from "../../store/home/disk.ts";
import { type Home, threadPath } from "../../store/home/home.ts";
import type { LockThread } from "../../store/home/lock.ts";
import { readActiveCompactions } from "../../store/log/active-compactions.ts";
import { type Blobs, openBlobs } from "../../store/log/blobs.ts";
import { createEventLog } from "../../store/log/event-log.ts";
import { finishRepair, intactPath } from "../../store/log/finish-repair.ts";
import { createKeeper, type Keeper, type KeeperOptions } from "../../store/log/keep-growing.ts";
import { leastToKeep, openKeptState } from "../../store/log/kept-state.ts";
import { type LoadedThread, loadThread, readAdded } from "../../store/log/load-thread.ts";
import { createThreadLog, setTornTailAside, storageFailure } from "../../store/log/thread-log.ts";
import type { Proof } from "../../store/records/admit-records.ts";
import { emptyState, type OpenTurn, type ThreadState } from "../../store/records/thread-state.ts";
import type { Ports } from "../ports/ports.ts";
import { filesChangedRecords } from "./files-changed.ts";
import { doubtRecords, type FullAccess, trustedState } from "./full-access.ts";
import { readWorkspace } from "./last-envelope.ts";
import { createLiveThread, type Draft, type LiveThread, type Tail } from "./live-thread.ts";
import { HOST_ENDED } from "./running-turn.ts";

/** What a thread begins with. */
export interface BegunThread {
	readonly cwd: string | undefined;
	readonly settings: PartialSettings;
	/** Set if it belongs to a sub-agent. */
	readonly agent?: AgentHeader | undefined;
}

/** A thread that is not on disk yet. */
export function createThread(home: Home, ports: Ports, threadId: ThreadId, begun: BegunThread): LiveThread {
	const source = begun.agent === undefined ? "user" : "agent";
	const state = emptyState(threadId, { ...begun, source, baseInstructions: BASE_INSTRUCTIONS }, ports.now());
	const path = threadPath(home, threadId);
	const blobs = openBlobs(home.disk, path);
	const sealing = { seals: home.seals, threadId, after: "" };
	const log = createThreadLog({ disk: home.disk, lock: home.lock, path, blobs, last: 0, now: ports.now, sealing });
	// This host has written everything in this thread.
	const events = createEventLog(home.disk, blobs, () => true);
	const publish = (event: PublishedEvent) => ports.publish(threadId, event);
	const readActiveCompactions = activeCompactionsReader(home, threadId, blobs);
	const keeper = keeperFor(home, threadId, blobs, { bytes: 0, unkept: 0, writing: Promise.resolve() });
	return createLiveThread({ state, log, events, blobs, readActiveCompactions, keeper, now: ports.now, publish });
}

/**
 * Opens a thread from disk: for writing if no other process holds it, otherwise read-only. An abandoned turn is ended.
 */
export async function loadLiveThread(
	home: Home,
	ports: Ports,
	threadId: ThreadId,
	full: FullAccess,
): Promise<LiveThread> {
	const path = threadPath(home, threadId);
	if ((await home.disk.stat(path)) === undefined && (await home.disk.stat(intactPath(path))) === undefined)
		throw notFound(threadId);
	const lock = home.problem === undefined ? await takeLock(home, threadId) : undefined;
	if (lock !== undefined && "release" in lock) await finishRepair(home.disk, path).catch(() => undefined);
	const blobs = openBlobs(home.disk, path);
	// Read only after taking the lock: until then its holder may still be writing.
	const proof = await findProof(home, threadId);
	const isHeld = lock !== undefined && "release" in lock;
	const kept = openKeptState(home.disk, path, proof, isHeld ? "write" : "read");
	const loaded = await loadThread(home.disk, path, blobs, proof, undefined, kept).catch(
		(error: NodeJS.ErrnoException) => {
			if (lock !== undefined && "release" in lock) lock.release();
			// Another window deleted it since we looked.
			throw error.code === "ENOENT" ? notFound(threadId) : error;
		},
	);
	const state = chooseState(loaded, (message) => ports.log("warning", `Thread ${threadId}: ${message}`));
	if (state === undefined) {
		await kept.settled();
		if (lock !== undefined && "release" in lock) lock.release();
		throw new HostError("thread-unreadable", say("thread-damaged", { threadId }));
	}
	if (loaded.damaged > 0)
		ports.log("warning", `Thread ${threadId}: ${loaded.damaged} unreadable records were skipped.`);
	const refusal = refusalFor(home, lock, loaded.newer) ?? (await clearEnd(home, loaded));
	const held = lock !== undefined && "release" in lock ? lock : undefined;
	if (refusal !== undefined) {
		await kept.settled();
		held?.release();
	}
	const { rights } = loaded;
	/** Records written because the thread was opened do not count as activity. */
	let at: number | undefined;
	const log = createThreadLog({
		disk: home.disk,
		lock: home.lock,
		path,
		blobs,
		segment: loaded.end.path,
		last: state.records,
		now: () => at ?? ports.now(),
		held,
		sealing: { seals: home.seals, threadId, after: rights.seal },
		onNewSegment: (file) => ports.log("warning", `A thread could not be saved to disk; it continues in ${file}.`),
	});
	const { events } = loaded;
	const publish = (event: PublishedEvent) => ports.publish(threadId, event);
	const tail = refusal?.kind === "thread-busy" ? createTail(home, path, blobs, loaded, proof) : undefined;
	const readActiveCompactions = activeCompactionsReader(home, threadId, blobs);
	const { unkept, end } = loaded;
	const keeper = keeperFor(home, threadId, blobs, { bytes: end.wholeBytes, unkept, writing: kept.settled() });
	const thread = createLiveThread({
		state,
		log,
		events,
		blobs,
		readActiveCompactions,
		tail,
		keeper,
		now: ports.now,
		publish,
		refusal,
	});
	if (refusal !== undefined) return thread;
	if (state.openTurn !== undefined) await thread.commit(endAbandonedTurn(state, state.openTurn), "synced");
	at = thread.state().updatedAt;
	// Without a key the new records would not be trusted next time.
	if (proof.key !== undefined || home.seals.problem() === undefined) {
		await thread.commit([...doubtRecords(thread.state(), rights), ...full.lapse(thread.state())], "synced");
	}
	at = undefined;
	return thread;
}

function keeperFor(
	home: Home,
	threadId: ThreadId,
	blobs: Blobs,
	now: Pick<KeeperOptions, "bytes" | "unkept" | "writing">,
): Keeper {
	const path = threadPath(home, threadId);
	const keep = async (disk: Disk): Promise<number> => {
		const proof = await findProof(home, threadId);
		const kept = openKeptState(disk, path, proof, "write");
		const { unkept } = await loadThread(disk, path, blobs, proof, undefined, kept);
		await kept.settled();
		return unkept;
	};
	return createKeeper({ disk: home.disk, keep, leastOf: leastToKeep, ...now });
}

async function findProof(home: Home, threadId: ThreadId): Promise<Proof> {
	return { threadId, key: await home.seals.key("find"), pinned: await home.seals.pinned(threadId) };
}

function activeCompactionsReader(home: Home, threadId: ThreadId, blobs: Blobs): LiveThread["readActiveCompactions"] {
	return async () =>
		readActiveCompactions(home.disk, threadPath(home, threadId), blobs, await findProof(home, threadId));
}

async function takeLock(home: Home, threadId: ThreadId): ReturnType<LockThread> {
	const path = threadPath(home, threadId);
	try {
		return await home.lock(path);
	} catch (error) {
		// Another window deleted the thread and its lock while we were taking it.
		throw (await home.disk.stat(path)) === undefined ? notFound(threadId) : error;
	}
}

function chooseState({ state, rights }: LoadedThread, warn: (message: string) => void): ThreadState | undefined {
	if (state === undefined) return undefined;
	const own = trustedState(state, rights);
	if (own.baseInstructions !== "") return own;
	warn("its base instructions are damaged; it continues with those of this release.");
	return { ...own, baseInstructions: BASE_INSTRUCTIONS };
}

/** Continues reading where the last call ended, while another process holds the thread. */
function createTail(home: Home, path: string, blobs: Blobs, loaded: LoadedThread, proof: Proof): Tail {
	let { end } = loaded;
	return async () => {
		const lock = await home.lock(path);
		if ("release" in lock) {
			lock.release();
			return undefined;
		}
		const added = await readAdded(home.disk, path, blobs, end, proof);
		if (added === undefined) return undefined;
		end = added.end;
		return {
			records: added.records.map(({ record }) => record),
			events: added.records.flatMap(({ record: { body }, start, length }) =>
				body.kind === "event" ? [{ seq: body.seq, path: end.path, start, length }] : [],
			),
		};
	};
}

function refusalFor(
	home: Home,
	lock: Awaited<ReturnType<LockThread>> | undefined,
	newer: boolean,
): HostError | undefined {
	if (home.problem !== undefined) return new HostError("storage-unavailable", home.problem);
	if (newer) {
		return new HostError("thread-unreadable", say("thread-newer"));
	}
	if (lock === undefined || "release" in lock) return undefined;
	return busyError(lock.owner);
}

/** If the disk refuses even that, the thread can still be read. */
function clearEnd({ disk }: Home, { end }: LoadedThread): Promise<HostError | undefined> {
	return setTornTailAside(disk, end).then(
		() => undefined,
		(error: NodeJS.ErrnoException) => storageFailure(error),
	);
}

export function busyError(owner: string): HostError {
	return new HostError("thread-busy", say("thread-open-elsewhere", { owner }));
}

/** The records that a dead host could not write: its text so far, what it changed, and that the turn was cut off. */
function endAbandonedTurn({ touches, envelope }: ThreadState, turn: OpenTurn): readonly Draft[] {
	const { turnId, live, spent } = turn;
	const { roots = [] } = readWorkspace(envelope) ?? {};
	const said = live?.itemKind === "agentMessage" && live.text !== "" ? [live] : [];
	const items = [
		...said.map(({ text }) => ({ kind: "agentMessage", text, cut: true }) as const),
		...turn.unrecordedInput,
		// An interrupted compaction has changed nothing, so the model is not told.
		...(turn.purpose === "compaction" ? [] : [asHistoryItem(turnAborted.of({ reason: "died" }))]),
	];
	return [
		...cutItems(turn).map((item): Draft => ({ kind: "event", event: { type: "itemCompleted", turnId, item } })),
		{ kind: "items", turnId, items },
		...filesChangedRecords(touches, turnId, (path) => runsWithBuild(path, roots)),
		{
			kind: "event",
			event: { type: "turnCompleted", turnId, status: "interrupted", error: HOST_ENDED, ...(spent && { spent }) },
		},
	];
}

function cutItems({ live, runningTools }: OpenTurn): readonly Item[] {
	const text = live === undefined ? [] : [{ kind: live.itemKind, id: live.itemId, text: live.text, cut: true }];
	return [...text, ...runningTools.map((tool) => ({ ...tool, status: "interrupted" as const }))];
}

function notFound(threadId: ThreadId): HostError {
	return new HostError("thread-not-found", say("thread-gone", { threadId }));
}
