import type { TurnEnvelope } from "./envelope.ts";

/** The rooms that read an envelope; they hand on what the others need. `record`: it is only written down with the turn. */
export type Consumer = "context" | "envelope" | "model" | "session" | "spending" | "record";

type Readers = readonly [Consumer, ...Consumer[]];

/**
 * Who reads each field. A field without a reader does not compile; a test records what is really read, in turns of every
 * kind, and compares. State that shapes a turn and is not here belongs here.
 */
export const CONSUMERS: {
	readonly [G in keyof TurnEnvelope]-?: { readonly [F in keyof TurnEnvelope[G]]-?: Readers };
} = {
	identity: {
		threadId: ["model", "session"],
		turnId: ["session"],
		source: ["record"],
		provider: ["context", "envelope", "model", "session", "spending"],
		wire: ["model"],
		model: ["context", "envelope", "model", "session"],
		family: ["record"],
		baseUrl: ["model", "session"],
		auth: ["model", "spending"],
		efforts: ["record"],
		request: ["context", "model", "session", "spending"],
		abilities: ["context", "model", "session"],
		retry: ["session"],
		budgets: ["context", "envelope", "model", "session"],
		windowSource: ["envelope", "model"],
		compaction: ["session"],
		limits: ["context", "session"],
		prices: ["spending"],
		surface: ["record"],
	},
	workspace: {
		environment: ["context"],
		cwd: ["context", "envelope", "session"],
		roots: ["context", "envelope", "session"],
		shell: ["context"],
		machine: ["context"],
		now: ["record"],
		date: ["context"],
		timeZone: ["context", "session"],
		language: ["context"],
		trusted: ["context", "envelope"],
		branch: ["context"],
		editor: ["context"],
	},
	instructions: {
		base: ["model", "session"],
		developer: ["context"],
		files: ["context"],
		compactPrompt: ["session"],
		outputSchema: ["model"],
	},
	policy: {
		value: ["context", "envelope", "session"],
		digest: ["context", "envelope", "session"],
		sandbox: ["session"],
	},
	capabilities: {
		tools: ["envelope", "model", "session"],
		skills: ["context"],
		plugins: ["context"],
		apps: ["context"],
		hooks: ["record"],
		features: ["record"],
	},
	modes: {
		collaboration: ["context", "session"],
		personality: ["context"],
		realtime: ["context"],
		review: ["record"],
	},
	telemetry: {
		traceId: ["record"],
		startedAt: ["record"],
		usageAtStart: ["context"],
		usageBaseline: ["session"],
		logLevel: ["record"],
	},
};
