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
const part = z.object({ message: z.string(), ...named });
export const sentenceFields = {
	...named,
	/** If the text consists of several sentences: each of them, in order. One of them may be a list. */
	parts: z.array(part.extend({ parts: z.array(part).optional(), list: z.literal(true).optional() })).optional(),
	/** The parts are a list, with commas between them. */
	list: z.literal(true).optional(),
};

/** The same beside a text that is already in another field. */
export const SaidFields = z.object(sentenceFields);

/** A text of the host. */
export const HostText = z.object({ message: z.string(), ...sentenceFields });
export type HostText = z.infer<typeof HostText>;

/** A sentence in English, with its name and values unless it comes from outside. */
export interface Said {
	readonly text: string;
	readonly sentence?: SentenceName;
	readonly values?: SentenceValues;
	/** The sentences of a text that consists of several. */
	readonly parts?: readonly SaidPart[];
	/** The parts are a list, with commas between them. */
	readonly list?: true;
}

interface SaidPart {
	readonly message: string;
	readonly sentence?: SentenceName;
	readonly values?: SentenceValues;
	readonly parts?: readonly Omit<SaidPart, "parts" | "list">[];
	readonly list?: true;
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
	const parts = all.flatMap((one) => (one.list === undefined && one.parts) || [asPart(one)]);
	return { text: parts.map(({ message }) => message).join(" "), parts };
}

/** A few words of one kind, with commas between them. */
export function listSaid(...all: readonly Said[]): Said {
	const parts = all.flatMap((one) => one.parts ?? [asPart(one)]);
	return { text: parts.map(({ message }) => message).join(", "), parts, list: true };
}

/** The same with every text changed, such as a secret removed from it. */
export function mapSaid({ text, parts, ...rest }: Said, change: (text: string) => string): Said {
	return {
		...rest,
		text: change(text),
		...(rest.values && { values: mapValues(rest.values, change) }),
		...(parts && { parts: parts.map((part) => mapPart(part, change)) }),
	};
}

function mapPart({ message, ...part }: SaidPart, change: (text: string) => string): SaidPart {
	return {
		...part,
		message: change(message),
		...(part.values && { values: mapValues(part.values, change) }),
		...(part.parts && { parts: part.parts.map((one) => mapPart(one, change)) }),
	};
}

function mapValues(values: SentenceValues, change: (text: string) => string): SentenceValues {
	return Object.fromEntries(
		Object.entries(values).map(([place, value]) => [place, typeof value === "string" ? change(value) : value]),
	);
}

/** A sentence in the form of events and warnings. */
export function asMessage(said: Said): HostText {
	return { message: said.text, ...nameSaid(said) };
}

/** What accompanies a text that is sent in a field of its own. */
export function nameSaid({ text: _, parts, ...named }: Said): z.infer<typeof SaidFields> {
	return {
		...named,
		...(parts && { parts: parts.map(({ parts: some, ...part }) => ({ ...part, ...(some && { parts: [...some] }) })) }),
	};
}

function asPart({ text, sentence, values, parts, list }: Said): SaidPart {
	return {
		message: text,
		...(sentence && { sentence }),
		...(values && { values }),
		...(list && parts && { parts, list }),
	};
}

/** A text that was sent, as it was before. */
export function fromMessage({ message, ...named }: HostText): Said {
	// Only the host makes these, so the name is one of ours.
	return { text: message, ...(named as Omit<Said, "text">) };
}

/** The remedy in a host warning. */
export function asFix({ text, sentence }: Said) {
	return { fix: text, ...(sentence && { fixSentence: sentence }) };
}

const SHOWN_FILES = 3;

/** The first names, and how many there are besides. */
export function listFiles(files: readonly string[]): string {
	const rest = files.length - SHOWN_FILES;
	return `${files.slice(0, SHOWN_FILES).join(", ")}${rest > 0 ? ` (+${rest})` : ""}`;
}
