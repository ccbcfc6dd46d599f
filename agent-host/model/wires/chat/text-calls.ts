import type { HistoryItem } from "../../../history/history-item.ts";
import { say } from "../../../protocol/say.ts";
import { ModelFailure, type ModelRequest, type ToolSpecification } from "../../port.ts";
import { readTextCalls, STARTS, type TextCalls } from "./read-text-calls.ts";

/** What is known about a model that may write its calls as text. */
export interface TextCallRules {
	readonly origin: string;
	/** Whether it was seen to do so. */
	readonly isKnown: boolean;
	readonly learn: () => void;
	/** Whether the conversation contains this text: then the model only repeats it. */
	readonly isQuoted: (text: string) => boolean;
}

/** Finds the calls in an answer's text. */
export interface TextCallFinder {
	/** Returns what can be shown: from what may be a call on, the text is held back. */
	readonly add: (text: string) => string;
	/** After the answer: its calls, and what is left to show. `shown` is what `add` returned so far. */
	readonly end: (shown: string) => { readonly rest: string; readonly calls: TextCalls["calls"] };
	/** What is held back. */
	readonly held: () => string;
}

/**
 * For a model that was not seen to write calls as text, the first time is a failure with advice, and the request is made
 * again: the server can be told to read such calls itself, which is better.
 */
export function createTextCallFinder(tools: readonly ToolSpecification[], rules: TextCallRules): TextCallFinder {
	let held = "";
	let isLineStart = true;
	return {
		add(text) {
			if (!rules.isKnown) return text;
			const whole = held + text;
			const start = findHeld(whole, isLineStart);
			held = whole.slice(start);
			const shown = whole.slice(0, start);
			if (shown !== "") isLineStart = shown.endsWith("\n");
			return shown;
		},
		held: () => held,
		end(shown) {
			const found = readTextCalls(shown + held, tools);
			if (found === undefined || found.calls.some(({ text }) => rules.isQuoted(text))) return { rest: held, calls: [] };
			if (rules.isKnown) return { rest: found.before.slice(shown.length), calls: found.calls };
			rules.learn();
			const message = say("quirk-text-calls", { origin: rules.origin });
			throw new ModelFailure("bad-stream", message, { retryable: true, retryAfterMs: 0 });
		},
	};
}

/** Index of the first line that begins, or may go on, like a call. */
function findHeld(text: string, isLineStart: boolean): number {
	let line = isLineStart ? 0 : text.indexOf("\n") + 1 || text.length;
	while (line < text.length) {
		const head = text.slice(line, line + LONGEST_START);
		if (STARTS.some((start) => head.startsWith(start) || start.startsWith(head))) return line;
		line = text.indexOf("\n", line) + 1 || text.length;
	}
	return text.length;
}

const LONGEST_START = Math.max(...STARTS.map(({ length }) => length));

/** Whether a text is in what the model was given, with whatever white space and quoting. */
export function isInConversation({ input }: Pick<ModelRequest, "input">, text: string): boolean {
	const forms = [squeeze(text), squeeze(JSON.stringify(text).slice(1, -1))];
	return input.some((item) => {
		const given = squeeze(givenText(item));
		return forms.some((form) => given.includes(form));
	});
}

function squeeze(text: string): string {
	return text.replaceAll(/\s+|\\n|\\t/g, "");
}

function givenText(item: HistoryItem): string {
	switch (item.kind) {
		case "fragment":
		case "userMessage":
		case "agentMessage":
			return item.text;
		case "toolOutput":
			return item.output;
		case "reasoning":
		case "sealedSummary":
		case "toolCall":
		case "userImage":
			return "";
	}
}
