import { relative, sep } from "node:path";
import type { PatchOutcome } from "../../patch/change-set.ts";
import { HostError } from "../../protocol/errors.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../../protocol/method.ts";
import { say } from "../../protocol/say.ts";
import type { TouchedFile } from "../../protocol/thread/changes.ts";
import type { threadRestore, threadRestoreRedo } from "../../protocol/thread/review.ts";
import { joinTouches, planRedo, planRestore, type RestoredFile, type Touch } from "../../review/plan-restore.ts";
import { listTurns } from "../../store/records/thread-state.ts";
import { findInFolder } from "../../workspace/apply/empty-folders.ts";
import { type FileState, hashNow, readFileState } from "../../workspace/apply/file-state.ts";
import { isLinkHash } from "../../workspace/apply/hash-bytes.ts";
import type { WantedFile } from "../../workspace/apply/verify-wanted.ts";
import type { Content } from "../../workspace/files/content.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { planRollback, planUndo } from "../thread/rollback.ts";
import { whileIdle } from "../thread/while-idle.ts";
import { keepContent, readKept } from "./kept-content.ts";
import { isKnown } from "./pending-files.ts";
import type { ReviewPorts } from "./review-ports.ts";
import { findSince, listTouches, withAgents } from "./with-agents.ts";

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
	const own = findSince(thread, turnId);
	if (own === undefined) throw new HostError("input-refused", say("no-such-turn"));
	const turns = what === "files" ? 0 : countTurnsSince(thread, turnId);
	// First, because it may be refused: files and conversation change together or not at all.
	const rollback = preview || turns === 0 ? undefined : await planRollback(thread, turns);
	if (what === "conversation") {
		await thread.commit(rollback?.({}) ?? [], "synced");
		return { files: [], unsaved: [], turns, returned: 0, agents: [] };
	}
	return withAgents(own, world.open, async ({ found, left }) => {
		const touches = joinTouches([own, ...found].map(listTouches));
		const agents = found.map((agent) => agent.thread);
		const { done, ...restored } = await writeContents("back", touches, { thread, agents, world, preview, overwrite });
		const hasFiles = done.length > 0;
		const files = hasFiles ? [restoredRecord(turnId, done, "restore")] : [];
		await thread.commit([...files, ...(rollback?.(hasFiles ? { restored: true } : {}) ?? [])], "synced");
		return { ...restored, turns, returned: 0, agents: [...left] };
	});
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
	const write = () => writeContents("forth", touches, { thread, agents: [], world, preview, overwrite });
	const own = files && findSince(thread, files.turnId);
	// What is written back may be what a sub-agent is about to change.
	const { done, ...restored } = own === undefined ? await write() : await withAgents(own, world.open, write);
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

/** The turns of the conversation from this one on. */
function countTurnsSince(thread: LiveThread, turnId: TurnId): number {
	const turns = listTurns(thread.state());
	const standing = turns.indexOf(turnId);
	if (standing >= 0) return turns.length - standing;
	throw new HostError("input-refused", say("only-files-restorable"));
}

interface RestoreOptions extends Pick<ParsedParamsOf<typeof threadRestore>, "preview" | "overwrite"> {
	readonly thread: LiveThread;
	/** Sub-agents that have changed the files, too. */
	readonly agents: readonly LiveThread[];
	readonly world: ReviewPorts;
}

/** Sets files to their content before these touches, or after them; all that are possible, or none. */
async function writeContents(
	way: "back" | "forth",
	touches: readonly Touch[],
	{ thread, agents, world, preview, overwrite }: RestoreOptions,
): Promise<Pick<Result, "files" | "unsaved"> & { readonly done: readonly TouchedFile[] }> {
	const threads = [thread, ...agents];
	const { plan, now } = await planFiles(way, touches, threads, world);
	const files: Result["files"] = [];
	const wanted: WantedFile[] = [];
	const done: TouchedFile[] = [];
	const mayGo = (file: RestoredFile) =>
		file.target === undefined && !now.problems.has(file.path) && !isOpenConflict(file, overwrite);
	const going = new Set(plan.filter(mayGo).map(({ path }) => path));
	for (const file of plan) {
		const { path, target, mode } = file;
		const after = target === undefined ? undefined : await readSnapshot(target, threads, world);
		const reason = now.problems.get(path) ?? (await findObstacle(file, after, going));
		const state = reason !== undefined ? "left" : isOpenConflict(file, overwrite) ? "conflict" : "restored";
		files.push({ path, state, becomes: describeResult(file), ...(reason === undefined ? {} : { reason }) });
		if (state !== "restored") continue;
		wanted.push({ path, expected: file.now, after, mode });
		done.push(toTouched(file, now.modes.get(path)));
	}
	if (preview || wanted.length === 0) return { files, unsaved: [], done: [] };
	for (const one of wanted) await snapshotBoth(one, thread, world);
	const outcome = await writeInOrder(wanted, world);
	if (!outcome.ok) throw new HostError("restore-refused", say("restore-failed", { reason: outcome.reason }));
	return { files, unsaved: [...outcome.unsaved], done };
}

