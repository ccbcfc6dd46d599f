/** What a compaction did to the context, in English; with the number of its turns if it is known. */
export function describeCompaction(
	{ before, after }: { readonly before: number; readonly after: number },
	turns?: number,
): string {
	const what = turns === undefined ? "" : `${turns} ${turns === 1 ? "turn" : "turns"}`;
	if (after < before) return `Compacted${what && ` ${what}`}: ${before} → ${after} tokens`;
	return `Context not smaller: ${what && `${what}, `}from ${before} to ${after} tokens`;
}
