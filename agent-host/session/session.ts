import { clientFor } from "../model/client.ts";
import { discoverServers, type FoundServer } from "../model/discover.ts";
import { HostError } from "../protocol/errors.ts";
import type { modelDetect, modelList } from "../protocol/host/host.ts";
import type { ThreadId, TurnId } from "../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../protocol/method.ts";
import type { PartialSettings } from "../protocol/settings/settings.ts";
import type { turnStart, turnSteer } from "../protocol/thread/turn.ts";
import type { Processes } from "../sandbox/command/processes.ts";
import type { Recorder } from "../telemetry/recorder.ts";
import { describeRecovered } from "../workspace/apply/recover.ts";
import { type Aside, createAside } from "./aside/ask-aside.ts";
import type { Plugins } from "./brought/plugins.ts";
import type { Changes } from "./changes/file-changes.ts";
import { createManualCompaction, type ManualCompaction } from "./compaction/manual-compaction.ts";
import { layerSettings, readChoice, readProviders } from "./facts.ts";
import { createFindFiles, type FindFiles } from "./find-files.ts";
import { createGoals, type Goals } from "./goals/goals.ts";
import type { Health } from "./health/host-health.ts";
import { createInspector, type Inspector } from "./inspect/inspector.ts";
import { detectServerWire, locateServer, offeredModels } from "./models.ts";
import { createParts, type Parts, type SessionOptions } from "./parts.ts";
import type { PlanSignIn } from "./plan-sign-in.ts";
import type { ToolServers } from "./servers/tool-servers.ts";
import { asksOnly, changeThreadSettings, type SettingsChange } from "./start/change-settings.ts";
import { createTurnStarter } from "./start-turns.ts";
import { createFollower, type Follower } from "./thread/follow-threads.ts";
import type { LiveThread } from "./thread/live-thread.ts";
import type { LendTool } from "./tools/lend-tool.ts";
import { findUserCommand } from "./turn/run-user-command.ts";
import { steerTurn } from "./turn/steer.ts";
import type { Worktrees } from "./worktrees/worktrees.ts";

/** A host's running state: its threads, and what its client has told it. */
export interface Session extends Inspector, Pick<Parts, "home" | "facts" | "threads" | "status"> {
	readonly follower: Follower;
	/** Resolves when the turn is durable; it then runs on in the background. */
	readonly startTurn: (params: ParsedParamsOf<typeof turnStart>) => Promise<TurnId>;
	/** Resolves when the message to the running turn is durable. */
	readonly steerTurn: (params: ParsedParamsOf<typeof turnSteer>) => Promise<void>;
	readonly compaction: ManualCompaction;
	readonly aside: Aside;
	readonly goals: Pick<Goals, "wake" | "change">;
	/** The user's actions on changed files. */
	readonly review: Changes["review"];
	readonly restore: Changes["restore"];
	/** Background commands. */
	readonly processes: Pick<Processes, "list" | "tail" | "end" | "moveToBackground">;
	readonly interrupt: (threadId: ThreadId) => Promise<void>;
	/** For the next and later turns: adopted completely, or refused completely. */
	readonly changeSettings: (threadId: ThreadId, change: SettingsChange) => ReturnType<typeof changeThreadSettings>;
	/**
	 * The client changed trust, settings or folders: commands and servers with more rights than that end, and turns only
	 * read. Never rejects.
	 */
	readonly rightsChanged: () => Promise<void>;
	readonly findFiles: FindFiles;
	readonly lendTool: LendTool;
	readonly listModels: (settings: PartialSettings | undefined) => Promise<ResultOf<typeof modelList>["models"]>;
	/** Which API the configured server has. */
	readonly detectWire: (settings: PartialSettings | undefined) => Promise<ResultOf<typeof modelDetect>["wire"]>;
	/** Signs the user in with a plan at the configured server, and out again. */
	readonly plan: {
		readonly signIn: (settings: PartialSettings | undefined) => Promise<void>;
		readonly signOut: PlanSignIn["signOut"];
	};
	/** Forgets what refusals taught about model servers; returns how much there was. */
	readonly forgetLessons: () => number;
	/** Model servers found on this machine. */
	readonly discoverServers: () => Promise<readonly FoundServer[]>;
	/** The user's MCP servers. */
	readonly plugins: Plugins;
	/** Git worktrees that threads work in. */
	readonly worktrees: Worktrees;
	readonly toolServers: Pick<ToolServers, "list" | "start" | "stop" | "readLog" | "signIn" | "signOut" | "resources">;
	/** What the last turns spent their time on. */
	readonly traces: Recorder["read"];
	/** Tries the policy, and examines everything the host needs. */
	readonly health: Pick<Health, "probe" | "examine">;
	/** Finishes what a crash interrupted; one sentence each. */
	readonly recover: () => Promise<readonly string[]>;
	/**
	 * Warns if commands cannot be contained here, as far as that shows without starting one; tries it if that is
	 * configured.
	 */
	readonly lookAtSandbox: () => Promise<void>;
	/** Tries a sandbox again that did not work; what changed is told as always. */
	readonly checkSandbox: () => Promise<void>;
	/** Stops every turn, records that, and closes the files. */
	readonly close: () => Promise<void>;
}

