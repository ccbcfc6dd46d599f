import { homedir } from "node:os";
import { join } from "node:path";
import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { HostStatus } from "../protocol/host/host.ts";
import { ThreadId, type TurnId } from "../protocol/ids.ts";
import { mergePartialSettings } from "../protocol/settings/settings.ts";
import type { UserInput } from "../protocol/thread/turn.ts";
import { withOwnCommands } from "../sandbox/command/own-commands.ts";
import { createProcesses } from "../sandbox/command/processes.ts";
import { createHarmfulPlaces } from "../sandbox/protect/harmful-places.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { openConsentFiles } from "../store/home/consent-file.ts";
import type { Home } from "../store/home/home.ts";
import { openPluginFolders } from "../store/home/plugin-folders.ts";
import { openWorktreeFiles } from "../store/home/worktree-files.ts";
import { emptyState } from "../store/records/thread-state.ts";
import { createPatcher } from "../workspace/apply/patcher.ts";
import { describeRecovered } from "../workspace/apply/recover.ts";
import { createBindPolicy } from "../workspace/files/bind-policy.ts";
import type { RunRipgrep } from "../workspace/files/search.ts";
import { createAgents } from "./agents/agents.ts";
import { createBringsAlong, NOTHING_BROUGHT } from "./brought/brought.ts";
import { createConsents } from "./brought/consents.ts";
import { createPlugins } from "./brought/plugins.ts";
import { createRunHook } from "./brought/run-hook.ts";
import { createChanges } from "./changes/file-changes.ts";
import { createEndBeyond } from "./end-beyond.ts";
import type { Facts } from "./facts.ts";
import { createHealth } from "./health/host-health.ts";
import { createRecentProblems } from "./health/recent-problems.ts";
import { createSandboxWatch } from "./health/sandbox-watch.ts";
import { collectStatus } from "./health/status.ts";
import { createCompile } from "./inspect/compile-policy.ts";
import { createPlanSignIn } from "./plan-sign-in.ts";
import type { Ports } from "./ports/ports.ts";
import { findInPlaces, listServerPlaces } from "./servers/server-places.ts";
import { createToolServers } from "./servers/tool-servers.ts";
import { readLimits } from "./start/read-limits.ts";
import { type NextTurn, type ParentRights, type SealInputs, sealTurn } from "./start/seal-turn.ts";
import { createFullAccess } from "./thread/full-access.ts";
import type { LiveThread, RunningTurn } from "./thread/live-thread.ts";
import { threadContract } from "./thread/thread-contract.ts";
import { createThreads } from "./thread/threads.ts";
import { createLendTool } from "./tools/lend-tool.ts";
import { createToolbox } from "./tools/toolbox.ts";
import { traceTurns } from "./trace-turns.ts";
import { createFindUse } from "./worktrees/find-use.ts";
import { createRunContained } from "./worktrees/run-contained.ts";
import { createWorktrees } from "./worktrees/worktrees.ts";

export interface SessionOptions {
	readonly home: Home;
	readonly facts: Facts;
	readonly ripgrep: RunRipgrep | undefined;
	readonly ports: Ports;
	/** What was undone for commands of dead hosts, one sentence each. */
	readonly cleanedUp?: readonly string[];
}

/** Everything that a session and its turns use, each created once. */
export type Parts = ReturnType<typeof createParts>;

