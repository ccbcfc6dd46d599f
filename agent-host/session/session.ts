import { join } from "node:path";
import { findUnfollowed } from "../capabilities/instructions.ts";
import type { TurnEnvelope } from "../envelope/envelope.ts";
import { clientFor } from "../model/client.ts";
import { discoverServers, type FoundServer } from "../model/discover.ts";
import type { contextInspect, policyShow } from "../protocol/context.ts";
import { HostError } from "../protocol/errors.ts";
import type { HostStatus, modelList } from "../protocol/host.ts";
import { ThreadId, type TurnId } from "../protocol/ids.ts";
import type { ParsedParamsOf, ResultOf } from "../protocol/method.ts";
import type { PartialSettings } from "../protocol/settings.ts";
import type { turnStart, turnSteer } from "../protocol/turn.ts";
import { createPatcher } from "../sandbox/apply/patcher.ts";
import { describeRecovered } from "../sandbox/apply/recover.ts";
import { withOwnCommands } from "../sandbox/command/own-commands.ts";
import { createProcesses, type Processes } from "../sandbox/command/processes.ts";
import { createBindPolicy } from "../sandbox/files/bind-policy.ts";
import type { SearchPrograms } from "../sandbox/files/search.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import type { Home } from "../store/home.ts";
import { emptyState, type ThreadState } from "../store/thread-state.ts";
import type { Recorder } from "../telemetry/recorder.ts";
import { type Changes, createChanges } from "./changes/changes.ts";
import type { CompactionAsk } from "./compaction/ask.ts";
import { type ByHand, createByHand } from "./compaction/by-hand.ts";
import { previousModel } from "./compaction/previous.ts";
import { runCompaction } from "./compaction/run.ts";
import { createCompile } from "./compile-policy.ts";
import { createEndBeyond } from "./end-beyond.ts";
import { type Facts, keepHost, keepReading, keepRule, layerSettings } from "./facts.ts";
import { createFindFiles, type FindFiles } from "./find-files.ts";
import { createHealth, type Health } from "./health/health.ts";
import { createRecentProblems } from "./health/recent-problems.ts";
import { createSandboxWatch } from "./health/sandbox-watch.ts";
import { statusOf } from "./health/status.ts";
import { inspectContext, showNextTurn } from "./inspect.ts";
import { inspectSent } from "./inspect-sent.ts";
import { learnEditorWindow, offeredModels } from "./models.ts";
import type { Ports } from "./ports/ports.ts";
import { createToolbox, KEEP_NOTHING } from "./ports/toolbox.ts";
import { createFollower, type Follower } from "./thread/follow.ts";
import { createFullAccess, endFullAccess } from "./thread/full-access.ts";
import type { LiveThread } from "./thread/live-thread.ts";
import { threadContract } from "./thread/thread-contract.ts";
import { changeThreadSettings, type SettingsChange } from "./thread/thread-settings.ts";
import { createThreads, type Threads } from "./thread/threads.ts";
import { traceTurns } from "./trace-turns.ts";
import { createHostApprovals } from "./turn/host-approvals.ts";
import { runTurn } from "./turn/run-turn.ts";
import { createSpending } from "./turn/spending.ts";
import { acceptCompaction, acceptTurn, acceptUserCommand, sealTurn } from "./turn/start-turn.ts";
import { steerTurn } from "./turn/steer.ts";
import { type Acting, HOST_ENDED } from "./turn/turn.ts";
import { runUserCommand, userCommandIn } from "./user-command.ts";

type TurnParams = ParsedParamsOf<typeof turnStart>;
type Work = (signal: AbortSignal, stop: () => void) => Promise<void>;