export function createSession(options: SessionOptions): Session {
	const startTurn = (thread: LiveThread, text: string): Promise<TurnId> =>
		turns.start(thread, "conversation", { threadId: thread.state().threadId, input: [{ kind: "text", text }] });
	const parts = createParts(options, startTurn);
	const { home, facts, ports, threads, health, processes, patcher, containment, endBeyond } = parts;
	const turns = createTurnStarter(parts, (thread) => goals.afterTurn(thread));
	const goals = createGoals({
		ports,
		isPursuing: facts.pursuesGoals ?? false,
		open: threads.open,
		startTurn,
		startCheck: (thread, command) => {
			const { threadId } = thread.state();
			const params = { threadId, input: [{ kind: "shell" as const, command }] };
			return turns.start(thread, "userCommand", { params, command, isTyped: false });
		},
		stopTurn: turns.stop,
	});
	const follower = createFollower(ports, threads.open);
	const compaction = createManualCompaction({
		ports,
		open: threads.open,
		seal: async (thread) => {
			const { envelope } = await parts.sealNext(thread.state().threadId);
			return { envelope, client: clientFor(envelope.identity, ports) };
		},
		start: async (threadId, ask, settings) => {
			await turns.start(await threads.open(threadId), "compaction", { ask, settings });
		},
	});
	const aside = createAside({ ports, open: threads.open, sealNext: parts.sealNext });
	const rightsChanged = async (): Promise<void> => {
		const ending = [turns.compareRights(), endBeyond.all(), parts.toolServers.endOutdated()];
		const ended = await Promise.allSettled(ending);
		for (const one of ended)
			if (one.status === "rejected") ports.log("error", `What ran with other rights could not be ended: ${one.reason}`);
	};
	const asked = (change: PartialSettings | undefined) => layerSettings(facts.settings, readChoice(change, facts)).model;
	return {
		...{ home, facts, threads, follower, compaction, aside, goals, processes, health, status: parts.status },
		checkSandbox: async () => {
			await containment.look("failed");
		},
		...createInspector({
			home,
			open: threads.open,
			sealNext: parts.sealNext,
			sealWithAll: parts.sealWithAll,
			compile: parts.compile,
			servers: ports.servers,
			brings: parts.brings,
			review: parts.changes.review,
			fallbacks: () => layerSettings(facts.settings).instructions.fallbacks,
		}),
		toolServers: parts.toolServers,
		plugins: parts.plugins,
		worktrees: parts.worktrees,
		review: parts.changes.review,
		restore: parts.changes.restore,
		rightsChanged,
		traces: parts.recorder.read,
		async startTurn(params) {
			if (home.problem !== undefined) throw new HostError("storage-unavailable", home.problem);
			if (params.trusted !== undefined && params.trusted !== facts.trusted) {
				facts.trusted = params.trusted;
				await rightsChanged();
			}
			const thread = await threads.open(params.threadId);
			const command = findUserCommand(params.input);
			const started = await turns.startedBefore(thread, params.clientId);
			if (started !== undefined) return started;
			if (command === undefined) return turns.start(thread, "conversation", params);
			return turns.start(thread, "userCommand", { params, command, isTyped: true });
		},
		async steerTurn(params) {
			const thread = await threads.open(params.threadId);
			await steerTurn(thread, params, ports);
			parts.agents.crewOf(thread).wake();
		},
		async interrupt(threadId) {
			const thread = await threads.open(threadId);
			compaction.stop(threadId);
			await goals.interrupt(thread, () => turns.stop(thread));
		},
		async changeSettings(threadId, change) {
			const changed = await changeThreadSettings(await threads.open(threadId), change, parts.sealInputs);
			if (!asksOnly(change)) await Promise.all([turns.compareRights(), endBeyond.all()]);
			return changed;
		},
		findFiles: createFindFiles(async (threadId) => {
			const { workspace, policy } = await parts.contractOf(threadId);
			return { cwd: workspace.cwd, roots: workspace.roots, policy: await parts.bind(policy.value) };
		}, ports.now),
		lendTool: parts.lendTool,
		listModels: (change) => offeredModels(asked(change), readProviders(facts), ports),
		plan: {
			signIn: (change) => parts.plan.signIn(locateServer(asked(change), ports)),
			signOut: parts.plan.signOut,
		},
		forgetLessons: () => ports.servers.forgetLessons(),
		detectWire: (change) => detectServerWire(asked(change), readProviders(facts), ports),
		discoverServers: () => discoverServers({ now: ports.now, memory: ports.servers }),
		recover: async () => [...(options.cleanedUp ?? []), ...(await patcher.recover()).map(describeRecovered)],
		async lookAtSandbox() {
			await containment.glance();
			if (layerSettings(facts.settings).sandbox.probeOnStart) await health.probe(undefined);
		},
		async close() {
			follower.stop();
			goals.close();
			health.close();
			await turns.close();
			await Promise.all(threads.all().map(endSession));
			await Promise.all([processes.close(), parts.toolServers.close()]);
			await Promise.all([...threads.all().map((thread) => thread.close()), ports.dailySpending.close()]);
		},
	};
}

/** Once, however often the host is told to end. */
async function endSession(thread: LiveThread): Promise<void> {
	const end = thread.endSession;
	thread.endSession = undefined;
	await end?.();
}