export function createParts(
	{ home, facts, ripgrep, ports: given }: SessionOptions,
	/** Starts a turn of the conversation; resolves when it is durable. */
	startTurn: (thread: LiveThread, text: string) => Promise<TurnId>,
) {
	const problems = createRecentProblems();
	const traced = traceTurns(problems.watch(given));
	const plan = createPlanSignIn(traced.ports);
	const { recorder } = traced;
	const ports = { ...traced.ports, secret: plan.secret };
	const full = createFullAccess(facts);
	const endCommands = async (threadId: ThreadId): Promise<void> => {
		await processes.endBeyond(threadId, undefined);
	};
	const threads = createThreads(home, ports, endCommands, full);
	const agents = createAgents({ threads, ports, startTurn });
	const environment = withOwnCommands({ ...process.env }, process.argv[1], process.execPath);
	const sandbox = createSandbox({ home: home.folder, path: process.env.PATH, folders: facts.folders });
	const status = (): HostStatus =>
		collectStatus({ home, facts, ripgrep, ports, probe: health.last(), sandbox: containment.last() });
	const changed = (): void => ports.statusChanged(status());
	const containment = createSandboxWatch(sandbox, { problem: ports.warn, changed });
	/** For servers, whose own policy does not depend on what they offer. */
	const withoutServers = {
		facts,
		home: home.folder,
		ports,
		full,
		sandbox: containment,
		observeServers: async () => NONE,
		observeBrought: async () => NOTHING_BROUGHT,
		parentRights: (parent: ThreadId): Promise<ParentRights | undefined> => parentRights(parent),
		readWorktrees: (): Promise<void> => worktrees.refresh(),
	};
	const parentRights = async (parent: ThreadId): Promise<ParentRights | undefined> => {
		const thread = await threads.open(parent).catch(() => undefined);
		if (thread === undefined) return undefined;
		const { settings } = threadContract(full.held(thread.state()), facts);
		const { permissions = {}, approval, modes = {} } = mergePartialSettings(settings, thread.running?.chosen ?? {});
		const sealed = thread.running?.envelope ?? (await sealTurn(thread.state(), {}, withoutServers)).envelope;
		const isAgent = thread.state().agent !== undefined;
		return {
			// A sub-agent has the modes of its own parent.
			settings: { permissions, modes: isAgent ? sealed.modes : modes, ...(approval && { approval }) },
			policy: sealed.policy.value,
			off: sealed.capabilities.off ?? [],
		};
	};
	const consentFiles = openConsentFiles(home);
	const consents = createConsents(consentFiles, (message) => ports.log("warning", message));
	const plugins = createPlugins(openPluginFolders(home.folder), consentFiles);
	const brings = createBringsAlong(consents, plugins, { home: home.folder, userHome: homedir() });
	const withoutTheirOffers = { ...withoutServers, observeBrought: brings.observe };
	const freshState = (cwd?: string) => emptyState(ThreadId.parse(ports.newId()), { ...NEW_THREAD, cwd }, ports.now());
	const placesNow = () =>
		listServerPlaces(
			facts,
			threads.all().map((thread) => thread.state().cwd),
		);
	const toolServers = createToolServers({
		...{ facts, ports, sandbox, environment, userHome: homedir(), changed: ports.serversChanged },
		limits: readLimits,
		look: () =>
			findInPlaces(placesNow(), async (cwd) => (await sealTurn(freshState(cwd), {}, withoutTheirOffers)).brought),
		policy: async (folder) => (await sealTurn(freshState(folder), {}, withoutServers)).envelope.policy.value,
	});
	const sealInputs: SealInputs = {
		...withoutServers,
		observeServers: toolServers.observe,
		observeBrought: brings.observe,
	};
	const lookInputs: SealInputs = { ...sealInputs, observeServers: toolServers.foresee };
	/** The envelope of a turn that would start now, perhaps with this input: in a thread, or in a new one. */
	const sealNext = async (threadId: ThreadId | undefined, input: UserInput[] = []): Promise<NextTurn> => {
		const state = threadId === undefined ? freshState() : (await threads.open(threadId)).state();
		return { ...(await sealTurn(state, { input }, lookInputs)), state };
	};
	/** The same if nothing were switched off in the thread. */
	const sealWithAll = async (threadId: ThreadId): Promise<NextTurn> => {
		const state = (await threads.open(threadId)).state();
		return { ...(await sealTurn(state, { settings: { sources: { off: [] } } }, lookInputs)), state };
	};
	/** The envelope that a running turn would have if it began now, with the same choices. */
	const sealAgain = async (
		thread: LiveThread,
		{ envelope, chosen }: Pick<RunningTurn, "envelope" | "chosen">,
	): Promise<TurnEnvelope> => {
		const { cwd } = envelope.workspace;
		const folder = cwd === thread.state().cwd ? {} : { cwd };
		return (await sealTurn(thread.state(), { ...folder, settings: chosen }, withoutServers)).envelope;
	};
	const contractOf = async (threadId: ThreadId | undefined): Promise<TurnEnvelope> =>
		(await sealNext(threadId)).envelope;
	const health = createHealth({
		...{ home, facts, sandbox, containment, environment, contractOf, ports, problems: problems.read, changed },
		toolServers: toolServers.list,
	});
	const processes = createProcesses(health.guarded, ports.processesChanged);
	const worktrees = createWorktrees({
		...{ home, facts, files: openWorktreeFiles(home), now: ports.now },
		runContained: createRunContained(sandbox, environment),
		policy: async () => (await sealTurn(freshState(), {}, withoutServers)).envelope.policy.value,
		findUse: createFindUse({ home, threads, owners: () => processes.list().map(({ owner }) => owner) }),
	});
	const patcher = createPatcher({
		folder: home.problem === undefined ? join(home.folder, "patches") : undefined,
		lock: home.lock,
		newId: ports.newId,
		onRecovered: (recovered) => ports.log("warning", recovered.map(describeRecovered).join(" ")),
	});
	const bind = createBindPolicy();
	return {
		...{
			home,
			facts,
			ports,
			recorder,
			full,
			threads,
			status,
			containment,
			sealInputs,
			sealNext,
			sealAgain,
			sealWithAll,
		},
		...{ contractOf, health, processes, patcher, bind, toolServers, brings, plugins, agents, worktrees, plan },
		runHook: createRunHook(sandbox, environment),
		compile: createCompile({ sandbox, bind, environment }),
		toolbox: createToolbox({
			patcher,
			ripgrep,
			processes,
			threads: threads.all,
			environment,
			facts,
			ports,
			bind,
			places: createHarmfulPlaces(),
			toolServers,
			agentPorts: agents.portsFor,
		}),
		lendTool: createLendTool({
			sealNew: () => contractOf(undefined),
			bind,
			ripgrep,
			documents: facts.documents,
			editor: ports.documents,
		}),
		changes: createChanges({
			...{ home, facts, patcher, open: threads.open, documents: ports.documents },
			readWorktrees: worktrees.refresh,
			now: ports.now,
		}),
		endBeyond: createEndBeyond({
			processes,
			open: threads.open,
			policyOf: async (threadId) => (await contractOf(threadId)).policy.value,
			log: (message) => ports.log("error", message),
		}),
	};
}

const NONE = { offers: { listed: [], found: [] }, tools: [], prompts: [] };
const NEW_THREAD = { settings: {}, baseInstructions: "" };
