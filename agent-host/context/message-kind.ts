import { FRAGMENTS } from "./catalog.ts";

/** What the user said themselves. */
export const PLAIN = "plain";

/** What a fragment in the user's voice is, by the name that clients know: `environmentContext`, `userInstructions`. */
export function messageKindOf(fragment: string): string {
	const tag = FRAGMENTS.find(({ kind }) => kind === fragment)?.tag;
	return (tag ?? fragment).replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
