import { contentTokens } from "../../compaction/measure.ts";
import { findMessageKind, PLAIN } from "../../context/catalog.ts";
import type { Fragment } from "../../context/fragment.ts";
import { compactedIntent } from "../../context/fragments/compacted.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { HistoryItem } from "../../history/history-item.ts";
import { describeImage } from "../../history/image-facts.ts";
import { estimateTokens } from "../../history/tokens.ts";
import type { ModelRequest } from "../../model/port.ts";
import { buildRequest } from "../../model/request.ts";
import type { Network } from "../../permissions/policy/policy.ts";
import { mayRun } from "../../permissions/reach/may-run.ts";
import { sayPolicy, sayPolicyName } from "../../permissions/words/policy-words.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { ResultOf } from "../../protocol/method.ts";
import { asMessage, nameSaid } from "../../protocol/say.ts";
import type { NetworkMode } from "../../protocol/settings/policy-settings.ts";
import type { CacheBreak } from "../../protocol/thread/cache-break.ts";
import type { contextInspect, contextTold, policyShow } from "../../protocol/thread/context.ts";
import type { Pin, ThreadState } from "../../store/records/thread-state.ts";
import { TOOLS } from "../../tools/catalog.ts";
import { type Opening, openingItems } from "../start/opening-items.ts";
import type { NextTurn } from "../start/seal-turn.ts";
import { dueFragments } from "../thread/due-fragments.ts";
import { readIdentity } from "../thread/last-envelope.ts";
import { apportionTokens } from "./apportion-tokens.ts";
import { listMutable } from "./list-mutable.ts";
import { nextRequestTokens } from "./next-size.ts";

/** The next request, item by item: the history, then what a turn would add if it began now. */
export function inspectContext(
	state: ThreadState,
	envelope: TurnEnvelope,
	{ request, added }: NextRequest,
	miss: CacheBreak | undefined,
): ResultOf<typeof contextInspect> {
	const { history } = state;
	const fixed = fixedParts(request);
	const tokens = nextRequestTokens(state, envelope, added);
	const firstAdded = fixed.length + buildRequest(envelope, history, TOOLS).input.length;
	const cached = history.length === 0 ? 0 : countCached(miss, fixed.length, firstAdded);
	const items = [...fixed, ...request.input.map(describeInput)].map((part, index) => {
		return { index, ...part, cached: index < cached, estimated: true };
	});
	const findTurn = createTurnFinder(state, fixed.length);
	const mutable = listMutable(history, request.input);
	const placed = items.map((item) =>
		item.index < firstAdded ? { ...item, ...findTurn(item.index), ...mutable[item.index - fixed.length] } : item,
	);
	const firstUncached = items.findIndex((item) => !item.cached);
	return {
		items: markPinnable(apportionTokens(placed, tokens), state.pins, new Set(request.input.flatMap(listKept))),
		...describeBounds(envelope, tokens),
		...countCompacted(state),
		...(firstUncached < 0 ? {} : { firstUncached }),
	};
}

/** The next request, and its items that are not in the history yet. */
export interface NextRequest {
	readonly request: ModelRequest;
	readonly added: readonly HistoryItem[];
}

/** How many parts of a request its server can have in its cache: `unbroken`, or those before the one that breaks it. */
export function countCached(miss: CacheBreak | undefined, fixed: number, unbroken: number): number {
	if (miss?.part === undefined) return unbroken;
	return miss.index === undefined ? 0 : Math.min(unbroken, fixed + miss.index);
}

/** What the model would be told first if a turn began now; `reviewed` is what the user did to files. */
export function foreseeTold(
	state: ThreadState,
	envelope: TurnEnvelope,
	reviewed: readonly Fragment[],
): readonly Fragment[] {
	return [...dueFragments(state, envelope, readIdentity(state.envelope)).fragments, ...reviewed];
}

/** What comes behind the history: messages that were sent into a running turn, then what the turn begins with. */
function listAdded({ openTurn }: ThreadState, opening: Opening): readonly HistoryItem[] {
	return [...(openTurn?.unrecordedInput ?? []), ...openingItems(opening)];
}

/** The first request of a turn that began now. */
export function nextRequest(state: ThreadState, envelope: TurnEnvelope, opening: Opening): NextRequest {
	const added = listAdded(state, opening);
	return { request: buildRequest(envelope, [...state.history, ...added], TOOLS), added };
}

