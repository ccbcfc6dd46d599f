import type { QuestionAnswer, QuestionSubject } from "../../protocol/approval/question.ts";
import type { Connection, ToolCall } from "./connection.ts";
import { type Elicited, readElicitation } from "./elicitation.ts";
import { createPatience, type Patience } from "./patience.ts";
import type { Server } from "./server.ts";

/** A server that asks more often in one call is not answered. */
const MAX_ASKED = 3;

/** A call whose server may ask the user something. */
export interface AskingCall extends ToolCall {
	/** How long it may be silent; progress counts as life. */
	readonly timeoutMs: number;
	/** Whose call it is: a server that runs calls of two threads asks neither. */
	readonly owner: string;
	/** Undefined if nobody answers. */
	readonly ask: (subject: QuestionSubject, signal: AbortSignal) => Promise<QuestionAnswer | undefined>;
}

interface RunningCall extends Pick<AskingCall, "owner" | "ask"> {
	readonly patience: Patience;
	asked: number;
}

/** A server and the calls that run on it. */
export interface Called {
	readonly server: Server;
	readonly calls: Set<RunningCall>;
}

export interface Calls {
	/** Calls a tool over an open connection. */
	readonly run: (connection: Connection, called: Called, call: AskingCall, signal: AbortSignal) => Promise<unknown>;
	/** Answers a question of the server. It belongs to the call that runs; without one, or with calls of two threads, it is declined. */
	readonly elicit: (called: Called, params: unknown, signal: AbortSignal) => Promise<Elicited>;
}

interface CallEffects {
	readonly setTimer: (ms: number, work: () => void) => () => void;
	/** For the server's own log. */
	readonly note: (server: Server, line: string) => void;
}

/** Calls of servers' tools, and what servers ask meanwhile. */
export function createCalls({ setTimer, note }: CallEffects): Calls {
	return {
		async run(connection, { calls }, call, signal) {
			const patience = createPatience(call.timeoutMs, setTimer);
			const running: RunningCall = { owner: call.owner, ask: call.ask, patience, asked: 0 };
			calls.add(running);
			const onProgress = (text: string): void => {
				patience.touch();
				call.onProgress(text);
			};
			try {
				return await connection.callTool({ ...call, onProgress }, AbortSignal.any([signal, patience.signal]));
			} catch (error) {
				// The library says what it was told only as text of its own error.
				signal.throwIfAborted();
				patience.signal.throwIfAborted();
				throw error;
			} finally {
				patience.end();
				calls.delete(running);
			}
		},
		async elicit({ server, calls }, params, signal) {
			const refuse = (why: string): Elicited => {
				note(server, why);
				return { action: "decline" };
			};
			const [call, ...others] = [...calls].reverse();
			if (call === undefined || others.some(({ owner }) => owner !== call.owner))
				return refuse("It asked out of turn.");
			call.asked += 1;
			if (call.asked > MAX_ASKED) return refuse(`It asked more than ${MAX_ASKED} times in one call.`);
			const elicitation = readElicitation(server.name, params);
			if ("refused" in elicitation) return refuse(elicitation.refused);
			return elicitation.read(await call.patience.during(() => call.ask(elicitation.subject, signal)));
		},
	};
}
