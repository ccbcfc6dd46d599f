import type { TurnEnvelope } from "./envelope.ts";

/** The rooms that read an envelope. */
export type Consumer =
	| "context"
	| "tools"
	| "permissions"
	| "sandbox"
	| "compaction"
	| "model"
	| "session"
	| "surfaces";

type Readers = readonly [Consumer, ...Consumer[]];

/**
 * Who reads each field. A field without a reader does not compile; a test records what the rooms really read and compares.
 * State that shapes a turn and is not here belongs here.
 */
export const CONSUMERS: {
	readonly [G in keyof TurnEnvelope]-?: { readonly [F in keyof TurnEnvelope[G]]-?: Readers };
} = {
	identity: {
		threadId: ["model", "session"],
		turnId: ["session"],
		source: ["session"],
		provider: ["context", "model", "surfaces"],
		wire: ["model"],
		model: ["context", "model", "surfaces"],
		family: ["session"],
		baseUrl: ["model"],
		auth: ["model"],
		efforts: ["session"],
		request: ["context", "model"],
		abilities: ["context", "model"],
		retry: ["session"],
		budgets: ["context", "model", "compaction", "session", "surfaces"],
		windowSource: ["model", "surfaces"],
		compaction: ["compaction"],
		limits: ["context", "session"],
		prices: ["session"],
		surface: ["session"],
	},
	workspace: {
		environment: ["context"],
		cwd: ["context", "tools", "surfaces"],
		roots: ["context", "surfaces"],
		shell: ["context", "sandbox"],
		machine: ["context"],
		now: ["session"],
		date: ["context"],
		timeZone: ["context"],
		trusted: ["context", "surfaces"],
		branch: ["context"],
		editor: ["context"],
	},
	instructions: {
		base: ["model", "compaction"],
		developer: ["context"],
		files: ["context"],
		compactPrompt: ["compaction"],
		outputSchema: ["model"],
	},
	policy: {
		value: ["permissions", "sandbox", "context", "tools", "surfaces"],
		digest: ["context", "sandbox", "surfaces"],
		sandbox: ["session"],
	},
	capabilities: {
		tools: ["tools", "model", "surfaces"],
		skills: ["context"],
		plugins: ["context"],
		apps: ["context"],
		hooks: ["session"],
		features: ["session"],
	},
	modes: {
		collaboration: ["context"],
		personality: ["context"],
		realtime: ["context"],
		review: ["session"],
	},
	telemetry: {
		traceId: ["session"],
		startedAt: ["session"],
		usageAtStart: ["context"],
		usageBaseline: ["session"],
		logLevel: ["session"],
	},
};