/** The parts of every request; the tools of each MCP server are one of their own, so that its cost can be seen. */
export function fixedParts({ instructions, tools }: Pick<ModelRequest, "instructions" | "tools">) {
	const byServer = Map.groupBy(tools, ({ name }) => /^mcp__(.+?)__/.exec(name)?.[1]);
	const own = JSON.stringify(byServer.get(undefined) ?? []);
	const served = [...byServer].flatMap(([server, of]) =>
		server === undefined ? [] : [{ kind: `MCP ${server}`, origin: "server", text: JSON.stringify(of) }],
	);
	const parts = [
		{ kind: "instructions", origin: "host", text: instructions },
		{ kind: "tools", origin: "host", text: own },
		...served,
	];
	return parts.map(({ kind, origin, text }) => ({ kind, role: "system", origin, text, tokens: estimateTokens(text) }));
}

export function describeInput(item: HistoryItem) {
	return { ...describe(item), tokens: contentTokens(item) };
}

/** How many turns are in a request only as a compaction left them. */
export function countCompacted({ droppedTurns }: Pick<ThreadState, "droppedTurns">) {
	return droppedTurns.length === 0 ? {} : { compactedTurns: droppedTurns.length };
}

/** The settings that apply to a request. */
export function describeBounds(envelope: TurnEnvelope, tokens: number) {
	const { budgets, model } = envelope.identity;
	return {
		model,
		window: budgets.window,
		effectiveWindow: budgets.effective,
		autoCompactLimit: budgets.autoCompact,
		tokens,
		policy: policyInWords(envelope).words,
		policyDigest: envelope.policy.digest,
	};
}

/** The policy of an envelope in sentences. */
export function policyInWords({ policy }: TurnEnvelope) {
	const { plan } = policy.value;
	const name = sayPolicyName(policy.value);
	return {
		name: name.text,
		nameSaid: nameSaid(name),
		mode: policy.value.mode,
		approval: policy.value.approval,
		network: networkMode(policy.value.network.kind),
		words: sayPolicy(policy.value).map(asMessage),
		digest: policy.digest,
		sandbox: policy.sandbox,
		commands: mayRun(policy.value),
		...(plan === undefined ? {} : { plan: { mode: plan.mode, network: networkMode(plan.network) } }),
	};
}

/** Everything that would apply to the next turn of a thread; `told` is what the model would be told first. */
export function showNextTurn(
	{ state, envelope, contract: { folder, offered }, brought }: NextTurn,
	told: readonly Fragment[],
): ResultOf<typeof policyShow> {
	const { identity, workspace, modes } = envelope;
	const { reasoningEffort: effort } = identity.request;
	const tokens = nextRequestTokens(state, envelope, listAdded(state, { told, prompt: [], invoked: [] }));
	return {
		...policyInWords(envelope),
		provider: identity.provider,
		model: identity.model,
		images: identity.abilities.images,
		...(effort === undefined ? {} : { effort }),
		...(workspace.cwd === undefined ? {} : { cwd: workspace.cwd }),
		isFolderOpen: folder.isOpen,
		collaboration: modes.collaboration,
		live: modes.realtime,
		context: { tokens, effectiveWindow: identity.budgets.effective },
		offered,
		prompts: [
			...brought.prompts.map(({ name, about, argumentHint, origin, path }) => {
				return { name, about, argumentHint, origin, path };
			}),
			...envelope.capabilities.serverPrompts.map(({ name, about, takes, server }) => {
				const argumentHint = takes.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ");
				return { name, about, argumentHint, origin: "server" as const, path: server };
			}),
		],
	};
}

function networkMode(kind: Network["kind"]): NetworkMode {
	return kind === "allow" ? "allowList" : kind;
}

/** The section texts of one turn, each with the previous one of its kind. */
export function listContextTexts(state: ThreadState, turnId: TurnId): ResultOf<typeof contextTold> {
	const { history, turnStarts } = state;
	const index = turnStarts.findIndex((start) => start.turnId === turnId);
	const from = turnStarts[index]?.at;
	if (from === undefined) return { fragments: [] };
	const until = turnStarts[index + 1]?.at ?? history.length;
	const said = history.slice(from, until).filter((item) => item.kind === "fragment");
	return {
		fragments: said.map(({ fragment, text }) => {
			const before = history.slice(0, from).findLast((item) => item.kind === "fragment" && item.fragment === fragment);
			return { kind: fragment, text, ...(before?.kind === "fragment" ? { before: before.text } : {}) };
		}),
	};
}