/**
 * What stands in the place of a folder goes before the files in that folder come, and the files in a folder before what
 * takes its place. It is put back if the others cannot come.
 */
async function writeInOrder(wanted: readonly WantedFile[], world: ReviewPorts): Promise<PatchOutcome> {
	const coming = wanted.filter(({ after }) => after !== undefined);
	const isInTheWay = ({ path, after }: WantedFile) =>
		after === undefined && coming.some((other) => isBelow(other.path, path) || isBelow(path, other.path));
	const inTheWay = wanted.filter(isInTheWay);
	if (inTheWay.length === 0) return world.write(wanted);
	const back = await Promise.all(inTheWay.map((one) => keepForReturn(one, world)));
	const first = await world.write(inTheWay);
	if (!first.ok) return first;
	const rest = await world.write(wanted.filter((one) => !isInTheWay(one)));
	if (!rest.ok) await world.write(back);
	return rest;
}

function isBelow(path: string, folder: string): boolean {
	return path.startsWith(`${folder}${sep}`);
}

async function keepForReturn({ path }: WantedFile, { documents }: ReviewPorts): Promise<WantedFile> {
	const now = await readFileState(path, documents);
	const mode = now.state === "file" ? now.mode : undefined;
	return { path, expected: undefined, after: contentNow(now), mode };
}

function contentNow(now: FileState): Content | undefined {
	if (now.state === "file") return now.bytes;
	return now.state === "link" ? now.link : undefined;
}

async function planFiles(
	way: "back" | "forth",
	touches: readonly Touch[],
	threads: readonly LiveThread[],
	world: ReviewPorts,
) {
	const now = await hashFiles(
		touches.map(({ path }) => path),
		world,
	);
	const findHash = (path: string) => now.hashes.get(path);
	const isOurs = (path: string, hash: string | undefined) =>
		threads.some((thread) => isKnown(thread.state(), path, hash));
	return { plan: way === "back" ? planRestore(touches, findHash, isOurs) : planRedo(touches, findHash), now };
}

function isOpenConflict({ state, path }: RestoredFile, overwrite: readonly string[]): boolean {
	return state === "conflict" && !overwrite.includes(path);
}

function describeResult({ target, now }: RestoredFile): Result["files"][number]["becomes"] {
	if (target === undefined) return "deleted";
	return now === undefined ? "created" : "changed";
}

/** Why a file cannot come back. */
async function findObstacle(
	{ path, target, now }: RestoredFile,
	after: Content | undefined,
	going: ReadonlySet<string>,
): Promise<string | undefined> {
	if (target === undefined) return undefined;
	if (after === undefined) return NOT_KEPT;
	const other = now === undefined ? await findInFolder(path, (inner) => going.has(inner)) : undefined;
	return other && `A folder is in its place, with files in it that stay, such as ${relative(path, other)}.`;
}

const NOT_KEPT = "It was not backed up: it was too large, or this thread's storage for backups is full.";

function toTouched({ path, now, target }: RestoredFile, mode: number | undefined): TouchedFile {
	return {
		path,
		...(now === undefined ? {} : { before: now }),
		...(target === undefined ? {} : { after: target }),
		...(mode === undefined || (target !== undefined && !isLinkHash(target)) ? {} : { mode }),
	};
}

function restoredRecord(turnId: TurnId, files: readonly TouchedFile[], what: "restore" | "redo"): Draft {
	return { kind: "event", event: { type: "restored", turnId, files: [...files], redone: what === "redo" } };
}

/** Each thread keeps what it has found and left itself. */
async function readSnapshot(
	name: string,
	threads: readonly LiveThread[],
	world: ReviewPorts,
): Promise<Content | undefined> {
	for (const thread of threads) {
		const content = await readKept(world.snapshots(thread.state().threadId), name);
		if (content !== undefined) return content;
	}
	return undefined;
}

/**
 * Also snapshots content that only the user or a sub-agent has written, so that a restore can be undone, and what takes
 * its place, so that the model can be told the difference.
 */
async function snapshotBoth({ path, after }: WantedFile, thread: LiveThread, world: ReviewPorts): Promise<void> {
	const snapshots = world.snapshots(thread.state().threadId);
	const now = contentNow(await readFileState(path, world.documents));
	if (now !== undefined && (await keepContent(snapshots, now)).state === "full") {
		throw new HostError("restore-refused", say("restore-no-room"));
	}
	if (after !== undefined) await keepContent(snapshots, after);
}

async function hashFiles(paths: readonly string[], world: ReviewPorts): Promise<FilesNow> {
	const modes = new Map<string, number>();
	const hashes = new Map<string, string>();
	const problems = new Map<string, string>();
	for (const path of new Set(paths)) {
		const now = await readFileState(path, world.documents);
		const hash = hashNow(now);
		if (hash !== undefined) hashes.set(path, hash);
		if (now.state === "file") modes.set(path, now.mode);
		if (now.state === "unreadable") problems.set(path, `It ${now.reason}`);
	}
	return { hashes, modes, problems };
}

interface FilesNow {
	readonly hashes: ReadonlyMap<string, string>;
	readonly modes: ReadonlyMap<string, number>;
	readonly problems: ReadonlyMap<string, string>;
}
