/** A run of terminal output with one style. */
export interface Run {
	readonly text: string;
	/** Class names without prefix, such as `red` and `bold`. */
	readonly looks: readonly string[];
}

/** The rest is shown without colours: each run is an element. */
export const MAX_RUNS = 2_000;

/**
 * Reads terminal output as text and colours. Everything else that a terminal would obey is dropped: titles, links,
 * clipboard, queries, cursor movement. A line that overwrites itself, such as a progress bar, shows its last state.
 */
export function readAnsi(output: string): readonly Run[] {
	const runs: Run[] = [];
	let style = PLAIN;
	let at = 0;
	const push = (text: string): void => {
		const last = runs.at(-1);
		if (text === "") return;
		if (last && (last.looks === style.looks || runs.length >= MAX_RUNS)) {
			runs[runs.length - 1] = { ...last, text: last.text + text };
		} else runs.push({ text, looks: style.looks });
	};
	const text = settleLines(output);
	for (const { 0: sequence, 1: codes, index } of text.matchAll(SEQUENCES)) {
		push(text.slice(at, index));
		at = index + sequence.length;
		if (codes !== undefined) style = applyCodes(style, codes);
	}
	push(text.slice(at));
	return runs;
}

/** Text without styles. */
export function stripAnsi(output: string): string {
	return settleLines(output).replace(SEQUENCES, "");
}

/**
 * SGR with its codes as group 1; then other CSI sequences, strings that end in their line, two-byte sequences, stray
 * bytes. Of an unterminated string only the start is dropped: it must not hide what follows.
 */
const SEQUENCES =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that terminals obey
	/(?:\x1B\[|\x9B)([\d;:]*)m|(?:\x1B\[|\x9B)[0-?]*[ -/]*[@-~]?|(?:\x1B[\]PX^_]|[\x9D\x90\x98\x9E\x9F])[^\x07\x1B\x90\x98\x9C-\x9F\n]*(?:\x07|\x1B\\|\x9C)|\x1B[ -/]*[0-~]?|[\x80-\x9F\x07\x0E\x0F]/g;

interface Style {
	readonly color: string | undefined;
	readonly marks: ReadonlySet<string>;
	/** Same array while nothing changes, so that runs can be joined. */
	readonly looks: readonly string[];
}

const PLAIN: Style = { color: undefined, marks: new Set(), looks: [] };
const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
const MARKS: Readonly<Record<number, string>> = { 1: "bold", 2: "dim", 3: "italic", 4: "underline", 9: "strike" };
const UNMARKS: Readonly<Record<number, readonly string[]>> = {
	22: ["bold", "dim"],
	23: ["italic"],
	24: ["underline"],
	29: ["strike"],
};

/** Backgrounds, blinking, inversion and hiding are ignored: they could make text unreadable. */
function applyCodes(style: Style, codes: string): Style {
	const numbers = codes.split(/[;:]/).map(Number);
	let { color } = style;
	let marks = new Set(style.marks);
	for (let index = 0; index < numbers.length; index++) {
		const code = numbers[index] ?? 0;
		if (code === 0) [color, marks] = [undefined, new Set()];
		else if (MARKS[code]) marks.add(MARKS[code]);
		else if (UNMARKS[code]) for (const mark of UNMARKS[code]) marks.delete(mark);
		else if (code >= 30 && code <= 37) color = COLORS[code - 30];
		else if (code >= 90 && code <= 97) color = COLORS[code - 90];
		else if (code === 39) color = undefined;
		else if (code === 38 || code === 48) {
			const isIndexed = numbers[index + 1] === 5;
			if (code === 38)
				color = isIndexed ? indexedColor(numbers[index + 2] ?? 0) : nearestColor(numbers.slice(index + 2));
			index += isIndexed ? 2 : 4;
		}
	}
	const looks = [...(color === undefined ? [] : [color]), ...marks];
	return looks.join() === style.looks.join() ? style : { color, marks, looks };
}

function indexedColor(index: number): string | undefined {
	if (index < 16) return COLORS[index % 8];
	// Greys have no hue.
	if (index >= 232) return undefined;
	const cube = index - 16;
	return nearestColor([Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51]);
}

/** The theme's colour with the nearest hue; any other colour might be unreadable on the theme's background. */
function nearestColor([red = 0, green = 0, blue = 0]: readonly number[]): string | undefined {
	const middle = (Math.max(red, green, blue) + Math.min(red, green, blue)) / 2;
	const hue = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
	return hue === 0 || hue === 7 ? undefined : COLORS[hue];
}

/** More than a progress meter writes over itself before anything else is said. */
const READ_CHARS = 60_000;
const SHOWN_CHARS = 2_000;

/** The last lines of output as a terminal would show them, with their sequences. */
export function lastLines(output: string, count: number): string {
	const settled = settleLines(output.slice(-READ_CHARS)).trimEnd();
	return settled.slice(-SHOWN_CHARS).split("\n").slice(-count).join("\n");
}

/** For a line that was overwritten, keeps the last text. */
function settleLines(output: string): string {
	if (!output.includes("\r")) return output;
	return output
		.replaceAll("\r\n", "\n")
		.split("\n")
		.map((line) => line.split("\r").findLast((part) => part !== "") ?? "")
		.join("\n");
}
