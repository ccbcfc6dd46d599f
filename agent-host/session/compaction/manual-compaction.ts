import { contextTokens } from "../../compaction/measure.ts";
import { isSummary } from "../../compaction/replacement.ts";
import { resumeLine } from "../../compaction/summary-contract.ts";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { NO_TOKENS } from "../../history/token-usage.ts";
import { HostError } from "../../protocol/errors.ts";
import type { ThreadId, TurnId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { type Said, say } from "../../protocol/say.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";
import {
	CompactionId,
	type CompactionReport,
	type threadCompact,
	type threadCompactApply,
	type threadPin,
} from "../../protocol/thread/compaction.ts";
import type { threadMute } from "../../protocol/thread/context.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import type { Ports } from "../ports/ports.ts";
import type { CompactionRequest, Prepared } from "../thread/compaction-request.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import type { ModelInUse } from "../thread/running-turn.ts";
import { createSpending } from "../thread/spending.ts";
import { whileIdle } from "../thread/while-idle.ts";
import { changeMute } from "./change-mute.ts";
import { changePin } from "./change-pin.ts";
import { cutFor, isOutdated, planFor, prepareCompaction, skip, toPrepared } from "./compact.ts";
import { fixedTokens, usageNow } from "./compaction-records.ts";

/** The compaction requests of a client. */
export interface ManualCompaction {
	readonly compact: (
		params: ParsedParamsOf<typeof threadCompact>,
		/** Stops a preview in progress. */
		signal?: AbortSignal,
		/** For this compaction only, if it is a separate turn. */
		settings?: PartialSettings,
	) => Promise<{
		compactionId: CompactionId;
		preview?: CompactionReport;
	}>;
	readonly apply: (params: ParsedParamsOf<typeof threadCompactApply>) => Promise<void>;
	readonly undo: (threadId: ThreadId) => Promise<void>;
	readonly pin: (params: ParsedParamsOf<typeof threadPin>) => Promise<void>;
	readonly mute: (params: ParsedParamsOf<typeof threadMute>) => Promise<void>;
	/** Stops a preview in progress. */
	readonly stop: (threadId: ThreadId) => void;
}

interface Preview {
	readonly threadId: ThreadId;
	readonly prepared: NonNullable<CompactionRequest["prepared"]>;
}

const GO_ON = "RESUME_AT: continue with the user's latest request";

export function createManualCompaction(options: {
	readonly ports: Ports;
	readonly open: (threadId: ThreadId) => Promise<LiveThread>;
	/** The envelope and model of a turn that would start now; records nothing. */
	readonly seal: (thread: LiveThread) => Promise<{ readonly envelope: TurnEnvelope } & Pick<ModelInUse, "client">>;
	/** Starts a separate turn. */
	readonly start: (threadId: ThreadId, ask: CompactionRequest, settings: PartialSettings) => Promise<void>;
}): ManualCompaction {
	const { ports, open, seal, start } = options;
	const previews = new Map<CompactionId, Preview>();
	const making = new Map<ThreadId, AbortController>();

	/** Inside the running turn, at its next step boundary; otherwise, or if that never comes, as a separate turn. */
	const begin = async (
		thread: LiveThread,
		threadId: ThreadId,
		ask: CompactionRequest,
		settings: PartialSettings = {},
	): Promise<void> => {
		const { running } = thread;
		if (running === undefined) return start(threadId, ask, settings);
		const { compaction: replaced } = running;
		running.compaction = ask;
		if (replaced !== undefined) await skip({ thread, envelope: running.envelope }, replaced);
	};
	const preview = async (
		thread: LiveThread,
		threadId: ThreadId,
		ask: CompactionRequest,
		cancelled: AbortSignal | undefined,
	): Promise<CompactionReport> => {
		making.get(threadId)?.abort();
		const abort = new AbortController();
		const onCancel = (): void => abort.abort();
		cancelled?.addEventListener("abort", onCancel, { once: true });
		if (cancelled?.aborted) onCancel();
		making.set(threadId, abort);
		try {
			const { envelope, client } = await seal(thread);
			// A preview changes nothing: not even its warnings are recorded.
			const reader = { ...thread, commit: async () => undefined };
			const spending = createSpending(envelope, thread.state(), ports);
			const turn = { thread: reader, envelope, model: client, spending, ports, signal: abort.signal };
			await thread.readHistory();
			const { history } = thread.state();
			refuseUnlessThere(thread.state(), ask);
			const prepared = await prepareCompaction(turn, planFor(turn, ask), ask);
			for (const [id, { threadId: of }] of previews) if (of === threadId) previews.delete(id);
			const cost = spending.soFar().turn;
			previews.set(ask.compactionId, { threadId, prepared: { ...prepared, history, cost } });
			return prepared.report;
		} catch (error) {
			throw abort.signal.aborted ? refuse(say("preview-stopped")) : error;
		} finally {
			cancelled?.removeEventListener("abort", onCancel);
			if (making.get(threadId) === abort) making.delete(threadId);
		}
	};
	return {
		async compact({ threadId, preview: wanted, focus, throughTurnId }, signal, settings) {
			const thread = await open(threadId);
			if (thread.refusal !== undefined) throw thread.refusal;
			// A second one after it would have next to nothing to free, and the first could no longer be undone.
			const isOwnTurn = thread.state().openTurn?.purpose === "compaction";
			if (isOwnTurn || thread.running?.isCompacting) throw refuse(say("compacts-already"));
			const compactionId = CompactionId.parse(ports.newId());
			const besideTurn = wanted === true && thread.running !== undefined;
			const named = { focus, through: throughTurnId, besideTurn };
			const ask = { compactionId, reason: "manual", phase: "standalone", ...named } as const;
			refuseUnlessThere(thread.state(), ask);
			if (wanted === true) return { compactionId, preview: await preview(thread, threadId, ask, signal) };
			await begin(thread, threadId, ask, settings);
			return { compactionId };
		},
		async apply({ compactionId, summary }) {
			const found = previews.get(compactionId);
			if (found === undefined) throw refuse(say("preview-gone"));
			const thread = await open(found.threadId);
			if (isOutdated(found.prepared, thread.state())) throw refuse(say("preview-outdated"));
			const words = summary === undefined ? found.prepared : withWords(found.prepared, summary);
			const prepared = { ...words, history: found.prepared.history };
			const isOwnTurn = thread.running === undefined;
			await begin(thread, found.threadId, { compactionId, reason: "manual", phase: "standalone", prepared });
			previews.delete(compactionId);
			if (isOwnTurn) await thread.running?.ended;
		},
		async undo(threadId) {
			const thread = await open(threadId);
			const undo = async (): Promise<void> => undoLast(thread, (await seal(thread)).envelope);
			await whileIdle(thread, undo, () => refuse(say("undo-while-turn-runs")));
		},
		async pin(params) {
			const thread = await open(params.threadId);
			if (thread.refusal !== undefined) throw thread.refusal;
			await changePin(thread, params, async () => (await seal(thread)).envelope);
		},
		async mute(params) {
			const thread = await open(params.threadId);
			if (thread.refusal !== undefined) throw thread.refusal;
			const { envelope } = await seal(thread);
			await changeMute(thread, params);
			await reportSize(thread, envelope, thread.state().turnStarts.at(-1)?.turnId ?? envelope.identity.turnId);
		},
		stop: (threadId) => making.get(threadId)?.abort(),
	};
}

async function undoLast(thread: LiveThread, envelope: TurnEnvelope): Promise<void> {
	const { beforeCompaction, lastCompaction } = thread.state();
	if (beforeCompaction === undefined || lastCompaction === undefined) {
		throw refuse(say("no-compaction-to-undo"));
	}
	const { turnId, before, after, compactionId, reason, phase, strategy } = lastCompaction;
	const undone = { compactionId, reason, phase, strategy, before: after, after: before };
	await thread.commit(
		[
			{ kind: "rewrite", reason: "undo", keep: 0, items: [] },
			{ kind: "event", event: { type: "compactionUndone", ...undone } },
		],
		"synced",
	);
	await reportSize(thread, envelope, turnId);
}

/** Publishes the size of a history that was rewritten, until a response reports it. */
async function reportSize(thread: LiveThread, envelope: TurnEnvelope, turnId: TurnId): Promise<void> {
	const size = contextTokens(await thread.readHistory(), fixedTokens(envelope), thread.state().lastUsage);
	const usage = usageNow({ thread, envelope }, { ...NO_TOKENS, input: size, total: size }, NO_TOKENS);
	await thread.commit([{ kind: "event", event: { ...usage, turnId } }], "unsynced");
}

function refuseUnlessThere(state: ThreadState, ask: CompactionRequest): void {
	const cut = cutFor(state, ask);
	if (cut === undefined) throw refuse(say("turn-not-in-history"));
	if (cut === 0) throw refuse(say("nothing-to-compact"));
	const last = state.history.at(-1);
	if (last !== undefined && isSummary(last)) throw refuse(say("nothing-said-since"));
}

/** The same compaction with the user's version of its summary. */
function withWords(prepared: Prepared, words: string): Prepared {
	const { plan, summary } = prepared;
	const line = resumeLine(summary?.summary ?? "") ?? GO_ON;
	const text = resumeLine(words) === undefined ? `${words.trimEnd()}\n${line}` : words;
	const quotes = summary ?? { request: plan.request, recent: [], repaired: 0 };
	const edited = { ...quotes, context: "", summary: text };
	return { ...prepared, ...toPrepared(plan, { summary: edited, fallback: undefined }) };
}

function refuse(said: Said): HostError {
	return new HostError("compaction-refused", said);
}
