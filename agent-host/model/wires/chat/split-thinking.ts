/** A piece of an answer's text, told apart from the reasoning that some templates put before it. */
export interface SplitText {
	readonly kind: "agentMessage" | "reasoning";
	readonly text: string;
}

const TAGS: readonly (readonly [open: string, close: string])[] = [
	["<think>", "</think>"],
	["<thinking>", "</thinking>"],
	// Gemma and Gemini, Magistral, Seed, Kimi.
	["<thought>", "</thought>"],
	["[THINK]", "[/THINK]"],
	["<seed:think>", "</seed:think>"],
	["◁think▷", "◁/think▷"],
];

/**
 * Separates reasoning in tags at the very start of an answer from the answer itself. Tags anywhere else are text: a
 * model may well write about them.
 */
export function createThinkingSplitter(): {
	readonly add: (text: string) => readonly SplitText[];
	/** What was held back because a tag might have begun. */
	readonly rest: () => readonly SplitText[];
} {
	let state: "start" | "thinking" | "answer" = "start";
	let held = "";
	let close = "";
	/** Nothing of this part was said yet: the empty lines around the tags belong to nobody. */
	let isFresh = false;
	const say = (kind: SplitText["kind"], whole: string): readonly SplitText[] => {
		const text = isFresh ? whole.trimStart() : whole;
		isFresh &&= text === "";
		return text === "" ? [] : [{ kind, text }];
	};
	const begin = (): readonly SplitText[] => {
		const begun = held.trimStart();
		const tag = TAGS.find(([open]) => begun.startsWith(open));
		if (tag !== undefined) {
			state = "thinking";
			close = tag[1];
			held = begun.slice(tag[0].length);
			isFresh = true;
			return think();
		}
		if (TAGS.some(([open]) => open.startsWith(begun))) return [];
		state = "answer";
		return release("agentMessage");
	};
	const think = (): readonly SplitText[] => {
		const end = held.indexOf(close);
		if (end >= 0) {
			const thought = say("reasoning", held.slice(0, end).trimEnd());
			held = held.slice(end + close.length);
			state = "answer";
			isFresh = true;
			return [...thought, ...release("agentMessage")];
		}
		const keep = lengthOfBegun(held, close);
		const text = held.slice(0, held.length - keep);
		held = held.slice(held.length - keep);
		return say("reasoning", text);
	};
	const release = (kind: SplitText["kind"]): readonly SplitText[] => {
		const text = held;
		held = "";
		return say(kind, text);
	};
	return {
		add(text) {
			if (state === "answer") return say("agentMessage", text);
			held += text;
			return state === "start" ? begin() : think();
		},
		rest: () => release(state === "thinking" ? "reasoning" : "agentMessage"),
	};
}

/** How many characters at the end of a text may be the beginning of a tag. */
function lengthOfBegun(text: string, tag: string): number {
	for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
		if (text.endsWith(tag.slice(0, length))) return length;
	}
	return 0;
}
