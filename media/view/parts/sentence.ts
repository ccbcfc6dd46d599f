import type { ComponentChildren } from "preact";
import { type Message, withPlaces } from "../../../l10n/t.ts";

/** A message whose placeholders are filled with elements, in the word order of the language. */
export function sentence(message: Message, ...parts: readonly ComponentChildren[]): ComponentChildren[] {
	return withPlaces(message)
		.split(/(\{\d\})/)
		.map((piece) => (/^\{\d\}$/.test(piece) ? parts[Number(piece[1])] : piece));
}
