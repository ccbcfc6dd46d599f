import MarkdownIt, { type Env, type MarkdownIt as Parser, type Token } from "markdown-it";
import { readMath } from "./math-rules.ts";

export type References = NonNullable<Env["references"]>;

/** Tokens of a text with their inline children. `references` are link definitions from other blocks. */
export function parseMarkdown(source: string, references: References): Token[] {
	return PARSER.parse(source, { references: { ...references } });
}

/** Tokens without inline children, which is enough to find block boundaries. */
export function parseStructure(source: string, env: Env): Token[] {
	const tokens: Token[] = [];
	PARSER.block.parse(normalizeText(source), PARSER, env, tokens);
	return tokens;
}

const PARSER = createParser();

function createParser(): Parser {
	const parser = new MarkdownIt({ html: false, linkify: true });
	parser.validateLink = (url) => isWebLink(url) || readFileLink(url) !== undefined;
	readMath(parser);
	parser.core.ruler.after("inline", "tasks", ({ tokens }) => markTasks(tokens));
	parser.core.ruler.after("tasks", "footnotes", ({ tokens, Token }) => {
		for (const token of tokens) if (token.children) token.children = markFootnotes(token.children, Token);
		for (const token of tokens) if (token.children) token.children = markFileNames(token.children, Token);
	});
	return parser;
}

/** Longest URL that the extension accepts. */
const MAX_LINK_CHARS = 4_096;

/** Whether to show a link at all; the extension checks it again before opening it. */
function isWebLink(url: string): boolean {
	return /^https?:\/\//i.test(url) && url.length <= MAX_LINK_CHARS;
}

/** A file that a link names, with its line. */
export interface FileLink {
	readonly path: string;
	readonly line: string | undefined;
}

const FILE_LINK = /^([^:?#<>"|*\\\p{C}]+)(?:(?:#L|:)(\d{1,7})(?:[-:]L?\d{1,7})?)?$/u;

/** A link without a scheme or host names a file; the extension opens only files in the workspace. */
export function readFileLink(url: string): FileLink | undefined {
	if (url.length > MAX_LINK_CHARS || url.startsWith("//")) return undefined;
	const [, path, line] = FILE_LINK.exec(decode(url)) ?? [];
	// One word is not a file: the parser would take a footnote of one word for a link.
	return path === undefined || !/[/.]\w/.test(path) ? undefined : { path, line };
}

function decode(url: string): string {
	try {
		return decodeURIComponent(url);
	} catch {
		return url;
	}
}

/** A file name with folder and line in running text, such as `src/tax.js:7`; without a folder it could be a host. */
const FILE_NAME = /(?<![\w@/.:\\-])((?:[\w@.-]+\/)+[\w@-][\w@.-]*\.[A-Za-z]\w*:\d{1,7}(?::\d{1,7})?)(?![\w/:@-])/g;

/** Makes file names with a line tokens of their own, outside of links. */
function markFileNames(tokens: readonly Token[], TokenOf: TokenMaker): Token[] {
	let links = 0;
	return tokens.flatMap((token) => {
		if (token.type === "link_open") links++;
		if (token.type === "link_close") links--;
		if (token.type !== "text" || links > 0 || !token.content.includes(":")) return [token];
		// Every second part is what the group matched.
		return token.content.split(FILE_NAME).flatMap((content, index) => {
			if (content === "") return [];
			return [Object.assign(new TokenOf(index % 2 === 0 ? "text" : "file_name", "", 0), { content })];
		});
	});
}

type TokenMaker = new (type: string, tag: string, nesting: 0) => Token;

const TASK = /^\[([ xX])\]\s+/;

/** Turns a list item that starts with `[ ]` or `[x]` into a task: the box is moved from the text into `meta`. */
function markTasks(tokens: readonly Token[]): void {
	for (const [index, item] of tokens.entries()) {
		if (item.type !== "list_item_open" || tokens[index + 1]?.type !== "paragraph_open") continue;
		const text = tokens[index + 2]?.children?.[0];
		const box = text?.type === "text" ? TASK.exec(text.content) : null;
		if (!text || !box) continue;
		text.content = text.content.slice(box[0].length);
		item.meta = { task: box[1] === " " ? "open" : "done" };
	}
}

const NOTE = /\[\^([\w-]{1,40})\](:\s*)?/g;

/** Turns `[^1]` into a footnote mark, and into the start of the note where `[^1]:` starts a line. */
function markFootnotes(tokens: readonly Token[], TokenOf: TokenMaker): Token[] {
	return tokens.flatMap((token, index) => {
		if (token.type !== "text" || !token.content.includes("[^")) return [token];
		const beginsLine = index === 0 || tokens[index - 1]?.type === "softbreak";
		const parts: Token[] = [];
		const add = (type: string, content: string): void => {
			if (content !== "") parts.push(Object.assign(new TokenOf(type, "", 0), { content }));
		};
		let from = 0;
		for (const { 0: mark, 1: name = "", 2: colon, index: at } of token.content.matchAll(NOTE)) {
			add("text", token.content.slice(from, at));
			const isNote = colon !== undefined && at === 0 && beginsLine;
			add(isNote ? "footnote" : "footnote_mark", name);
			from = at + mark.length;
			if (colon !== undefined && !isNote) add("text", colon);
		}
		add("text", token.content.slice(from));
		return parts;
	});
}

/** Same normalization as in the parser; both entry points must see the same lines. */
function normalizeText(source: string): string {
	return source.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");
}
