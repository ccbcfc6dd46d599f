import { subagentNotification } from "../../context/fragments/user-actions.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { heldFromEnvelope } from "../../envelope/kept-contract.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import type { AgentHeader, AgentReport } from "../../protocol/agent.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId, TurnId } from "../../protocol/ids.ts";
import { mergePartialSettings, type PartialSettings } from "../../protocol/settings/settings.ts";
import { findPrice } from "../../spending/prices.ts";
import { listAgents } from "../../store/records/thread-state.ts";
import type { AgentOutcome, AgentPorts } from "../../tools/agent-call.ts";
import type { Readable } from "../../workspace/files/readable.ts";
import type { Ports } from "../ports/ports.ts";
import { asContextUpdate } from "../thread/due-fragments.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import type { Threads } from "../thread/threads.ts";
import { pendingSteers, steerTurn } from "../turn/steer.ts";
import { NOTHING_CHANGED } from "./agent-end.ts";
import { type AgentTree, asText, type Begun, type Crew, createCrew, PARENT } from "./crew.ts";
import { readEnd } from "./read-end.ts";
import { readRole } from "./read-role.ts";
import type { AgentRole } from "./roles.ts";
import type { AgentRun } from "./seats.ts";

/** The sub-agents of all threads of this host. */
export interface Agents {
	readonly crewOf: (thread: LiveThread) => Crew;
	/** What a turn's tools can do with sub-agents. */
	readonly portsFor: (thread: LiveThread, envelope: TurnEnvelope, readable: () => Promise<Readable>) => AgentPorts;
	/** The running thread that a sub-agent works for. */
	readonly findParent: (thread: LiveThread) => Promise<LiveThread | undefined>;
}

export function createAgents(options: {
	readonly threads: Pick<Threads, "start" | "open" | "forkForAgent">;
	readonly ports: Ports;
	/** Starts a turn of the conversation; resolves when it is durable. */
	readonly startTurn: (thread: LiveThread, text: string) => Promise<TurnId>;
}): Agents {
	const { threads, ports, startTurn } = options;
	/** By the open thread: one that is opened again has another one. */
	const crews = new WeakMap<LiveThread, Crew>();
	/** By the thread of a sub-agent: what it shares with all others that work for the same turn. */
	const trees = new WeakMap<LiveThread, AgentTree>();
	const runFor = async (parent: LiveThread, tree: AgentTree, threadId: ThreadId, text: string): Promise<AgentRun> => {
		const thread = await threads.open(threadId);
		const { agent } = thread.state();
		// It has the rights of the thread that started it, whatever other records name it.
		if (agent?.parent !== parent.state().threadId) throw new Error(`${agent?.name ?? "It"} works for another thread.`);
		trees.set(thread, tree);
		const turnId = await startTurn(thread, text);
		const { running } = thread;
		return {
			minutes: running?.envelope.identity.limits.agent.minutes,
			turnId,
			ended: (running?.ended ?? Promise.resolve()).then(() => readEnd(thread)),
			stop: () => running?.abort.abort(),
			steer: (message) =>
				steerTurn(thread, { threadId, turnId, input: [{ kind: "text", text: message }] }, ports).then(
					() => true,
					(error: unknown) => {
						if (error instanceof HostError && error.kind === "steer-refused") return false;
						throw error;
					},
				),
		};
	};
	const crewOf = (thread: LiveThread): Crew => {
		const known = crews.get(thread);
		if (known !== undefined) return known;
		const crew: Crew = createCrew(
			{
				run: (child, text) => runFor(thread, crew.tree(), child, text),
				treeAbove: () => trees.get(thread),
				findEnd: async (child) =>
					threads
						.open(child)
						.then(readEnd, () => ({ state: "failed", text: "It did not begin.", changed: NOTHING_CHANGED })),
				report: (agent, told) => report(thread, agent, told),
				hasNews: () => pendingSteers(thread.state()).length > 0,
				setTimer: ports.setTimer,
				log: (message) => ports.log("error", message),
			},
			() => listAgents(thread.state()),
		);
		crews.set(thread, crew);
		return crew;
	};
	const findParent = async (thread: LiveThread): Promise<LiveThread | undefined> => {
		const { agent } = thread.state();
		return agent === undefined ? undefined : threads.open(agent.parent).catch(() => undefined);
	};
	return {
		crewOf,
		findParent,
		portsFor: (thread, envelope, readable) => {
			const crew = crewOf(thread);
			const create = async (header: AgentHeader, settings: PartialSettings, isForked: boolean): Promise<ThreadId> => {
				const { threadId, cwd } = thread.state();
				// Relative paths in its task are those of the turn.
				const begun = { cwd: envelope.workspace.cwd ?? cwd, settings, agent: header };
				return (isForked ? await threads.forkForAgent(threadId, begun) : undefined) ?? threads.start(begun);
			};
			return {
				async startAgent(asked) {
					const role = await readRole(asked.role, envelope.capabilities.agents, readable);
					if (typeof role === "string") return refuse(role);
					const { name, role: named, task, callId = "", context, model = role.model } = asked;
					const dear = refuseDearer(model, envelope);
					if (dear !== undefined) return refuse(dear);
					const settings = settingsFor(thread, envelope, { ...role, model });
					const header = headerFor(thread, { name, role: named }, role);
					return asOutcome(
						crew.start({ name, role: named, callId }, task, () => create(header, settings, context === "all")),
						() => `${name} works. Its result comes as a message; list and wait with wait_agents.`,
					);
				},
				async messageAgent({ agent, text }) {
					const own = thread.state().agent;
					if (agent !== PARENT || own === undefined)
						return asOutcome(crew.message(agent, text), () => `${agent} reads it with its next step.`);
					const parent = await findParent(thread);
					if (parent === undefined) return refuse("The agent that started you is gone.");
					return asOutcome(crewOf(parent).hear(own.name, text), () => "It reads the message with its next step.");
				},
				async waitForAgents(seconds, signal) {
					await crew.wait(signal, seconds * 1_000);
					signal.throwIfAborted();
					return { ok: true, text: describeCrew(crew.list()) };
				},
				stopAgent: (agent) => asOutcome(crew.stop(agent), () => `${agent} was stopped.`),
			};
		},
	};
}

