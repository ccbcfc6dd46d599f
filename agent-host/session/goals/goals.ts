import { HostError } from "../../protocol/errors.ts";
import type { ThreadId, TurnId } from "../../protocol/ids.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { Goal } from "../../protocol/thread/goal.ts";
import type { Ports } from "../ports/ports.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { pauseGoal } from "../thread/pause-goal.ts";
import { countTurn, type GoalStep, judgeGoal, resumeGoal } from "./judge-goal.ts";
import { type EndedTurnOf, readEndedTurn, readUnjudgedTurn } from "./read-turn.ts";

/** A turn's last events; a report that many more follow is none. */
const READ_EVENTS = 2_000;
/** Between two turns, a message that the user has queued goes first. */
const BREATH_MS = 500;
/** After a longer time without a host, a goal waits for the user: nobody may expect it to run. */
const RESUME_WITHIN_MS = 15 * 60_000;

type Next = NonNullable<GoalStep["next"]>;

/** Pursues the goals of threads, one turn after the other. */
export interface Goals {
	/** A turn has ended: decides what comes next for the goal of its thread. */
	readonly afterTurn: (thread: LiveThread) => Promise<void>;
	/** The user opens a thread: its goal continues if the host before has just ended, and is paused otherwise. */
	readonly wake: (thread: LiveThread) => Promise<void>;
	/** The user stops what runs in a thread: its goal is paused, and starts no other turn meanwhile. */
	readonly interrupt: (thread: LiveThread, stop: () => Promise<void>) => Promise<void>;
	readonly change: (threadId: ThreadId, to: "paused" | "active" | "stopped") => Promise<Goal>;
	/** Starts nothing more. */
	readonly close: () => void;
}

