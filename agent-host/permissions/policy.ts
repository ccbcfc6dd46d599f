/**
 * What a turn may touch. For now there is one right, reading below the workspace folders; writing,
 * commands and network are not in the value, so nothing can grant them.
 */
export interface Policy {
	/** Absolute folders, as the editor names them. Empty: nothing can be read. */
	readonly read: readonly string[];
}

/** What a tool call would touch, declared before it touches it. */
export type Access = { readonly kind: "read"; readonly path: string } | { readonly kind: "none" };

export type Verdict = { readonly kind: "allow" } | { readonly kind: "deny"; readonly reason: string };
