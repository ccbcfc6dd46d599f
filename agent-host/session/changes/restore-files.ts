import { HostError } from "../../protocol/errors.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../../protocol/method.ts";
import { say } from "../../protocol/say.ts";
import type { threadRestore, threadRestoreRedo } from "../../protocol/thread/review.ts";
import { planRedo, planRestore, type RestoredFile } from "../../review/plan-restore.ts";
import { listTurns, type Touch } from "../../store/records/thread-state.ts";
import { readFileState } from "../../workspace/apply/file-state.ts";
import type { WantedFile } from "../../workspace/apply/verify-wanted.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { planRollback, planUndo } from "../thread/rollback.ts";
import { whileIdle } from "../thread/while-idle.ts";
import { listChangingAgents } from "./list-changing-agents.ts";
import { isKnown } from "./pending-files.ts";
import type { ReviewPorts } from "./review-ports.ts";

type Result = ResultOf<typeof threadRestore>;

/** Restores a thread's files and conversation, and undoes that. */
export interface Restore {
	readonly restore: (params: ParsedParamsOf<typeof threadRestore>) => Promise<Result>;
	readonly redo: (params: ParsedParamsOf<typeof threadRestoreRedo>) => Promise<Result>;
}

export function createRestore(world: ReviewPorts): Restore {
	return {
		restore: async (params) => {
			const thread = await world.open(params.threadId);
			return whileIdle(thread, () => restore(thread, params, world));
		},
		redo: async (params) => {
			const thread = await world.open(params.threadId);
			return whileIdle(thread, () => redo(thread, params, world));
		},
	};
}

async function restore(
	thread: LiveThread,
	{ turnId, what, preview, overwrite }: ParsedParamsOf<typeof threadRestore>,
	world: ReviewPorts,
): Promise<Result> {
	const touches = listTouchesSince(thread, turnId);
	const turns = what === "files" ? 0 : countTurnsSince(thread, turnId);
	// First, because it may be refused: files and conversation change together or not at all.
	const rollback = preview || turns === 0 ? undefined : await planRollback(thread, turns);
	if (what === "conversation") {
		await thread.commit(rollback?.({}) ?? [], "synced");
		return { files: [], unsaved: [], turns, returned: 0, agents: [] };
	}
	const agents = await findAgentsLeft(thread, turnId, world);
	const { done, ...restored } = await writeContents("back", touches, { thread, world, preview, overwrite });
	const hasFiles = done.length > 0;
	const files = hasFiles ? [restoredRecord(turnId, done, "restore")] : [];
	await thread.commit([...files, ...(rollback?.(hasFiles ? { restored: true } : {}) ?? [])], "synced");
	return { ...restored, turns, returned: 0, agents };
}

async function redo(
	thread: LiveThread,
	{ preview, overwrite }: ParsedParamsOf<typeof threadRestoreRedo>,
	world: ReviewPorts,
): Promise<Result> {
	const last = thread.state().undos.at(-1);
	if (last === undefined) throw new HostError("input-refused", say("no-restore"));
	const { files, before } = last;
	const touches = files === undefined ? [] : files.files.map((file) => ({ turnId: files.turnId, ...file }));
	const conversation = before === undefined ? undefined : planUndo(thread.state());
	const { done, ...restored } = await writeContents("forth", touches, { thread, world, preview, overwrite });
	if (!preview) {
		const undone = conversation && ({ kind: "event", event: { type: "rollbackUndone", ...conversation } } as const);
		const redone = files && restoredRecord(files.turnId, done, "redo");
		await thread.commit(
			[undone, redone].filter((one) => one !== undefined),
			"synced",
		);
	}
	const { turnIds = [], gone = [] } = conversation ?? {};
	return { ...restored, turns: gone.length, returned: turnIds.length, agents: [] };
}

/** The names of sub-agents whose changes since the beginning of a turn are still in their files. */
async function findAgentsLeft(thread: LiveThread, turnId: TurnId, world: ReviewPorts): Promise<string[]> {
	const left: string[] = [];
	for (const { threadId, name } of await listChangingAgents(thread, turnId)) {
		const own = await world.open(threadId).catch(() => undefined);
		if (own === undefined) continue;
		const { plan } = await planFiles("back", own.state().touches, own, world);
		if (plan.length > 0) left.push(name);
	}
	return left;
}

/** All file changes since the beginning of a turn. */
function listTouchesSince(thread: LiveThread, turnId: TurnId): readonly Touch[] {
	const { touchStarts, touches } = thread.state();
	const start = touchStarts.find((one) => one.turnId === turnId);
	if (start === undefined) throw new HostError("input-refused", say("no-such-turn"));
	return touches.slice(start.at);
}

