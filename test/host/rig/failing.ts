import type { EditorStep } from "../../support/fake-editor-models.ts";
import { fails, hangs, refuses } from "../../support/fake-model-steps.ts";

/** A state that every wire must reach the same way. */
export interface Failing {
	readonly what: string;
	readonly step: EditorStep;
	/** The same state as an editor reports it; absent if it has no such state. */
	readonly editor?: EditorStep;
	readonly code: string;
	readonly requests: number;
}

const end = (code: "no-consent" | "not-found" | "quota" | "rate-limit" | "too-long" | "other"): EditorStep => ({
	status: "failed",
	code,
	message: "The editor says so.",
});

export const FAILING: readonly Failing[] = [
	{
		what: "nobody's consent or key",
		step: refuses(401, "invalid_api_key"),
		editor: end("no-consent"),
		code: "auth",
		requests: 1,
	},
	{
		what: "a model that is gone",
		step: refuses(404, "model_not_found"),
		editor: end("not-found"),
		code: "model-not-found",
		requests: 1,
	},
	{ what: "no quota", step: refuses(429, "insufficient_quota"), editor: end("quota"), code: "rate-limit", requests: 1 },
	{
		what: "an endless rate limit",
		step: refuses(429, "rate_limit_exceeded"),
		editor: end("rate-limit"),
		code: "rate-limit",
		requests: 3,
	},
	{
		what: "a window that is full",
		step: refuses(400, "context_length_exceeded"),
		editor: end("too-long"),
		code: "context-too-long",
		// It is compacted once, however the summary must be made, and sent again.
		requests: 5,
	},
	{
		what: "a request that a content filter refuses",
		step: refuses(400, "content_filter", "The response was filtered due to our content management policy."),
		code: "bad-request",
		requests: 1,
	},
	{
		what: "an answer that makes no sense",
		step: { kind: "raw", body: 'data: {"half of it\n\n' },
		code: "bad-stream",
		requests: 2,
	},
	{ what: "a server that always fails", step: fails(500), editor: end("other"), code: "server", requests: 3 },
	{ what: "a model that never answers", step: hangs(), editor: hangs(), code: "network", requests: 3 },
];
