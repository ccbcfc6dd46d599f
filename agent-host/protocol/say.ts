import * as z from "zod";
import { SENTENCES, type SentenceName } from "./sentences.ts";

/** What fills the places of a sentence. */
export const SentenceValues = z.record(z.string(), z.union([z.string(), z.number()]));
export type SentenceValues = Readonly<z.infer<typeof SentenceValues>>;

/** Beside a text of the host's: which sentence it is, for a client that has words of its own. Absent in threads of older releases. */
export const sentenceFields = { sentence: z.string().optional(), values: SentenceValues.optional() };

/** A sentence in English, with its name and values unless it comes from elsewhere. */
export interface Said {
	readonly text: string;
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

/** A sentence of the table with its places filled. */
export function say<Name extends SentenceName>(sentence: Name, ...[given]: Args<Name>): Said {
	const values: SentenceValues = given ?? {};
	const text = SENTENCES[sentence].replaceAll(/\{(\w+)\}/g, (_, place: string) => String(values[place]));
	return given === undefined ? { text, sentence } : { text, sentence, values };
}

/** Words that nobody here has written, such as a server's. */
export function quote(text: string): Said {
	return { text };
}

/** A sentence as events and warnings carry it. */
export function asMessage({ text, ...named }: Said) {
	return { message: text, ...named };
}

/** Beside it in a warning of the host's: what helps. */
export function asFix({ text, sentence }: Said) {
	return { fix: text, ...(sentence && { fixSentence: sentence }) };
}
