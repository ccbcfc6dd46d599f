/** Longer words than these are no label. */
const MAX_LABEL_CHARS = 300;
/** Where a label is broken, in characters of usual width. */
const LINE_CHARS = 26;
const FONT_SIZE = 12;
export const LINE_HEIGHT = 16;

/** A label without what only marks it as one: quotes around it, and breaks written as tags. */
export function readLabel(written: string): string {
	const text = written.trim();
	const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
	return (isQuoted ? text.slice(1, -1) : text)
		.replaceAll(/<br ?\/?>|\\n/gi, "\n")
		.slice(0, MAX_LABEL_CHARS)
		.trim();
}

/** The lines of a label, none much longer than fits. */
export function breakLabel(label: string): readonly string[] {
	return label.split("\n").flatMap((line) => {
		const lines = [""];
		for (const word of line.split(" ").flatMap(cutWord)) {
			const last = lines.at(-1) ?? "";
			if (last === "") lines[lines.length - 1] = word;
			else if (widthOf(`${last} ${word}`) <= (LINE_CHARS * FONT_SIZE) / 2) lines[lines.length - 1] = `${last} ${word}`;
			else lines.push(word);
		}
		return lines;
	});
}

function cutWord(word: string): readonly string[] {
	const characters = [...word];
	const parts: string[] = [];
	for (let from = 0; from < characters.length; from += LINE_CHARS)
		parts.push(characters.slice(from, from + LINE_CHARS).join(""));
	return parts.length === 0 ? [""] : parts;
}

export function measureLabel(lines: readonly string[]): { readonly width: number; readonly height: number } {
	return { width: Math.max(0, ...lines.map(widthOf)), height: lines.length * LINE_HEIGHT };
}

/** About how wide a text is in the page's font: a drawing is made before it is in the page. */
function widthOf(text: string): number {
	let em = 0;
	for (const character of text) {
		if (/[ -~]/.test(character)) em += NARROW.test(character) ? 0.32 : WIDE.test(character) ? 0.82 : 0.58;
		else em += /[\u0080-\u02ff\u0370-\u052f]/.test(character) ? 0.62 : 1.05;
	}
	return Math.ceil(em * FONT_SIZE);
}

const NARROW = /[ !'(),.:;|`ijlt[\]]/;
const WIDE = /[ABCDGHMNOQRUVWmw@%&]/;
