import * as z from "zod";

/**
 * Why a request was not read from the provider's cache: `idle` if the previous request was too long ago, `unsaid` if
 * nothing differs and the provider gives no reason.
 */
export const CacheMissReason = z.enum(["model", "settings", "tools", "compaction", "history", "idle", "unsaid"]);
export type CacheMissReason = z.infer<typeof CacheMissReason>;

/** Where and why the provider's cache stopped matching: the first part of a request that was not in the previous one. */
export const CacheBreak = z.object({
	/** Absent in threads of older releases. */
	reason: CacheMissReason.optional(),
	/** `model`, `effort`, `schema`, `tools`, `instructions`, or the kind of an item of history; absent if nothing differs. */
	part: z.string().optional(),
	/** Index among the items of the request, if it is one of them. */
	index: z.int().min(0).optional(),
});
export type CacheBreak = z.infer<typeof CacheBreak>;
