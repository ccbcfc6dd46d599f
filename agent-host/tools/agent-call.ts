/** What the model asks of a new sub-agent. */
export interface AgentRequest {
	readonly name: string;
	readonly role: string;
	readonly task: string;
	/** It reads the conversation of its parent before the running turn. */
	readonly context?: "all" | undefined;
	/** Another model of the same provider. */
	readonly model?: string | undefined;
	/** The call that starts it. */
	readonly callId?: string;
}

/** The answer for the model. */
export type AgentOutcome =
	| { readonly ok: true; readonly text: string }
	| { readonly ok: false; readonly reason: string };

/** What a turn can do with its sub-agents. */
export interface AgentPorts {
	readonly startAgent: (asked: AgentRequest) => Promise<AgentOutcome>;
	/** To a sub-agent; `parent` is the thread that started this one. */
	readonly messageAgent: (asked: { readonly agent: string; readonly text: string }) => Promise<AgentOutcome>;
	/** Resolves when there is news, when none works, or after so many seconds. */
	readonly waitForAgents: (seconds: number, signal: AbortSignal) => Promise<AgentOutcome>;
	readonly stopAgent: (agent: string) => Promise<AgentOutcome>;
}
