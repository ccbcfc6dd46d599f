/**
 * The names in the head of one file's part of a diff, some with what Git puts before them. Undefined if they cannot be
 * told: settings of the user or the repository change how Git writes them.
 */
export function readDiffNames(part: string): readonly string[] | undefined {
	const end = part.indexOf("\n@@");
	const [first = "", ...lines] = (end < 0 ? part : part.slice(0, end)).split("\n");
	const noted = lines.flatMap((line) => {
		const [, name] = NOTED_NAME.exec(line) ?? [];
		return name === undefined ? [] : [readName(name)];
	});
	const moved = lines.filter((line) => MOVED.test(line));
	const headed = readHead(first);
	return headed.length === 0 && moved.length < 2 ? undefined : [...noted, ...headed];
}

const NOTED_NAME = /^(?:---|\+\+\+|(?:rename|copy) (?:from|to)) (.+)$/;
const MOVED = /^(?:rename|copy) (?:from|to) ./;
const HEAD = /^diff --(git|cc|combined) (.+)$/;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** What can be the names in the first line: both have the same last part, or the lines below say what was moved. */
function readHead(line: string): readonly string[] {
	const [, kind, rest = ""] = HEAD.exec(line) ?? [];
	if (kind === undefined) return [];
	if (kind !== "git") return [readName(rest)];
	return listPairs(rest).flatMap(([before, after]) => {
		if (lastPart(before) !== lastPart(after)) return [];
		return [before !== after && withoutFirst(before) === withoutFirst(after) ? withoutFirst(after) : after];
	});
}

/** Names without quotes may hold spaces, so that there is more than one way to part them. */
function listPairs(text: string): readonly (readonly [before: string, after: string])[] {
	const [before, after] = text.match(QUOTED) ?? [];
	if (before !== undefined) return text === `${before} ${after}` ? [[readName(before), readName(after ?? "")]] : [];
	return [...text.matchAll(/ /g)].map(({ index }) => [text.slice(0, index), text.slice(index + 1)]);
}

function lastPart(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}

/** Without the letter of a side, such as `a/`. */
function withoutFirst(path: string): string {
	return path.slice(path.indexOf("/") + 1);
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };
const ESCAPE = /\\([0-7]{3}|.)|[^\\]+/g;

/** A name as it is, without the quotes of C and what Git ends some names with. */
function readName(text: string): string {
	if (!text.startsWith('"')) return text.replace(/\t$/, "");
	const bytes = [...text.slice(1, text.lastIndexOf('"')).matchAll(ESCAPE)].map(([plain, escaped]) => {
		if (escaped === undefined) return Buffer.from(plain);
		if (escaped.length === 3) return Buffer.from([Number.parseInt(escaped, 8) & 0xff]);
		return Buffer.from([ESCAPES[escaped] ?? escaped.charCodeAt(0)]);
	});
	return Buffer.concat(bytes).toString("utf8");
}