export function createGoals(options: {
	readonly ports: Pick<Ports, "now" | "setTimer" | "log">;
	/** Whether the user sees goals here and can pause them. Elsewhere a turn counts for its goal and is followed by no other. */
	readonly isPursuing: boolean;
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	readonly startTurn: (thread: LiveThread, prompt: string) => Promise<TurnId>;
	/** Runs a command as a turn without model, under the thread's policy. */
	readonly startCheck: (thread: LiveThread, command: string) => Promise<TurnId>;
	readonly stopTurn: (thread: LiveThread) => Promise<void>;
}): Goals {
	const { ports } = options;
	const startedAt = ports.now();
	const due = new Map<ThreadId, { readonly next: Next; readonly cancel: () => void }>();
	const checks = new Map<ThreadId, TurnId>();
	/** Threads whose goal this host pursues, as it has them open: one that it let go of may have been elsewhere since. */
	const own = new WeakSet<LiveThread>();
	const known = new Set<ThreadId>();
	const stopping = new WeakSet<LiveThread>();
	const take = (thread: LiveThread): void => {
		own.add(thread);
		known.add(thread.state().threadId);
	};
	let isClosed = false;
	const forget = (threadId: ThreadId): void => {
		due.get(threadId)?.cancel();
		due.delete(threadId);
	};
	const plan = (thread: LiveThread, next: Next | undefined): void => {
		const { threadId } = thread.state();
		forget(threadId);
		if (next === undefined || isClosed || !options.isPursuing) return;
		due.set(threadId, { next, cancel: ports.setTimer(BREATH_MS, () => void begin(thread, next)) });
	};
	const begin = async (thread: LiveThread, next: Next): Promise<void> => {
		// A rollback pauses the goal.
		while (thread.reserved !== undefined) await thread.reserved;
		const { threadId, goal } = thread.state();
		// What runs meanwhile is the user's; its end comes back to what is due.
		if (isClosed || stopping.has(thread) || goal?.state !== "active" || thread.running !== undefined) return;
		try {
			if (next.kind === "turn") await options.startTurn(thread, next.prompt);
			else checks.set(threadId, await options.startCheck(thread, goal.check ?? ""));
			forget(threadId);
		} catch (error) {
			if (error instanceof HostError && error.kind === "turn-in-progress") return;
			ports.log("warning", `A goal could not continue: ${error}`);
			await pause(thread, describe(error)).catch(() => undefined);
		}
	};
	const pause = (thread: LiveThread, said: Said): Promise<void> =>
		thread.commit(({ goal }) => (goal?.state === "active" ? [record(pauseGoal(goal, said))] : []), "synced");
	const judge = async (thread: LiveThread, ended: EndedTurnOf): Promise<void> => {
		let step: GoalStep | undefined;
		await thread.commit(({ goal }) => {
			if (goal?.state === "paused") return [record(countTurn(goal, ended))];
			if (goal?.state !== "active") return [];
			step = judgeGoal(goal, ended);
			return [record(step.goal)];
		}, "synced");
		plan(thread, step?.next);
	};
	return {
		async afterTurn(thread) {
			const { threadId, goal } = thread.state();
			if (isClosed || goal === undefined) return;
			take(thread);
			const before = thread.events.last() + 1;
			const ended = readEndedTurn(await thread.events.read({ after: 0, before, limit: READ_EVENTS }));
			const isJudged = ended !== undefined && (ended.kind === "conversation" || checks.get(threadId) === ended.turnId);
			if (isJudged) await judge(thread, ended);
			else plan(thread, due.get(threadId)?.next);
		},
		async wake(thread) {
			const { threadId, goal } = thread.state();
			const isRunning = own.has(thread) || thread.running !== undefined || thread.refusal !== undefined;
			if (isClosed || !options.isPursuing || !isOpen(goal) || isRunning) return;
			const since = known.has(threadId) ? ports.now() : startedAt;
			take(thread);
			const events = await thread.events.read({ after: 0, before: thread.events.last() + 1, limit: READ_EVENTS });
			const unjudged = readUnjudgedTurn(events);
			const count = (now: Goal): Goal => (unjudged === undefined ? now : countTurn(now, unjudged));
			const last = events.findLast(({ at }) => at < since);
			const isLate = last === undefined || since - last.at > RESUME_WITHIN_MS;
			let step: GoalStep | undefined;
			await thread.commit(({ goal: now }) => {
				if (!isOpen(now)) return [];
				if (now.state === "paused") return unjudged === undefined ? [] : [record(count(now))];
				step = isLate ? { goal: pauseGoal(count(now), say("goal-paused-restart")) } : resumeGoal(count(now));
				return [record(step.goal)];
			}, "synced");
			plan(thread, step?.next);
		},
		async interrupt(thread, stop) {
			stopping.add(thread);
			try {
				await stop();
				// What was stopped may have been a compaction or a command, by which no goal is judged.
				if (thread.state().goal?.state === "active" && thread.refusal === undefined)
					await pause(thread, say("goal-paused"));
				forget(thread.state().threadId);
			} finally {
				stopping.delete(thread);
			}
		},
		async change(threadId, to) {
			const thread = await options.open(threadId);
			let step: GoalStep | undefined;
			await thread.commit(({ goal }) => {
				step = changeGoal(goal, to);
				return [record(step.goal)];
			}, "synced");
			take(thread);
			if (to === "active") plan(thread, step?.next);
			else forget(threadId);
			if (to === "stopped") await options.stopTurn(thread);
			const { goal } = thread.state();
			if (goal === undefined) throw noGoal();
			return goal;
		},
		close: () => {
			isClosed = true;
			for (const threadId of due.keys()) forget(threadId);
		},
	};
}

function isOpen(goal: Goal | undefined): goal is Goal {
	return goal?.state === "active" || goal?.state === "paused";
}

function changeGoal(goal: Goal | undefined, to: "paused" | "active" | "stopped"): GoalStep {
	if (!isOpen(goal)) throw noGoal();
	if (to === goal.state) return { goal };
	if (to === "active") return resumeGoal(goal);
	return {
		goal: to === "paused" ? pauseGoal(goal, say("goal-paused")) : { ...goal, state: "stopped", verifying: false },
	};
}

function record(goal: Goal): Draft {
	return { kind: "event", event: { type: "goalChanged", goal } };
}

function noGoal(): HostError {
	return new HostError("input-refused", say("goal-none"));
}

function describe(error: unknown): Said {
	return error instanceof HostError ? error.said : say("goal-paused-failed");
}
