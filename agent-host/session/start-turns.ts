import type { TurnEnvelope } from "../envelope/envelope.ts";
import { isWithin } from "../permissions/reach/is-within.ts";
import { HostError } from "../protocol/errors.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import { asMessage, quote, say } from "../protocol/say.ts";
import type { ThreadState } from "../store/records/thread-state.ts";
import { skip } from "./compaction/compact.ts";
import type { Parts } from "./parts.ts";
import { endFullAccess } from "./thread/full-access.ts";
import type { LiveThread, RunningTurn } from "./thread/live-thread.ts";
import { HOST_ENDED } from "./thread/running-turn.ts";
import { countContext } from "./turn/count-context.ts";
import { type AcceptedWork, TURN_KINDS, type TurnKind } from "./turn-kinds.ts";

type AskOf<K extends TurnKind> = Parameters<(typeof TURN_KINDS)[K]>[2];

/** Starts turns, one at a time in each thread. */
export interface TurnStarter {
	/** Resolves when the turn is durable; it then runs on in the background. */
	readonly start: <K extends TurnKind>(thread: LiveThread, kind: K, ask: AskOf<K>) => Promise<TurnId>;
	/** The turn that the same client message has already started, if any. */
	readonly startedBefore: (thread: LiveThread, clientId: string | undefined) => Promise<TurnId | undefined>;
	/** Resolves when the turn has ended; one that is not yet durable is stopped as soon as it is. */
	readonly stop: (thread: LiveThread) => Promise<void>;
	/** Something that all rights depend on has changed: turns that have more than they would get now only read. */
	readonly compareRights: () => Promise<void>;
	/** Ends every turn and records that the host ended them. */
	readonly close: () => Promise<void>;
}

/** `afterTurn`: may start another one, later. */
export function createTurnStarter(parts: Parts, afterTurn: (thread: LiveThread) => Promise<void>): TurnStarter {
	const { facts, ports, threads, health, containment, endBeyond } = parts;
	/** Turns that are being made durable. */
	const starting = new Map<ThreadId, Promise<TurnId>>();
	/** How often rights have changed. */
	let changes = 0;
	const closing = new AbortController();
	const start: TurnStarter["start"] = async (thread, kind, ask) => {
		const { threadId } = thread.state();
		if (thread.running !== undefined || thread.isStarting) throw turnInProgressError();
		thread.isStarting = true;
		const known = changes;
		const begun = accept(thread, kind, ask).then((work) => {
			const turnId = run(thread, work);
			// Its envelope may be older than the change.
			if (changes !== known) void compareOne(thread);
			return turnId;
		});
		starting.set(threadId, begun);
		try {
			return await begun;
		} finally {
			starting.delete(threadId);
			thread.isStarting = false;
		}
	};
	const accept = async <K extends TurnKind>(thread: LiveThread, kind: K, ask: AskOf<K>): Promise<AcceptedWork> => {
		await thread.reserved;
		await endFullAccess(thread, parts.full);
		// A sandbox that did not work may work by now.
		if (facts.trusted && containment.last()?.kind === "none") await containment.look("failed");
		// The compiler does not see that kind and request belong together; the signature of `start` ensures it.
		const acceptKind = TURN_KINDS[kind] as (parts: Parts, thread: LiveThread, ask: AskOf<K>) => Promise<AcceptedWork>;
		return acceptKind(parts, thread, ask);
	};
	const run = (thread: LiveThread, work: AcceptedWork): TurnId => {
		const { envelope, spending, chosen } = work;
		const { turnId } = envelope.identity;
		const abort = new AbortController();
		health.turnBegan();
		const runToEnd = async (): Promise<void> => {
			// The reply to the client goes first, because the rest may take long.
			await new Promise(setImmediate);
			try {
				// It may allow less than its thread, also to what its sub-agents have left in the background.
				if (chosen !== undefined) await endBeyond.all();
				await work.run(abort.signal, () => abort.abort());
			} finally {
				await leave(thread, envelope, abort.signal);
			}
		};
		const ended = runToEnd();
		const isWithinRights = Promise.resolve(true);
		const compacting = { compaction: undefined, isCompacting: false };
		thread.running = { turnId, envelope, spending, chosen, abort, ended, isWithinRights, ...compacting };
		return turnId;
	};
	/** Never rejects. */
	const compareOne = async (thread: LiveThread): Promise<void> => {
		const { running } = thread;
		if (running === undefined) return;
		const before = running.isWithinRights;
		// At once, so that no call is judged in between.
		running.isWithinRights = isWithinRightsNow(parts, thread, running);
		if (!(await before) || (await running.isWithinRights)) return;
		const { turnId } = running;
		const event = { type: "warning", turnId, code: "rights-shrunk", ...asMessage(say("rights-lost")) } as const;
		const isMeant = ({ openTurn }: ThreadState) => openTurn?.turnId === turnId && openTurn.purpose !== "compaction";
		await thread
			.commit((state) => (isMeant(state) ? [{ kind: "event", event }] : []), "unsynced")
			.catch((error: unknown) => ports.log("warning", `A turn lost rights, which could not be recorded: ${error}`));
	};
	const leave = async (thread: LiveThread, envelope: TurnEnvelope, { aborted }: AbortSignal): Promise<void> => {
		const asked = thread.running?.compaction;
		thread.running = undefined;
		health.turnEnded(thread.state().threadId);
		if (asked === undefined) {
			countContext(thread, envelope, ports, closing.signal).catch((error: unknown) =>
				ports.log("warning", `The context could not be counted: ${error}`),
			);
		}
		await afterTurn(thread).catch((error: unknown) => ports.log("error", `A goal was left: ${error}`));
		if (asked === undefined || aborted) return;
		// The turn ended before the next step boundary.
		start(thread, "compaction", { ask: asked })
			.catch((error: unknown) =>
				skip({ thread, envelope }, asked, error instanceof HostError ? error.said : quote(String(error))),
			)
			.catch((error: unknown) => ports.log("warning", `A compaction could not start: ${error}`));
	};
	return {
		start,
		async startedBefore(thread, clientId) {
			if (clientId === undefined) return undefined;
			await starting.get(thread.state().threadId)?.catch(() => undefined);
			return thread.state().inputs.find((input) => input.clientId === clientId)?.turnId;
		},
		async stop(thread) {
			await starting.get(thread.state().threadId)?.catch(() => undefined);
			thread.running?.abort.abort();
			await thread.running?.ended;
		},
		async compareRights() {
			changes += 1;
			await Promise.all(threads.all().map(compareOne));
		},
		async close() {
			closing.abort();
			// A turn that is already on disk must get its end there too.
			await Promise.allSettled(starting.values());
			for (const thread of threads.all()) thread.running?.abort.abort(HOST_ENDED);
			await Promise.all(threads.all().map((thread) => thread.running?.ended));
		},
	};
}

/** A turn whose rights cannot be determined now has none. */
async function isWithinRightsNow(
	{ sealAgain }: Parts,
	thread: LiveThread,
	{ envelope, chosen }: RunningTurn,
): Promise<boolean> {
	const now = await sealAgain(thread, { envelope, chosen }).catch(() => undefined);
	return now !== undefined && isWithin(envelope.policy.value, now.policy.value);
}

function turnInProgressError(): HostError {
	return new HostError("turn-in-progress", say("turn-runs"));
}
