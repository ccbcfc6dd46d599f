import type { Offer } from "./envelope.ts";

/** A lower bound of characters per token, so that a list that fits by characters fits by tokens. */
const CHARS_PER_TOKEN = 2;
/** What a line has besides name and description. */
const LINE_CHARS = 4;

export interface FittedOffers<O extends Offer> {
	readonly offers: readonly O[];
	/** How many descriptions are shorter than their authors wrote them. */
	readonly shortened: number;
	/** How many offers did not even fit by name. */
	readonly omitted: number;
}

/** A list within a budget: every description gets the same room, and only then the last names are left out. */
export function fitOffers<O extends Offer>(offers: readonly O[], tokens: number): FittedOffers<O> {
	const most = tokens * CHARS_PER_TOKEN;
	const kept = offers.slice(0, countFitting(offers, most));
	const names = sum(kept.map(({ name }) => name.length + LINE_CHARS));
	const length = findLength(
		kept.map(({ about }) => about.length),
		most - names,
	);
	const shortened = kept.filter(({ about }) => about.length > length).length;
	return {
		offers: shortened === 0 ? kept : kept.map((offer) => ({ ...offer, about: shorten(offer.about, length) })),
		shortened,
		omitted: offers.length - kept.length,
	};
}

/** How many names fit. */
function countFitting(offers: readonly Offer[], most: number): number {
	let left = most;
	const first = offers.findIndex(({ name }) => {
		left -= name.length + LINE_CHARS;
		return left < 0;
	});
	return first === -1 ? offers.length : first;
}

/** The greatest length that all descriptions can have at most. */
function findLength(lengths: readonly number[], room: number): number {
	let [low, high] = [0, Math.max(0, ...lengths)];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (sum(lengths.map((length) => Math.min(length, middle))) <= room) low = middle;
		else high = middle - 1;
	}
	return low;
}

function shorten(text: string, length: number): string {
	if (text.length <= length) return text;
	return length === 0 ? "" : `${text.slice(0, length - 1).toWellFormed()}…`;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}
