import { SENTENCES } from "../agent-host/protocol/sentences.ts";
import { type Message, withValues } from "./t.ts";

/** Something the host says: in English, and by name with its values where it has one. */
interface FromHost {
	readonly message: string;
	readonly sentence?: string | undefined;
	readonly values?: Readonly<Record<string, string | number>> | undefined;
	/** The sentences of a message that consists of several. */
	readonly parts?: readonly Omit<FromHost, "detail">[] | undefined;
	/** The parts are a list. */
	readonly list?: true | undefined;
	/** What follows the sentence in the message. */
	readonly detail?: string | undefined;
}

const WORDS: Readonly<Record<string, Message>> = SENTENCES;

/** What the host says, in the reader's language. A newer host may know more sentences than we do; then its English is shown. */
export function sayHost({ message, sentence, values = {}, parts, list, detail }: FromHost): string {
	if (parts !== undefined) return parts.map((part) => sayHost(part)).join(list === true ? ", " : " ");
	const words = sentence !== undefined && Object.hasOwn(WORDS, sentence) ? WORDS[sentence] : undefined;
	const said = words && withValues(words, values);
	if (said === undefined) return message;
	return detail === undefined ? said : `${said} (${detail})`;
}

/** A warning of the host's with what helps, as one text. */
export function sayWarning({ fix, fixSentence, ...warning }: FromHost & Fix): string {
	return `${sayHost(warning)} ${sayHost({ message: fix, sentence: fixSentence })}`;
}

interface Fix {
	readonly fix: string;
	readonly fixSentence?: string | undefined;
}

/** The same where the names of the sentences stand beside the text. */
export function sayNamed(text: string, named: Omit<FromHost, "message"> | undefined): string {
	return sayHost({ ...named, message: text });
}
