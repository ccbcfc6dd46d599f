import type { TurnEnvelope } from "../envelope/envelope.ts";
import { type ModelClient, ModelFailure, type ModelStream } from "../model/port.ts";
import type { Span } from "../protocol/host/telemetry.ts";
import type { TurnId } from "../protocol/ids.ts";
import type { PublishedEvent, ThreadEvent, TurnPurpose } from "../protocol/thread/events.ts";
import { isCall } from "../protocol/thread/item.ts";
import { type Labels, messageLabel, plainName, requestLabels, turnLabels, usageLabels } from "./labels.ts";

/** Limits for the turns, and for the spans of one turn. */
const MAX_TURNS = 50;
const MAX_SPANS = 2_000;

/** Records what each turn spends its time on. In memory, bounded, and without content unless the user asked for it. */
export interface Recorder {
	/** `prompt` is kept only if the user wants content. */
	readonly begin: (envelope: TurnEnvelope, purpose: TurnPurpose | undefined, prompt?: string) => void;
	/** Observes the published events of a turn: its calls, approvals and compactions, and its end. */
	readonly observe: (event: PublishedEvent) => void;
	/** Wraps a client; each of its requests becomes a part of the turn. */
	readonly watch: (client: ModelClient, envelope: Pick<TurnEnvelope, "identity">) => ModelClient;
	/** All kept spans, oldest first. */
	readonly read: () => readonly Span[];
}

interface Trace {
	readonly envelope: TurnEnvelope;
	readonly spans: Span[];
	/** Unfinished spans, by what they are about. */
	readonly open: Map<string, Span>;
	dropped: number;
}

export function createRecorder(options: {
	readonly now: () => number;
	/** Called with the spans of a finished turn. */
	readonly ended: (envelope: TurnEnvelope, spans: readonly Span[]) => void;
}): Recorder {
	const traces = new Map<TurnId, Trace>();
	const add = (trace: Trace, about: string, span: Pick<Span, "name" | "kind" | "attributes" | "startMs">): void => {
		if (trace.spans.length >= MAX_SPANS) {
			trace.dropped += 1;
			return;
		}
		const [root] = trace.spans;
		const spanId = (trace.spans.length + 1).toString(16).padStart(16, "0");
		const traceId = toTraceId(trace.envelope.identity.turnId);
		const added: Span = { traceId, spanId, ...(root && { parentId: root.spanId }), ...span };
		trace.spans.push(added);
		trace.open.set(about, added);
	};
	const end = (trace: Trace, about: string, at: number, attributes: Labels = {}, error?: string): void => {
		const span = trace.open.get(about);
		if (span === undefined) return;
		trace.open.delete(about);
		Object.assign(span.attributes, attributes);
		span.endMs = at;
		if (error !== undefined) span.error = error;
	};
	const take = (trace: Trace, at: number, event: ThreadEvent): void => {
		switch (event.type) {
			case "itemStarted":
				if (isCall(event.item)) add(trace, event.item.id, { ...callSpan(event.item), startMs: at });
				return;
			case "itemCompleted":
				takeItem(trace, at, event.item);
				return;
			case "approvalRequested": {
				const { approvalId, subject } = event.request;
				const attributes = { "vitrine.approval.kind": subject.kind };
				add(trace, approvalId, { name: "approval", kind: "internal", attributes, startMs: at });
				return;
			}
			case "approvalResolved":
				end(trace, event.approvalId, at, {
					"vitrine.approval.decision": event.decision,
					"vitrine.approval.by": event.by,
				});
				return;
			case "compactionStarted": {
				const attributes = { "vitrine.compaction.reason": event.reason, "vitrine.compaction.phase": event.phase };
				add(trace, "compaction", { name: "compaction", kind: "internal", attributes, startMs: at });
				return;
			}
			case "compactionCompleted":
				end(trace, "compaction", at, {
					"vitrine.compaction.strategy": event.strategy,
					"vitrine.compaction.tokens_before": event.before,
					"vitrine.compaction.tokens_after": event.after,
				});
				return;
			case "compactionSkipped":
				end(trace, "compaction", at, {});
				return;
			case "turnCompleted":
				finish(trace, at, event);
				return;
		}
	};
	const takeItem = (trace: Trace, at: number, item: Extract<ThreadEvent, { type: "itemCompleted" }>["item"]): void => {
		if (isCall(item)) {
			const command =
				item.command?.exitCode === undefined ? {} : { "vitrine.command.exit_code": item.command.exitCode };
			end(trace, item.id, at, { "vitrine.tool.status": item.status, ...command }, toFailure(item.status));
		}
		if (!trace.envelope.telemetry.content) return;
		const [root] = trace.spans;
		if (root === undefined) return;
		if (item.kind === "agentMessage") root.attributes["gen_ai.output.messages"] = messageLabel("assistant", item.text);
	};
	const finish = (
		trace: Trace,
		at: number,
		{ status, error }: Extract<ThreadEvent, { type: "turnCompleted" }>,
	): void => {
		const dropped = trace.dropped === 0 ? {} : { "vitrine.dropped_spans": trace.dropped };
		end(trace, TURN, at, { "vitrine.turn.status": status, ...dropped }, error?.code);
		for (const about of [...trace.open.keys()]) end(trace, about, at, {}, "cut");
		options.ended(trace.envelope, trace.spans);
	};
	return {
		begin: (envelope, purpose, prompt) => {
			const { telemetry, identity } = envelope;
			const trace: Trace = { envelope, spans: [], open: new Map(), dropped: 0 };
			const said =
				telemetry.content && prompt !== undefined ? { "gen_ai.input.messages": messageLabel("user", prompt) } : {};
			const attributes = { ...turnLabels(envelope, purpose), ...said };
			add(trace, TURN, { name: "invoke_agent vitrine", kind: "internal", attributes, startMs: telemetry.startedAt });
			traces.set(identity.turnId, trace);
			const [oldest] = traces.keys();
			if (traces.size > MAX_TURNS && oldest !== undefined) traces.delete(oldest);
		},
		observe: ({ at, event }) => {
			const trace = "turnId" in event ? traces.get(event.turnId) : undefined;
			if (trace?.open.has(TURN)) take(trace, at, event);
		},
		watch: (client, { identity }) => ({
			...client,
			stream: (request, signal) => {
				const trace = traces.get(identity.turnId);
				if (trace === undefined) return client.stream(request, signal);
				const about = `request ${trace.spans.length}`;
				const attributes = requestLabels(identity, request.model);
				add(trace, about, {
					name: `chat ${plainName(request.model)}`,
					kind: "client",
					attributes,
					startMs: options.now(),
				});
				return watchStream(client.stream(request, signal), (labels, error) =>
					end(trace, about, options.now(), labels, error),
				);
			},
		}),
		read: () => [...traces.values()].flatMap(({ spans }) => spans),
	};
}