/** After one of these, a message in the same turn was a steering message. */
const AFTER_PROMPT: ReadonlySet<string> = new Set([
	...["userMessage", "agentMessage", "reasoning", "toolCall", "toolOutput", "sealedSummary"],
	compactedIntent.kind,
]);

interface Placed {
	readonly kind: string;
	readonly text: string;
	readonly turnId?: TurnId;
	readonly compacted?: true;
}

/** The text of a message that a compaction kept. */
function listKept(item: HistoryItem): readonly string[] {
	return item.kind === "userMessage" && item.kept !== undefined ? [item.text] : [];
}

/**
 * A turn's prompt comes before anything but the world; after a compaction inside the turn, it is among the kept user
 * messages instead. What the user said later in the turn was sent into it.
 */
function markPinnable<T extends Placed>(items: readonly T[], pins: readonly Pin[], kept: ReadonlySet<string>) {
	const begun = new Set<TurnId>();
	return items.map((item) => {
		const { kind, turnId, text } = item;
		if (item.compacted && kind === "userMessage") return { ...item, ...findKeptPin(pins, text) };
		if (turnId === undefined) return item;
		const isBegun = begun.has(turnId);
		if (AFTER_PROMPT.has(kind)) begun.add(turnId);
		if (kind !== "userMessage" || (isBegun && kept.has(text))) return item;
		const own = pins.filter((pin) => pin.turnId === turnId && isBegun === (pin.itemId !== undefined));
		if (!isBegun) return { ...item, pinned: own.length > 0 };
		return { ...item, steered: true, pinned: own.some((pin) => pin.text === text) };
	});
}

/** A pinned message that a compaction kept: it can be unpinned by its turn. */
function findKeptPin(pins: readonly Pin[], text: string) {
	const pin = pins.find((one) => one.text === text);
	if (pin === undefined) return {};
	return { turnId: pin.turnId, pinned: true, ...(pin.itemId === undefined ? {} : { steered: true }) };
}

function describe(item: HistoryItem): {
	readonly kind: string;
	readonly role: string;
	readonly messageKind?: string;
	readonly origin: string;
	readonly text: string;
} {
	switch (item.kind) {
		case "fragment":
			return {
				kind: item.fragment,
				role: item.role,
				...(item.role === "user" ? { messageKind: findMessageKind(item.fragment) } : {}),
				origin: item.origin,
				text: item.text,
			};
		case "userMessage":
			return { kind: "userMessage", role: "user", messageKind: PLAIN, origin: "user", text: item.text };
		case "userImage":
			return { kind: "userImage", role: "user", messageKind: PLAIN, origin: "user", text: describeImage(item) };
		case "agentMessage":
			return { kind: "agentMessage", role: "assistant", origin: "model", text: item.text };
		case "reasoning":
			return {
				kind: "reasoning",
				role: "assistant",
				origin: "model",
				text: item.summary.join("\n") || (item.encrypted ?? ""),
			};
		case "sealedSummary":
			return { kind: "sealedSummary", role: "assistant", origin: "model", text: item.encrypted };
		case "toolCall":
			return { kind: "toolCall", role: "assistant", origin: "model", text: `${item.name} ${item.arguments}` };
		case "toolOutput":
			return { kind: "toolOutput", role: "tool", origin: "tool", text: item.output };
	}
}

// Repaired pairs shift later items by a few places at most; the turn of an item is computed from the history as it is.
export function createTurnFinder(
	{ turnStarts, history, droppedTurns }: Pick<ThreadState, "turnStarts" | "history" | "droppedTurns">,
	offset: number,
) {
	return (index: number): { readonly turnId?: TurnId; readonly compacted?: true } => {
		const at = index - offset;
		if (at < 0 || at >= history.length) return {};
		const turnId = turnStarts.findLast((start) => start.at <= at)?.turnId;
		if (turnId !== undefined) return { turnId };
		return droppedTurns.length === 0 ? {} : { compacted: true };
	};
}
