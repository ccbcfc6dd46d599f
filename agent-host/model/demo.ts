import type { HistoryItem } from "../history/history-item.ts";
import { estimateTokens } from "../history/tokens.ts";
import { type HostOptions, isOfCommandLine } from "../protocol/host/host-options.ts";
import type { TokenCount } from "../protocol/thread/events.ts";
import { planDemoStep } from "./demo-script.ts";
import type { DemoStep } from "./demo-step.ts";
import type { ModelClient, ModelEvent, ModelRequest } from "./port.ts";

const CHUNK_CHARS = 24;
const PAUSE_MS = 12;

/** The offline demo model: scripted, but it streams, calls the real tools and reads their results like any model. */
export function createDemoClient(
	pause: (ms: number, signal: AbortSignal) => Promise<void>,
	surface: HostOptions["surface"],
): ModelClient {
	const place = isOfCommandLine(surface) ? "commandLine" : "editor";
	return {
		ready: () => Promise.resolve(),
		async *stream(request, signal) {
			const step = planDemoStep(request, place);
			for (const text of splitText(step.text)) {
				await pause(PAUSE_MS, signal);
				yield [{ type: "delta", key: "text", kind: "agentMessage", text }];
			}
			yield finishStep(step, request);
		},
	};
}

function finishStep(step: DemoStep, request: ModelRequest): readonly ModelEvent[] {
	const said: readonly HistoryItem[] = step.text === "" ? [] : [{ kind: "agentMessage", text: step.text }];
	return [
		...said.map((item): ModelEvent => ({ type: "item", key: "text", item })),
		...step.calls.map((call, index): ModelEvent => {
			const callId = `demo-${request.input.length}-${index}`;
			const item = { kind: "toolCall", callId, name: call.name, arguments: JSON.stringify(call.arguments) } as const;
			return { type: "item", key: `call-${index}`, item };
		}),
		{ type: "completed", usage: estimateUsage(step, request) },
	];
}

function estimateUsage(step: DemoStep, request: ModelRequest): TokenCount {
	const input = estimateTokens(JSON.stringify([request.instructions, request.input, request.tools]));
	const output = estimateTokens(step.text);
	return { input, cached: 0, output, reasoning: 0, total: input + output };
}

function splitText(text: string): readonly string[] {
	return text.match(new RegExp(`[^]{1,${CHUNK_CHARS}}`, "gu")) ?? [];
}
