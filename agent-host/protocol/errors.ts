import type { Said, SentenceValues } from "./say.ts";
import type { SentenceName } from "./sentences.ts";

/**
 * All failures that the client can act on. Codes stay outside -32768..-32000, which JSON-RPC and LSP reserve; a code is
 * never reused once released.
 */
export const HOST_ERRORS = {
	"thread-not-found": 1001,
	"turn-in-progress": 1002,
	"sandbox-unavailable": 1003,
	"thread-busy": 1004,
	"storage-unavailable": 1005,
	"input-refused": 1006,
	"settings-refused": 1007,
	"thread-unreadable": 1008,
	/** A model server refused the key, or needs one. */
	"key-refused": 1009,
	/** A request beside the turns failed: a side question, or a commit message. */
	"model-failed": 1010,
	/** The user could not be signed in to an MCP server. */
	"sign-in-failed": 1011,
	"compaction-refused": 1020,
	"steer-refused": 1021,
	"restore-refused": 1030,
} as const;

export type HostErrorKind = keyof typeof HOST_ERRORS;

/** Sent along with the code of a failure. */
export interface ErrorData {
	readonly kind: HostErrorKind | "invalid-params" | "internal";
	/** The name of the message in `SENTENCES`, and the values of its placeholders. */
	readonly sentence?: SentenceName;
	readonly values?: SentenceValues;
}

/** A failure with a sentence that says what the user can do about it. Never contains a secret. */
export class HostError extends Error {
	readonly kind: HostErrorKind;
	readonly said: Said;

	constructor(kind: HostErrorKind, said: Said, options?: ErrorOptions) {
		super(said.text, options);
		this.name = "HostError";
		this.kind = kind;
		this.said = said;
	}
}
