import { agentsBelow } from "../protocol/agent.ts";
import type { HOST_METHODS } from "../protocol/catalog.ts";
import { HostError } from "../protocol/errors.ts";
import { ThreadId } from "../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../protocol/method.ts";
import { nameSaid, say } from "../protocol/say.ts";
import type { processList } from "../protocol/thread/process.ts";
import type { ThreadSummary } from "../protocol/thread/thread.ts";
import { listPlugin } from "../session/brought/list-plugin.ts";
import { listContextTexts } from "../session/inspect/inspect-next.ts";
import type { Session } from "../session/session.ts";
import { checkCwd } from "../session/start/change-settings.ts";
import { readImage } from "../session/start/load-images.ts";
import { readLedger, revokeGrant } from "../session/thread/decision-ledger.ts";
import { replayExport } from "../session/thread/replay-thread.ts";
import { rollBack } from "../session/thread/rollback.ts";
import { placeThread } from "../session/worktrees/place-thread.ts";
import { toMarkdown } from "../store/threads/thread-markdown.ts";
import { exportRecords } from "../store/threads/transfer-thread.ts";
import { verifyThreads } from "../store/threads/verify-thread.ts";
import { cutPatch } from "./cut-patch.ts";

/** Limit for the diff in one answer. */
const DIFF_PAGE_CHARS = 1_000_000;

/** Reports how much of the work is done. */
export type Report = (done: number, of: number) => void;

/** One handler for each method of the catalogue: a missing one does not compile. */
export type Handlers = {
	readonly [K in keyof typeof HOST_METHODS]: (
		params: ParsedParamsOf<(typeof HOST_METHODS)[K]>,
		/** Aborts when the client cancels the request. */
		signal: AbortSignal,
		/** Tells a client that asked for it how far the work is. */
		report: Report,
	) => Promise<ResultOf<(typeof HOST_METHODS)[K]>> | ResultOf<(typeof HOST_METHODS)[K]>;
};

