import { countOf, numberOf, t } from "../../../l10n/t.ts";

/** Tokens of a request, and how many the model's window takes. */
export interface ContextSize {
	readonly tokens: number;
	readonly effectiveWindow: number;
}

/** The part of the window that is free, in whole percent. */
export function percentLeft({ tokens, effectiveWindow }: ContextSize): number {
	if (effectiveWindow <= 0) return 0;
	return Math.min(Math.max(Math.round(100 * (1 - tokens / effectiveWindow)), 0), 100);
}

/** Such as "About 2,741 tokens of 30,400, 91% left". */
export function describeContext(size: ContextSize): string {
	const used = countOf(size.tokens, "About {0} token", "About {0} tokens");
	return t("{0} of {1}, {2}% left", used, numberOf(size.effectiveWindow), percentLeft(size));
}