/** The turns of the conversation from this one on. */
function countTurnsSince(thread: LiveThread, turnId: TurnId): number {
	const turns = listTurns(thread.state());
	const standing = turns.indexOf(turnId);
	if (standing >= 0) return turns.length - standing;
	throw new HostError("input-refused", say("only-files-restorable"));
}

interface RestoreOptions extends Pick<ParsedParamsOf<typeof threadRestore>, "preview" | "overwrite"> {
	readonly thread: LiveThread;
	readonly world: ReviewPorts;
}

/** Sets files to their content before these touches, or after them; all that are possible, or none. */
async function writeContents(
	way: "back" | "forth",
	touches: readonly Touch[],
	{ thread, world, preview, overwrite }: RestoreOptions,
): Promise<Pick<Result, "files" | "unsaved"> & { readonly done: readonly RestoredFile[] }> {
	const { plan, now } = await planFiles(way, touches, thread, world);
	const snapshots = world.snapshots(thread.state().threadId);
	const files: Result["files"] = [];
	const wanted: WantedFile[] = [];
	const done: RestoredFile[] = [];
	for (const file of plan) {
		const { path, target } = file;
		const after = target === undefined ? undefined : await snapshots.get(target);
		const reason = now.problems.get(path) ?? (target !== undefined && after === undefined ? NOT_KEPT : undefined);
		const state = reason !== undefined ? "left" : isOpenConflict(file, overwrite) ? "conflict" : "restored";
		files.push({ path, state, becomes: describeResult(file), ...(reason === undefined ? {} : { reason }) });
		if (state !== "restored") continue;
		wanted.push({ path, expected: file.now, after });
		done.push(file);
	}
	if (preview || wanted.length === 0) return { files, unsaved: [], done: [] };
	for (const { path } of wanted) await snapshotCurrent(path, thread, world);
	const outcome = await world.write(wanted);
	if (!outcome.ok) throw new HostError("restore-refused", say("restore-failed", { reason: outcome.reason }));
	return { files, unsaved: [...outcome.unsaved], done };
}

async function planFiles(way: "back" | "forth", touches: readonly Touch[], thread: LiveThread, world: ReviewPorts) {
	const now = await hashFiles(
		touches.map(({ path }) => path),
		world,
	);
	const hashNow = (path: string) => now.hashes.get(path);
	const isOurs = (path: string, hash: string | undefined) => isKnown(thread.state(), path, hash);
	return { plan: way === "back" ? planRestore(touches, hashNow, isOurs) : planRedo(touches, hashNow), now };
}

function isOpenConflict({ state, path }: RestoredFile, overwrite: readonly string[]): boolean {
	return state === "conflict" && !overwrite.includes(path);
}

function describeResult({ target, now }: RestoredFile): Result["files"][number]["becomes"] {
	if (target === undefined) return "deleted";
	return now === undefined ? "created" : "changed";
}

const NOT_KEPT = "It was not backed up: it was too large, or this thread's storage for backups is full.";

function restoredRecord(turnId: TurnId, done: readonly RestoredFile[], what: "restore" | "redo"): Draft {
	const files = done.map(({ path, now, target }) => ({
		path,
		...(now === undefined ? {} : { before: now }),
		...(target === undefined ? {} : { after: target }),
	}));
	return { kind: "event", event: { type: "restored", turnId, files, redone: what === "redo" } };
}

/** Also snapshots content that only the user has written, so that a restore can be undone. */
async function snapshotCurrent(path: string, thread: LiveThread, world: ReviewPorts): Promise<void> {
	const now = await readFileState(path, world.documents);
	if (now.state !== "file") return;
	const { state } = await world.snapshots(thread.state().threadId).put(now.bytes);
	if (state === "kept") return;
	throw new HostError("restore-refused", say("restore-no-room"));
}

async function hashFiles(
	paths: readonly string[],
	world: ReviewPorts,
): Promise<{ readonly hashes: ReadonlyMap<string, string>; readonly problems: ReadonlyMap<string, string> }> {
	const hashes = new Map<string, string>();
	const problems = new Map<string, string>();
	for (const path of new Set(paths)) {
		const now = await readFileState(path, world.documents);
		if (now.state === "file") hashes.set(path, now.hash);
		if (now.state === "unreadable") problems.set(path, `It ${now.reason}`);
	}
	return { hashes, problems };
}