export function createHandlers(session: Session): Handlers {
	const { threads } = session;
	/** All threads, with the worktrees that they work in. */
	const listPlaced = async () => {
		const [listed] = await Promise.all([threads.list(), session.worktrees.refresh()]);
		return listed.map((thread) => placeThread(thread, session.facts.worktrees.list));
	};
	return {
		threadStart: async ({ cwd, settings }) => {
			// Without an open folder there is nothing to compare with, and nothing that it would open.
			if (session.facts.folders.length > 0) {
				await session.worktrees.refresh();
				await checkCwd(cwd, session.facts);
			}
			return { threadId: threads.start({ cwd, settings: settings ?? {} }) };
		},

		threadList: async ({ query, archived, cursor, limit }) => {
			const wanted = query?.trim().toLowerCase() ?? "";
			const all = (await listPlaced())
				.filter((thread) => thread.archived === (archived ?? false))
				.filter((thread) => thread.title.toLowerCase().includes(wanted));
			return newestFirst(all, cursor, limit);
		},

		threadRead: async ({ threadId, after, before, limit, cut }) => {
			const thread = await session.follower.open(threadId);
			const events = await thread.events.read({ after, before, limit });
			// Read after the events: the current text may belong to an item that just began.
			const [live, ...others] = thread.live();
			const last = thread.events.last();
			const { title } = thread.state();
			return {
				title,
				events: cut ? events.map(cutPatch) : [...events],
				last,
				...(live === undefined ? {} : { live, others }),
			};
		},

		threadImage: async ({ threadId, imageId }) => readImage(await session.follower.open(threadId), imageId),

		threadResume: async ({ threadId }) => {
			const thread = await threads.open(threadId);
			await session.goals.wake(thread);
			return { threadId, last: thread.events.last() };
		},

		goalChange: async ({ threadId, to }) => ({ goal: await session.goals.change(threadId, to) }),

		threadRename: async ({ threadId, title }) => {
			const thread = await threads.open(threadId);
			if (thread.state().turns === 0) throw new HostError("input-refused", say("title-before-prompt"));
			await thread.commit([{ kind: "event", event: { type: "titleChanged", title } }], "synced");
			return {};
		},

		threadClose: async ({ threadId }) => {
			await threads.close(threadId);
			return {};
		},
		threadArchive: async ({ threadId, archived }) => {
			const thread = await threads.open(threadId);
			if (thread.state().turns === 0) throw new HostError("input-refused", say("archive-empty"));
			// An archived thread starts no turn that the user has not asked for.
			if (archived && thread.state().goal?.state === "active") await session.goals.change(threadId, "paused");
			const all = (await threads.list()).filter((one) => one.archived !== archived);
			for (const one of [threadId, ...agentsBelow(all, threadId)]) {
				const opened = await threads.open(one);
				await opened.commit([{ kind: "event", event: { type: "archivedChanged", archived } }], "synced");
			}
			return {};
		},

		threadDelete: async ({ threadId }) => {
			await threads.remove(threadId);
			return {};
		},

		threadExport: async ({ threadId, format }) => {
			const thread = await threads.open(threadId);
			if (format === "records") {
				if (!thread.state().written) throw new HostError("input-refused", say("export-empty"));
				return { text: await exportRecords(session.home, threadId) };
			}
			const events = await thread.events.read({ after: 0, limit: thread.events.last() });
			return { text: toMarkdown(thread.state().title, events) };
		},

		threadImport: async ({ text }) => ({ threadId: await threads.importThread(text) }),

		threadVerify: async (_, signal, report) => {
			const { problems, ...counts } = await verifyThreads(session.home, { signal, report });
			return { ...counts, problems: [...problems] };
		},

		threadRepair: async ({ threadId }) => ({ leftOut: await threads.repair(threadId) }),

		threadReplay: ({ text }) => replayExport(text),

		threadSettings: async ({ threadId, ...change }) => {
			const { cwd, ...inForce } = await session.changeSettings(threadId, change);
			return { ...inForce, ...(cwd === undefined ? {} : { cwd }) };
		},

		threadFork: async ({ threadId, throughTurnId }) => ({ threadId: await threads.fork(threadId, throughTurnId) }),

		threadRollback: async ({ threadId, turns }) => {
			const thread = await threads.open(threadId);
			await rollBack(thread, turns);
			return { threadId, last: thread.events.last() };
		},

		threadSearch: async ({ query, archived, cursor, limit }, signal, report) => {
			const [found] = await Promise.all([
				threads.search(query?.trim() ?? "", { signal, report }),
				session.worktrees.refresh(),
			]);
			const placed = found.map((thread) => placeThread(thread, session.facts.worktrees.list));
			return newestFirst(
				placed.filter((thread) => archived === undefined || thread.archived === archived),
				cursor,
				limit,
			);
		},

		worktreePlan: ({ folder, branch }) => session.worktrees.plan(folder, branch),
		worktreeAdd: async (wanted) => ({ path: await session.worktrees.add(wanted) }),
		worktreeList: async () => ({ worktrees: await session.worktrees.list() }),
		worktreeInspect: ({ path }) => session.worktrees.inspect(path),
		worktreeMerge: ({ path, message }) => session.worktrees.merge(path, message),
		worktreeDrop: async ({ path, keepBranch }) => ({ isBranchKept: await session.worktrees.drop(path, keepBranch) }),

		contextInspect: ({ threadId, ...which }) => session.inspect(threadId, which),

		contextTold: async ({ threadId, turnId }) => {
			const thread = await threads.open(threadId);
			await thread.readHistory();
			return listContextTexts(thread.state(), turnId);
		},

		instructionsLint: ({ threadId }, signal) => session.lintInstructions(threadId, signal),

		pluginList: async () => {
			const { plugins, unusable } = await session.plugins.find();
			return { plugins: plugins.map(listPlugin), unusable: [...unusable] };
		},
		pluginInspect: async ({ folder }) => {
			const plugin = await session.plugins.inspect(folder);
			const changes = await session.plugins.compare(plugin);
			return { ...listPlugin(plugin), ...(changes !== undefined && { changes }) };
		},
		pluginInstall: async ({ folder, digest }) => listPlugin(await session.plugins.install(folder, digest)),
		pluginRemove: async ({ name }) => {
			const servers = await session.plugins.remove(name);
			await Promise.all(servers.map((server) => session.toolServers.stop(server)));
			return {};
		},

		hostTraces: () => ({ spans: [...session.traces()] }),
		serverList: async () => ({ servers: [...(await session.toolServers.list())] }),
		serverStart: ({ name, file }) => session.toolServers.start(name, file),
		serverStop: async ({ name, file }) => {
			await session.toolServers.stop(name, file);
			return {};
		},
		serverFindResources: async ({ query, limit }) => ({
			resources: [...(await session.toolServers.resources.find(query, limit))],
		}),
		serverReadResource: async ({ server, uri, values }) => ({
			text: await session.toolServers.resources.read(server, uri, values),
		}),
		serverSignIn: ({ name, file }) => session.toolServers.signIn(name, file),
		serverSignOut: async ({ name, file }) => ({ signedOut: await session.toolServers.signOut(name, file) }),
		serverLog: ({ name, file }) => ({ text: session.toolServers.readLog(name, file) }),
		policyShow: (params) => session.showPolicy(params),

		policyProbe: ({ threadId }) => session.health.probe(threadId),

		approvalDiff: async ({ threadId, approvalId, from = 0 }) => {
			const diff = (await threads.open(threadId)).longDiffs.get(approvalId);
			if (diff === undefined) throw new HostError("input-refused", say("approval-over"));
			const next = from + DIFF_PAGE_CHARS;
			return { text: diff.slice(from, next), ...(next < diff.length ? { next } : {}) };
		},

		permissionLedger: async ({ threadId, limit }) => readLedger(await session.follower.open(threadId), limit),

		permissionRevoke: async ({ threadId, digest }) => ({
			revoked: await revokeGrant(await threads.open(threadId), digest),
		}),

		processList: () => ({ processes: listProcesses(session.processes) }),

		processTail: ({ threadId, processId, chars }) =>
			session.processes.tail(threadId, processId, chars) ?? { text: "", running: false },

		processStop: async ({ threadId, processId }) => ({ stopped: await session.processes.end(threadId, processId) }),

		processBackground: ({ threadId, callId }) => session.processes.moveToBackground(threadId, callId),

		threadCompact: (params, signal) => session.compaction.compact(params, signal),

		threadCompactApply: async (params) => {
			await session.compaction.apply(params);
			return {};
		},

		threadCompactUndo: async ({ threadId }) => {
			await session.compaction.undo(threadId);
			return {};
		},

		threadPin: async (params) => {
			await session.compaction.pin(params);
			return {};
		},

		threadMute: async (params) => {
			await session.compaction.mute(params);
			return {};
		},

		threadRestore: (params) => session.restore.restore(params),

		threadRestoreRedo: (params) => session.restore.redo(params),

		reviewList: async ({ threadId }) => ({ files: [...(await session.review.list(threadId))] }),

		reviewBase: async ({ threadId, path }) => {
			const text = await session.review.base(threadId, path);
			return text === undefined ? {} : { text };
		},

		reviewKeep: (params) => session.review.keep(params),

		reviewReject: (params) => session.review.reject(params),

		reviewComment: async (params) => {
			await session.review.comment(params);
			return {};
		},

		turnStart: async (params) => ({ turnId: await session.startTurn(params) }),

		turnSteer: async (params) => {
			await session.steerTurn(params);
			return { accepted: true };
		},

		turnInterrupt: async ({ threadId }) => {
			await session.interrupt(threadId);
			return {};
		},

		threadAsk: (params, signal) => session.aside.ask(params, signal),

		commitMessage: (params, signal) => session.aside.describeCommit(params, signal),

		fileFind: (params) => session.findFiles(params),

		toolLend: (params, signal) => session.lendTool(params, signal),

		modelList: async ({ settings }) => ({ models: [...(await session.listModels(settings))] }),

		modelDetect: async ({ settings }) => ({ wire: await session.detectWire(settings) }),

		modelDiscover: async () => ({ servers: [...(await session.discoverServers())] }),

		modelSignIn: async ({ settings }) => {
			await session.plan.signIn(settings);
			return {};
		},

		modelSignOut: async ({ origin }) => ({ signedOut: await session.plan.signOut(origin) }),

		modelForgetLessons: () => ({ forgotten: session.forgetLessons() }),

		hostStatus: async ({ check }) => {
			if (check === "sandbox") await session.checkSandbox();
			return session.status();
		},

		hostDoctor: (params) => session.health.examine(params),
	};
}

/** One page of threads; the cursor is the number of threads before it. */
function newestFirst<T extends ThreadSummary>(
	all: readonly T[],
	cursor: string | undefined,
	limit: number,
): { readonly threads: T[]; readonly nextCursor?: string } {
	const sorted = all.toSorted((a, b) => b.updatedAt - a.updatedAt || (a.threadId < b.threadId ? -1 : 1));
	const from = Math.max(0, Math.trunc(Number(cursor ?? 0)) || 0);
	const threads = sorted.slice(from, from + limit);
	return { threads, ...(from + limit < all.length ? { nextCursor: String(from + limit) } : {}) };
}

const MAX_COMMAND_CHARS = 200;

function listProcesses(processes: Session["processes"]): ResultOf<typeof processList>["processes"] {
	return processes.list().map(({ owner, processId, argv, ms, outputBytes, held }) => ({
		threadId: ThreadId.parse(owner),
		processId,
		command: argv.join(" ").slice(0, MAX_COMMAND_CHARS),
		startedAt: Math.round(Date.now() - ms),
		outputBytes,
		sandbox: held.sandbox.text,
		sandboxSaid: nameSaid(held.sandbox),
	}));
}
