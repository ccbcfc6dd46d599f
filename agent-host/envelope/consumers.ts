import type { TurnEnvelope } from "./envelope.ts";

/** The rooms that read an envelope; they pass on what other rooms need. */
export type Consumer = "context" | "envelope" | "model" | "session" | "spending" | "telemetry";

type Readers = readonly [Consumer, ...Consumer[]];

/**
 * The readers of each field. A field without a reader does not compile; a test records the reads in turns of every kind
 * and compares. State that influences a turn and is not listed here must be added.
 */
export const CONSUMERS: {
	readonly [G in keyof TurnEnvelope]-?: { readonly [F in keyof TurnEnvelope[G]]-?: Readers };
} = {
	identity: {
		threadId: ["model", "session", "telemetry"],
		turnId: ["session", "telemetry"],
		source: ["telemetry"],
		agent: ["context", "session"],
		provider: ["context", "envelope", "model", "session", "spending", "telemetry"],
		wire: ["envelope", "model", "session"],
		model: ["context", "envelope", "model", "session", "telemetry"],
		family: ["telemetry"],
		baseUrl: ["envelope", "model", "session", "spending", "telemetry"],
		auth: ["envelope", "model", "spending"],
		headers: ["model"],
		request: ["context", "envelope", "model", "session", "spending", "telemetry"],
		abilities: ["context", "model", "session"],
		retry: ["session"],
		budgets: ["context", "envelope", "model", "session"],
		windowSource: ["envelope", "model"],
		compaction: ["session"],
		summarizer: ["session"],
		limits: ["context", "session"],
		prices: ["spending"],
		surface: ["model", "session", "telemetry"],
	},
	workspace: {
		environment: ["context"],
		cwd: ["context", "envelope", "session"],
		roots: ["context", "envelope", "session"],
		shell: ["context"],
		machine: ["context"],
		date: ["context", "session"],
		timeZone: ["context", "session"],
		language: ["context"],
		trusted: ["context", "envelope", "session", "telemetry"],
		branch: ["context"],
		editor: ["context"],
	},
	instructions: {
		base: ["model", "session"],
		developer: ["context"],
		files: ["context", "session"],
		nested: ["context", "session"],
		fallbacks: ["session"],
		compactPrompt: ["session"],
		outputSchema: ["model"],
	},
	policy: {
		value: ["context", "envelope", "model", "session", "telemetry"],
		digest: ["context", "session", "telemetry"],
		sandbox: ["session", "telemetry"],
	},
	capabilities: {
		tools: ["context", "envelope", "model", "session"],
		skills: ["context", "session"],
		plugins: ["context"],
		agents: ["context", "session"],
		hooks: ["session"],
		apps: ["context", "session"],
		serverTools: ["model", "session"],
		serverPrompts: ["session"],
		off: ["session"],
	},
	modes: {
		collaboration: ["context", "envelope", "session", "telemetry"],
		personality: ["context"],
		realtime: ["context", "session"],
		goal: ["context"],
	},
	telemetry: {
		startedAt: ["telemetry"],
		usageAtStart: ["context"],
		usageBaseline: ["session"],
		endpoint: ["session"],
		content: ["telemetry"],
	},
};
