import * as z from "zod";
import { SENTENCES, type SentenceName } from "./sentences.ts";

/** The values of a sentence's placeholders. */
export const SentenceValues = z.record(z.string(), z.union([z.string(), z.number()]));
export type SentenceValues = Readonly<z.infer<typeof SentenceValues>>;

/**
 * Accompanies a host text: the sentence's name, for clients that provide their own text. Absent in threads of older
 * releases.
 */
const named = { sentence: z.string().optional(), values: SentenceValues.optional() };
export const sentenceFields = {
	...named,
	/** If the text consists of several sentences: each of them, in order. */
	parts: z.array(z.object({ message: z.string(), ...named })).optional(),
};

/** A sentence in English, with its name and values unless it comes from outside. */
export interface Said {
	readonly text: string;
	readonly sentence?: SentenceName;
	readonly values?: SentenceValues;
	/** The sentences of a text that consists of several. */
	readonly parts?: readonly SaidPart[];
}

interface SaidPart {
	readonly message: string;
	readonly sentence?: SentenceName;
	readonly values?: SentenceValues;
}

type PlacesIn<Words extends string> = Words extends `${string}{${infer Name}}${infer Rest}`
	? Name | PlacesIn<Rest>
	: never;
type ValuesOf<Name extends SentenceName> = {
	readonly [Place in PlacesIn<(typeof SENTENCES)[Name]>]: string | number;
};
type Args<Name extends SentenceName> = [keyof ValuesOf<Name>] extends [never]
	? readonly []
	: readonly [values: ValuesOf<Name>];

/** A sentence of the table with its placeholders filled. */
export function say<Name extends SentenceName>(sentence: Name, ...[given]: Args<Name>): Said {
	const values: SentenceValues = given ?? {};
	const text = SENTENCES[sentence].replaceAll(/\{(\w+)\}/g, (_, place: string) => String(values[place]));
	return given === undefined ? { text, sentence } : { text, sentence, values };
}

/** Text from outside, such as a server's message. */
export function quote(text: string): Said {
	return { text };
}

/** Several sentences as one text. */
export function joinSaid(...all: readonly Said[]): Said {
	const parts = all.flatMap((one) => one.parts ?? [asPart(one)]);
	return { text: parts.map(({ message }) => message).join(" "), parts };
}

/** The same with every text changed, such as a secret removed from it. */
export function mapSaid({ text, sentence, values, parts }: Said, change: (text: string) => string): Said {
	const changed = (all: SentenceValues): SentenceValues =>
		Object.fromEntries(
			Object.entries(all).map(([place, value]) => [place, typeof value === "string" ? change(value) : value]),
		);
	return {
		text: change(text),
		...(sentence && { sentence }),
		...(values && { values: changed(values) }),
		...(parts && {
			parts: parts.map((part) => ({
				...part,
				message: change(part.message),
				...(part.values && { values: changed(part.values) }),
			})),
		}),
	};
}

/** A sentence in the form of events and warnings. */
export function asMessage({ text, parts, ...said }: Said) {
	return { message: text, ...said, ...(parts && { parts: [...parts] }) };
}

function asPart({ text, sentence, values }: Said): SaidPart {
	return { message: text, ...(sentence && { sentence }), ...(values && { values }) };
}

/** The remedy in a host warning. */
export function asFix({ text, sentence }: Said) {
	return { fix: text, ...(sentence && { fixSentence: sentence }) };
}