/** A host's running state: its threads, and what its client has told it. */
export interface Session {
	readonly home: Home;
	readonly facts: Facts;
	readonly threads: Threads;
	readonly follower: Follower;
	/** Resolves when the turn is durable; it then runs on its own. */
	readonly startTurn: (params: ParsedParamsOf<typeof turnStart>) => Promise<TurnId>;
	/** Resolves when what the user says to the running turn is durable. */
	readonly steerTurn: (params: ParsedParamsOf<typeof turnSteer>) => Promise<void>;
	/** Compaction by hand. */
	readonly compaction: ByHand;
	/** What the user does with changed files. */
	readonly review: Changes["review"];
	readonly restore: Changes["restore"];
	/** Commands that go on in the background, for the user to look at and end. */
	readonly processes: Pick<Processes, "list" | "tail" | "end">;
	readonly interrupt: (threadId: ThreadId) => Promise<void>;
	/** For the next and later turns: taken over whole, or refused whole. */
	readonly changeSettings: (threadId: ThreadId, change: SettingsChange) => ReturnType<typeof changeThreadSettings>;
	/** What the client said of trust, settings or folders is something else now: commands with more rights than that end. */
	readonly rightsChanged: () => Promise<void>;
	/** The next request of a thread, as it would be sent if a turn began now. */
	readonly inspect: (threadId: ThreadId, request?: number) => Promise<ResultOf<typeof contextInspect>>;
	readonly showPolicy: (params: ParsedParamsOf<typeof policyShow>) => Promise<ResultOf<typeof policyShow>>;
	readonly findFiles: FindFiles;
	readonly listModels: (settings: PartialSettings | undefined) => Promise<ResultOf<typeof modelList>["models"]>;
	/** Model servers that answer on this machine. */
	readonly discoverServers: () => Promise<readonly FoundServer[]>;
	readonly status: () => HostStatus;
	/** What the last turns spent their time on. */
	readonly traces: Recorder["read"];
	/** Tries the policy, and looks at everything the host needs. */
	readonly health: Pick<Health, "probe" | "examine">;
	/** Brings what a crash cut short to an end; says of each thing what became of it. */
	readonly recover: () => Promise<readonly string[]>;
	/** Warns of what keeps commands from being contained here, as far as it shows without starting one; tries it where that is set. */
	readonly lookAtSandbox: () => Promise<void>;
	/** Stops every turn, records that, and closes the files. */
	readonly close: () => Promise<void>;
}

