import type { AgentContext, ClientCapabilities, ContentBlock, PromptResponse } from "@agentclientprotocol/sdk";
import { HostError } from "../../protocol/errors.ts";
import { quote } from "../../protocol/say.ts";
import { turnStart } from "../../protocol/thread/turn.ts";
import { compactThread } from "../compact-thread.ts";
import { describeRefusedInput } from "../describe-refused-input.ts";
import { settleTurn } from "../settle-turn.ts";
import { hintFor } from "../terminal-hint.ts";
import type { TurnWatch } from "../turn-watch.ts";
import { NEVER, NO_REPORT, type OpenedSession, type Telling, tellEvents } from "./agent-session.ts";
import { readCompactCommand, readReviewCommand, toUserInput } from "./prompt-input.ts";
import { tellServers } from "./tell-servers.ts";

const PAGE = 1_000;

interface Listener {
	readonly client: AgentContext;
	readonly capabilities: ClientCapabilities | undefined;
}

interface Prompting extends Listener {
	readonly telling: Telling;
	readonly signal: AbortSignal;
	/** Whether the editor has cancelled the prompt. */
	readonly isCancelled: () => boolean;
}

/** Runs a prompt to its end, and tells the editor about everything on the way. */
export async function runPrompt(
	opened: OpenedSession,
	prompt: readonly ContentBlock[],
	watch: TurnWatch,
	{ client, capabilities, telling, signal, isCancelled }: Prompting,
): Promise<PromptResponse> {
	const { host, threadId } = opened;
	const { warn, end } = await telling.begin(opened, () =>
		tellEvents(opened, client, { capabilities, isReplay: false }),
	);
	try {
		if (isCancelled()) return { stopReason: "cancelled" };
		const input = toUserInput(prompt);
		const compact = readCompactCommand(input);
		if (compact !== undefined) {
			await compactThread({ ...host, watch }, { threadId, ...compact }, signal);
			return { stopReason: "end_turn" };
		}
		const review = readReviewCommand(input);
		const overrides = review && { overrides: { settings: { modes: { collaboration: "review" } } } };
		const asked = turnStart.params.safeParse({ threadId, input: review ?? input, ...overrides });
		if (!asked.success) throw new HostError("input-refused", quote(describeRefusedInput(input)));
		const start = async () => host.handlers.turnStart(asked.data, signal, NO_REPORT);
		const { turnId } = await tellServers(opened, warn, start);
		// A cancel that came before there was a turn has ended none.
		if (isCancelled()) await host.session.interrupt(threadId);
		const { status, error } = await watch.ended(threadId, turnId);
		await settleTurn(host.session, threadId, turnId);
		if (error !== undefined) throw new HostError("input-refused", quote(error.message + hintFor(error)));
		return { stopReason: status === "interrupted" ? "cancelled" : "end_turn" };
	} catch (error) {
		// What a cancel makes fail was cancelled.
		if (isCancelled()) return { stopReason: "cancelled" };
		throw error;
	} finally {
		await end();
	}
}

/** Tells the editor the whole thread again. */
export async function replaySession(opened: OpenedSession, { client, capabilities }: Listener): Promise<void> {
	const { host, threadId } = opened;
	const { hear, sent } = await tellEvents(opened, client, { capabilities, isReplay: true });
	for (let after = 0, last = 1; after < last; ) {
		const page = await host.handlers.threadRead({ threadId, after, limit: PAGE }, NEVER, NO_REPORT);
		for (const { event } of page.events) hear(event);
		last = page.events.length === 0 ? after : page.last;
		after = page.events.at(-1)?.seq ?? last;
	}
	await sent();
}
