/** A value of front matter, as far as the formats that we read need it. */
export type FrontValue = string | readonly string[] | Readonly<Record<string, string>>;

export interface FrontMatter {
	readonly fields: Readonly<Record<string, FrontValue>>;
	/** The text after the front matter. */
	readonly body: string;
	/** One sentence for each line that is not understood. */
	readonly problems: readonly string[];
}

const FENCE = /^---[ \t]*$/;
const FIELD = /^([A-Za-z_][\w-]*):(?:[ \t](.*))?$/;
const ITEM = /^[ \t]*-[ \t]+(.*)$/;
const NESTED = /^[ \t]+([A-Za-z_][\w.-]*):[ \t]*(.*)$/;

/**
 * Reads front matter: plain, quoted and block texts, lists, and one level of names with texts. It is a part of YAML, but
 * a colon in plain text is text, since people write descriptions like that.
 */
export function readFrontMatter(text: string): FrontMatter {
	const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
	const end = FENCE.test(lines[0] ?? "") ? lines.findIndex((line, index) => index > 0 && FENCE.test(line)) : -1;
	if (end < 0) return { fields: {}, body: text, problems: [] };
	const fields: Record<string, FrontValue> = {};
	const problems: string[] = [];
	for (let at = 1; at < end; ) {
		const line = lines[at] ?? "";
		const [, name, rest = ""] = FIELD.exec(line) ?? [];
		if (name === undefined) {
			if (line.trim() !== "" && !line.trimStart().startsWith("#")) problems.push(`Line ${at + 1} is not understood.`);
			at += 1;
			continue;
		}
		const block = takeBlock(lines, at + 1, end);
		// Not inherited ones: a field may be called anything.
		Object.defineProperty(fields, name, { value: readValue(rest.trim(), block), enumerable: true, configurable: true });
		at += 1 + block.length;
	}
	return {
		fields,
		body: lines
			.slice(end + 1)
			.join("\n")
			.replace(/^\n+/, ""),
		problems,
	};
}

/** A field as text; undefined if it is absent or something else. */
export function readText({ fields }: Pick<FrontMatter, "fields">, name: string): string | undefined {
	const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
	return typeof value === "string" && value !== "" ? value : undefined;
}

export function readFlag(front: Pick<FrontMatter, "fields">, name: string): boolean | undefined {
	const value = readText(front, name)?.toLowerCase();
	return value === "true" ? true : value === "false" ? false : undefined;
}

/** The indented lines, list items and blank lines that belong to a field. */
function takeBlock(lines: readonly string[], from: number, end: number): readonly string[] {
	let to = from;
	while (to < end && /^(?:[ \t]|-[ \t]|$)/.test(lines[to] ?? "")) to += 1;
	return lines.slice(from, to);
}

function readValue(rest: string, block: readonly string[]): FrontValue {
	const [style] = /^[|>]/.exec(rest) ?? [];
	if (style !== undefined) return readBlockText(style, block);
	if (rest.startsWith("[") && rest.endsWith("]")) return rest.slice(1, -1).split(",").map(unquote).filter(isFilled);
	if (rest !== "") return unquote([rest, ...block.map((line) => line.trim())].join(" ").trim());
	const items = block.flatMap((line) => ITEM.exec(line)?.[1] ?? []);
	if (items.length > 0) return items.map(unquote);
	const named = block.flatMap((line) => {
		const [, name, value = ""] = NESTED.exec(line) ?? [];
		return name === undefined ? [] : [[name, unquote(value)] as const];
	});
	return named.length > 0 ? Object.fromEntries(named) : "";
}

function readBlockText(style: string, block: readonly string[]): string {
	const first = block.find((line) => line.trim() !== "") ?? "";
	const indent = first.length - first.trimStart().length;
	const text = block.map((line) => line.slice(indent)).join("\n");
	return (style === "|" ? text : text.replaceAll(/([^\n])\n(?=[^\n])/g, "$1 ")).trim();
}

function unquote(text: string): string {
	const plain = text.trim();
	const [, double] = /^"((?:[^"\\]|\\.)*)"$/.exec(plain) ?? [];
	if (double !== undefined) return double.replaceAll(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign));
	const [, single] = /^'((?:[^']|'')*)'$/.exec(plain) ?? [];
	if (single !== undefined) return single.replaceAll("''", "'");
	return plain.replace(/[ \t]#[^\n]*$/, "").trimEnd();
}

function isFilled(text: string): boolean {
	return text !== "";
}
