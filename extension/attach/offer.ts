import type { UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import type { Attachable } from "../../media/wire.ts";

/** Something that was offered to the user as an attachment, and how to read it when it is sent. */
export interface Offer extends Attachable {
	/** Reads what the model receives. Throws an error with the reason if it is no longer available. */
	readonly read: () => Promise<UserInput> | UserInput;
}

/** Something that can be mentioned. */
export interface MentionOffer extends Offer {
	/** The text after the @. */
	readonly name: string;
	readonly detail: string;
}

/** Number of offers that are kept; an older one must be chosen again. */
const MAX_OFFERS = 2_000;

/** Everything that was offered, by key. The page cannot attach anything else. */
export interface Offers {
	/** Stores offers and returns what the page may know about them. */
	readonly make: (offers: readonly Offer[]) => readonly Attachable[];
	readonly read: (keys: readonly string[]) => Promise<readonly UserInput[]>;
}

export function createOffers(): Offers {
	const known = new Map<string, Offer>();
	return {
		make: (offers) => {
			for (const offer of offers) {
				known.delete(offer.key);
				known.set(offer.key, offer);
			}
			for (const key of [...known.keys()].slice(0, Math.max(0, known.size - MAX_OFFERS))) known.delete(key);
			return offers.map(({ key, kind, label, title }) => ({ key, kind, label, title }));
		},
		read: (keys) =>
			Promise.all(
				keys.map(async (key) => {
					const offer = known.get(key);
					if (offer === undefined)
						throw new Error(t("An attachment is no longer available. Remove it and add it again."));
					return offer.read();
				}),
			),
	};
}