const TURN = "turn";

function callSpan({
	name,
	callId,
}: {
	readonly name: string;
	readonly callId: string;
}): Pick<Span, "name" | "kind" | "attributes"> {
	const tool = plainName(name);
	return {
		name: `execute_tool ${tool}`,
		kind: "internal",
		attributes: {
			"gen_ai.operation.name": "execute_tool",
			"gen_ai.tool.name": tool,
			"gen_ai.tool.call.id": plainName(callId),
			"gen_ai.tool.type": "function",
		},
	};
}

function toFailure(status: string): string | undefined {
	return status === "completed" ? undefined : status;
}

/** Passes a stream on and reports once how it ended: with a response, with a failure, or because the reader stopped. */
function watchStream(stream: ModelStream, ended: (labels: Labels, error?: string) => void): ModelStream {
	return {
		[Symbol.asyncIterator]: () => {
			const events = stream[Symbol.asyncIterator]();
			return {
				next: () =>
					events.next().then(
						(result) => {
							const last = result.done === true ? undefined : result.value.at(-1);
							if (result.done === true) ended({}, "cut");
							else if (last?.type === "completed") ended(last.usage ? usageLabels(last.usage) : {});
							return result;
						},
						(error: unknown) => {
							ended({}, error instanceof ModelFailure ? error.code : "cut");
							throw error;
						},
					),
				return: async (value) => {
					ended({}, "cut");
					return (await events.return?.(value)) ?? { done: true, value };
				},
			};
		},
	};
}

/** 32 hexadecimal digits, as OpenTelemetry wants them: those of the turn's id, which is random. */
function toTraceId(turnId: TurnId): string {
	return turnId
		.replaceAll(/[^0-9a-f]/g, "")
		.padEnd(32, "0")
		.slice(0, 32);
}