export function createSession(options: {
	readonly home: Home;
	readonly facts: Facts;
	readonly programs: SearchPrograms;
	readonly ports: Ports;
	/** What was undone of commands whose host had died, one sentence each. */
	readonly settled?: readonly string[];
}): Session {
	const { home, facts, programs, settled = [] } = options;
	const problems = createRecentProblems();
	const { recorder, ports } = traceTurns(problems.watch(options.ports));
	/** Turns that are being made durable. */
	const starting = new Map<ThreadId, Promise<TurnId>>();
	const full = createFullAccess(facts);
	const threads = createThreads(home, ports, (threadId) => starting.has(threadId), full);
	const environment = withOwnCommands({ ...process.env }, process.argv[1], process.execPath);
	const sandbox = createSandbox({ home: home.folder, path: process.env.PATH, folders: facts.folders });
	const changed = (): void => ports.statusChanged(status());
	const containment = createSandboxWatch(sandbox, { problem: ports.warn, changed });
	const health = createHealth({
		...{ home, facts, sandbox, containment, environment, contractOf, ports, problems: problems.read, changed },
	});
	const status = (): HostStatus =>
		statusOf({ home, facts, programs, ports, probe: health.last(), sandbox: containment.last() });
	const processes = createProcesses(health.guarded, ports.processesChanged);
	const follower = createFollower(ports, threads.open);
	const patcher = createPatcher({
		folder: home.problem === undefined ? join(home.folder, "patches") : undefined,
		lock: home.lock,
		newId: ports.newId,
		onRecovered: (recovered) => ports.log("warning", recovered.map(describeRecovered).join(" ")),
	});
	const bind = createBindPolicy();
	const compile = createCompile({ sandbox, bind, environment });
	const toolbox = createToolbox({ patcher, programs, processes, environment, facts, ports, bind });
	/** What the user has agreed to, as it is now. */
	const consent: Pick<Acting, "isTrusted" | "keepRule" | "keepReading" | "keepHost"> = {
		isTrusted: () => facts.trusted,
		keepRule: (rule) => keepRule(facts, rule),
		keepReading: (paths) => keepReading(facts, paths),
		keepHost: (rule) => keepHost(facts, rule),
	};
	const world = { facts, home: home.folder, ports, full, sandbox: containment };
	const endBeyond = createEndBeyond({
		processes,
		open: threads.open,
		policyOf: async (threadId) => (await contractOf(threadId)).policy.value,
		log: (message) => ports.log("error", message),
	});
	const changes = createChanges({ home, facts, patcher, open: threads.open, documents: ports.documents });
	const compaction = createByHand({
		ports,
		open: threads.open,
		seal: async (thread) => {
			const { envelope } = await sealTurn(thread.state(), {}, world);
			return { envelope, client: clientFor(envelope.identity, ports) };
		},
		start: async (threadId, ask, settings) => {
			const thread = await threads.open(threadId);
			await startOn(thread, () => beginCompaction(thread, ask, settings));
		},
	});
	return {
		home,
		facts,
		threads,
		follower,
		async startTurn(params) {
			if (home.problem !== undefined) throw new HostError("storage-unavailable", home.problem);
			if (params.trusted !== undefined && params.trusted !== facts.trusted) {
				facts.trusted = params.trusted;
				await endBeyond.all();
			}
			const thread = await threads.open(params.threadId);
			const command = userCommandIn(params.input);
			const work = () => (command === undefined ? begin(thread, params) : beginUserCommand(thread, params, command));
			return (await startedBefore(thread, params.clientId)) ?? startOn(thread, work);
		},
		async steerTurn(params) {
			await steerTurn(await threads.open(params.threadId), params, ports);
		},
		compaction,
		review: changes.review,
		restore: changes.restore,
		processes,
		async interrupt(threadId) {
			const thread = await threads.open(threadId);
			// A turn that is still being written down is stopped as soon as it can be.
			await starting.get(threadId)?.catch(() => undefined);
			compaction.stop(threadId);
			thread.running?.abort.abort();
			await thread.running?.ended;
		},
		async changeSettings(threadId, change) {
			const thread = await threads.open(threadId);
			const changed = await changeThreadSettings(thread, change, world);
			await endBeyond.all();
			return changed;
		},
		rightsChanged: endBeyond.all,
		async inspect(threadId, request) {
			if (request !== undefined) return inspectSent(home, threadId, request);
			const thread = await threads.open(threadId);
			const { envelope } = await sealTurn(thread.state(), {}, world);
			// Texts that stand apart from the records are brought in first.
			await thread.readHistory();
			const { cwd, roots, trusted } = envelope.workspace;
			const notFollowed = trusted || cwd === undefined ? [] : await findUnfollowed(cwd, roots);
			return {
				...inspectContext(thread.state(), envelope),
				...(notFollowed.length > 0 && { notFollowed: [...notFollowed] }),
			};
		},
		async showPolicy({ threadId, compiled }) {
			const { envelope, contract } = await nextTurn(threadId);
			const shown = showNextTurn(envelope, contract);
			const told = compiled ? await compile(envelope, threadId) : undefined;
			return told === undefined ? shown : { ...shown, compiled: [...told] };
		},
		findFiles: createFindFiles(async (threadId) => {
			const { workspace, policy } = await contractOf(threadId);
			return { cwd: workspace.cwd, roots: workspace.roots, policy: await bind(policy.value) };
		}, ports.now),
		listModels: (change) => offeredModels(layerSettings(facts.settings, change).model, ports),
		discoverServers: () => discoverServers({ now: ports.now, memory: ports.servers }),
		recover: async () => [...settled, ...(await patcher.recover()).map(describeRecovered)],
		async lookAtSandbox() {
			await containment.glance();
			if (layerSettings(facts.settings).sandbox.probeOnStart) await health.probe(undefined);
		},
		status,
		health,
		traces: recorder.read,
		async close() {
			follower.stop();
			health.close();
			// A turn that is on disk already must get its end there too.
			await Promise.allSettled(starting.values());
			for (const thread of threads.all()) thread.running?.abort.abort(HOST_ENDED);
			await Promise.all(threads.all().map((thread) => thread.running?.ended));
			await processes.close();
			await Promise.all(threads.all().map((thread) => thread.close()));
		},
	};

	/** The turn that the same message of the client's has begun, if it has. */
	async function startedBefore(thread: LiveThread, clientId: string | undefined): Promise<TurnId | undefined> {
		if (clientId === undefined) return undefined;
		await starting.get(thread.state().threadId)?.catch(() => undefined);
		return thread.state().inputs.find((input) => input.clientId === clientId)?.turnId;
	}

	/** What a turn that begins now would be bound to. */
	async function nextTurn(threadId: ThreadId | undefined): ReturnType<typeof sealTurn> {
		const state = threadId === undefined ? anyThread(ports) : (await threads.open(threadId)).state();
		return sealTurn(state, {}, world);
	}

	async function contractOf(threadId: ThreadId | undefined): Promise<TurnEnvelope> {
		return (await nextTurn(threadId)).envelope;
	}

	/** From here until the turn is registered nothing else may start one on this thread. */
	async function startOn(thread: LiveThread, begin: () => Promise<TurnId>): Promise<TurnId> {
		const { threadId } = thread.state();
		if (thread.running !== undefined || starting.has(threadId)) throw inProgress();
		const begun = endFullAccess(thread, full).then(retrySandbox).then(begin);
		starting.set(threadId, begun);
		try {
			return await begun;
		} finally {
			starting.delete(threadId);
		}
	}

	/** A sandbox that did not work may work by now. */
	async function retrySandbox(): Promise<void> {
		if (facts.trusted && containment.last()?.kind === "none") await containment.look("failed");
	}

	async function begin(thread: LiveThread, params: TurnParams): Promise<TurnId> {
		const { settings } = threadContract(thread.state(), facts);
		await learnEditorWindow(layerSettings(settings, params.overrides?.settings), ports);
		const { envelope, prompt, images, before } = await acceptTurn(thread, params, world);
		const { identity } = envelope;
		await endBeyond.of(thread, envelope.policy.value);
		const model = recorder.watch(clientFor(identity, ports), envelope);
		const previous = previousModel(before, identity, ports);
		const keeper = changes.keeperOf(thread, envelope);
		const tools = toolbox(thread, envelope, keeper);
		const spending = createSpending(envelope, thread.state(), ports);
		const hosts = createHostApprovals();
		recorder.begin(envelope, undefined, prompt);
		return run(thread, envelope, (signal, stop) =>
			runTurn({
				...{
					thread,
					envelope,
					prompt,
					images,
					model,
					previous,
					tools,
					spending,
					ports,
					signal,
					stop,
					...consent,
					hosts,
				},
				reviewed: () => changes.review.due(thread),
				atEnd: async () => {
					await hosts.close();
					await keeper.finish();
				},
			}),
		);
	}

	async function beginUserCommand(thread: LiveThread, params: TurnParams, command: string): Promise<TurnId> {
		const envelope = await acceptUserCommand(thread, params, command, world);
		await endBeyond.of(thread, envelope.policy.value);
		const tools = toolbox(thread, envelope, KEEP_NOTHING);
		recorder.begin(envelope, "userCommand");
		return run(thread, envelope, (signal, stop) =>
			runUserCommand(
				{ thread, envelope, tools, ports, signal, stop, ...consent, hosts: createHostApprovals() },
				command,
			),
		);
	}

	async function beginCompaction(
		thread: LiveThread,
		ask: CompactionAsk,
		settings: PartialSettings = {},
	): Promise<TurnId> {
		const { envelope: before } = thread.state();
		const envelope = await acceptCompaction(thread, settings, world);
		const model = recorder.watch(clientFor(envelope.identity, ports), envelope);
		const previous = previousModel(before, envelope.identity, ports);
		thread.compacted = undefined;
		const spending = createSpending(envelope, thread.state(), ports);
		recorder.begin(envelope, "compaction");
		return run(thread, envelope, (signal) =>
			runCompaction({ thread, envelope, model, previous, spending, ports, signal }, ask),
		);
	}

	function run(thread: LiveThread, envelope: TurnEnvelope, work: Work): TurnId {
		const { turnId } = envelope.identity;
		const abort = new AbortController();
		health.turnBegan();
		const start = async (): Promise<void> => {
			// The reply to the client goes first: what follows may take as long as it likes.
			await new Promise(setImmediate);
			await work(abort.signal, () => abort.abort());
		};
		const ended = start().finally(() => {
			const asked = thread.running?.compaction;
			thread.running = undefined;
			health.turnEnded(thread.state().threadId);
			if (asked === undefined || abort.signal.aborted) return;
			// The turn ended before a step boundary came.
			startOn(thread, () => beginCompaction(thread, asked)).catch((error: unknown) =>
				ports.log("warning", `A compaction could not start: ${error}`),
			);
		});
		thread.running = { turnId, envelope, abort, ended, compaction: undefined };
		return turnId;
	}
}

// What a thread that begins now would be allowed.
function anyThread(ports: Ports): ThreadState {
	const header = { settings: {}, baseInstructions: "" };
	return emptyState(ThreadId.parse(ports.newId()), header, ports.now());
}

function inProgress(): HostError {
	return new HostError("turn-in-progress", "A turn is running in this thread. Stop it or wait for its end.");
}