/** The state in the parent's thread, and as a message to its model, which is read before its next request. */
function report(thread: LiveThread, agent: AgentReport, told: string | undefined): Promise<void> {
	return thread.commit((state): readonly Draft[] => {
		const turnId = state.openTurn?.turnId ?? state.turnStarts.at(-1)?.turnId;
		if (turnId === undefined) return [];
		const isChanged = state.agents.get(agent.threadId)?.report.state !== agent.state;
		const drafts: Draft[] = isChanged ? [{ kind: "event", event: { type: "agentChanged", turnId, agent } }] : [];
		if (told === undefined || state.openTurn === undefined) return drafts;
		const about = { agent: agent.name, state: isChanged ? agent.state : "message" };
		const fragment = subagentNotification.of({ ...about, text: told });
		drafts.push({ kind: "attached", turnId, items: [asHistoryItem(fragment)] });
		drafts.push({ kind: "event", event: asContextUpdate(turnId, [fragment]) });
		return drafts;
	}, "synced");
}

function headerFor(thread: LiveThread, named: Pick<AgentReport, "name" | "role">, role: AgentRole): AgentHeader {
	const { threadId, agent: above } = thread.state();
	return {
		...{ parent: threadId, ...named, instructions: role.instructions },
		...narrowTools(role.tools, above?.tools),
		readsOnly: role.readsOnly || (above?.readsOnly ?? false),
		depth: (above?.depth ?? 0) + 1,
	};
}

/** Those of its role that its parent has. */
function narrowTools(own: AgentHeader["tools"], above: AgentHeader["tools"]): Pick<AgentHeader, "tools"> {
	const tools = own?.filter((name) => above?.includes(name) ?? true) ?? above;
	return tools === undefined ? {} : { tools: [...tools] };
}

/** What its parent chose for itself, but no permissions: those are its parent's at each turn. */
function settingsFor(
	thread: LiveThread,
	envelope: TurnEnvelope,
	{ model, effort, maxTurns }: Pick<AgentRole, "model" | "effort" | "maxTurns">,
): PartialSettings {
	const all = mergePartialSettings(thread.state().settings, thread.running?.chosen ?? {});
	const { permissions: _, approval: __, modes: ___, ...own } = all;
	const held = { model: heldFromEnvelope(envelope).model };
	const chosen = {
		...(model !== undefined && { id: model }),
		...(effort !== undefined && { reasoningEffort: effort }),
	};
	const { agent: limits } = envelope.identity.limits;
	const requests = Math.min(limits.requests ?? Infinity, maxTurns ?? Infinity);
	const budgets = maxTurns === undefined ? {} : { budgets: { agent: { ...limits, requests } } };
	return mergePartialSettings(own, held, { model: chosen }, budgets);
}

/** What a request costs is the user's decision: no model that is known to be dearer is chosen for them. */
function refuseDearer(model: string | undefined, { identity }: TurnEnvelope): string | undefined {
	if (model === undefined || model === identity.model) return undefined;
	const [own, other] = [findPrice(identity, identity.model), findPrice(identity, model)];
	if (own === undefined || other === undefined || (other.input <= own.input && other.output <= own.output))
		return undefined;
	return `${model} costs more than ${identity.model}. Choose another model, or none.`;
}

function describeCrew(agents: readonly AgentReport[]): string {
	if (agents.length === 0) return "There are no sub-agents.";
	return agents.map(({ name, role, state }) => `${name} (${role}): ${state}`).join("\n");
}

async function asOutcome(begun: Promise<Begun>, describe: () => string): Promise<AgentOutcome> {
	try {
		const outcome = await begun;
		return outcome.ok ? { ok: true, text: describe() } : outcome;
	} catch (error) {
		return refuse(asText(error));
	}
}

function refuse(reason: string): AgentOutcome {
	return { ok: false, reason };
}
