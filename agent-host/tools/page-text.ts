/** More of a page than this is not looked at. */
const MAX_HTML_CHARS = 1_000_000;
/** Less text than this in the main part means that the rest counts, too. */
const MIN_MAIN_CHARS = 200;

/** Their content is raw text up to their end. */
const RAW = new Set(["script", "style", "textarea", "title", "noscript", "template", "iframe", "xmp"]);
/** What is around the text of a page. */
const AROUND = new Set(["nav", "footer", "aside", "svg", "select", "button", "dialog", "menu"]);
const BLOCKS = new Set(
	"p div section article main header ul ol dl dd dt table tr blockquote figure figcaption form fieldset br hr h1 h2 h3 h4 h5 h6 li pre".split(
		" ",
	),
);

/** The readable text of an HTML page, as Markdown; in one pass, whatever the page looks like. */
export function readHtml(html: string, base: string): { readonly title: string; readonly text: string } {
	const reader = new PageReader(base);
	for (const piece of scan(html.slice(0, MAX_HTML_CHARS))) reader.take(piece);
	return reader.end();
}

type Piece =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "open"; readonly name: string; readonly attributes: string }
	| { readonly kind: "close"; readonly name: string }
	| { readonly kind: "raw"; readonly name: string; readonly text: string };

/** Goes forward only: what has no end goes to the end of the page. */
function* scan(html: string): Generator<Piece> {
	const lower = html.toLowerCase();
	let at = 0;
	while (at < html.length) {
		const open = html.indexOf("<", at);
		if (open !== at) yield { kind: "text", text: html.slice(at, open < 0 ? html.length : open) };
		if (open < 0) return;
		if (html.startsWith("<!--", open)) {
			at = endAfter(html, "-->", open + 4);
			continue;
		}
		const [tag, slash = "", name = ""] = /^<(\/?)([a-z][\w:-]{0,40})/.exec(lower.slice(open, open + 50)) ?? [];
		if (tag === undefined) {
			const isMarkup = html[open + 1] === "!" || html[open + 1] === "?";
			if (!isMarkup) yield { kind: "text", text: "<" };
			at = isMarkup ? endAfter(html, ">", open) : open + 1;
			continue;
		}
		const end = endOfTag(html, open + tag.length);
		at = end;
		if (slash !== "") yield { kind: "close", name };
		else if (RAW.has(name)) {
			const close = lower.indexOf(`</${name}`, end);
			yield { kind: "raw", name, text: html.slice(end, close < 0 ? html.length : close) };
			at = close < 0 ? html.length : endAfter(html, ">", close);
		} else
			yield { kind: "open", name, attributes: html.slice(open + tag.length, Math.max(open + tag.length, end - 1)) };
	}
}

function endAfter(html: string, mark: string, from: number): number {
	const found = html.indexOf(mark, from);
	return found < 0 ? html.length : found + mark.length;
}

/** Past the `>` that is not in quotes. */
function endOfTag(html: string, from: number): number {
	for (let at = from; at < html.length; at += 1) {
		const sign = html[at];
		if (sign === ">") return at + 1;
		if (sign !== '"' && sign !== "'") continue;
		const close = html.indexOf(sign, at + 1);
		if (close < 0) return html.length;
		at = close;
	}
	return html.length;
}

class PageReader {
	readonly #base: string;
	readonly #parts: string[] = [];
	#title = "";
	/** The element around the text that is being skipped, and how many of its kind are open. */
	#skipped: { readonly name: string; depth: number } | undefined;
	#pre = 0;
	#link: string | undefined;
	#main: { readonly from: number; to: number | undefined } | undefined;

	constructor(base: string) {
		this.#base = base;
	}

	take(piece: Piece): void {
		if (piece.kind === "raw") {
			if (piece.name === "title" && this.#title === "")
				this.#title = decodeEntities(piece.text).replaceAll(/\s+/g, " ").trim();
			return;
		}
		if (this.#skipped !== undefined) this.#skip(this.#skipped, piece);
		else if (piece.kind === "text") {
			const text = decodeEntities(piece.text);
			this.#parts.push(this.#pre > 0 ? text : text.replaceAll(/\s+/g, " "));
		} else if (piece.kind === "open") this.#open(piece);
		else this.#close(piece.name);
	}

	end(): { readonly title: string; readonly text: string } {
		const { from = 0, to } = this.#main ?? {};
		const main = tidy(this.#parts.slice(from, to).join(""));
		return { title: this.#title, text: main.length >= MIN_MAIN_CHARS ? main : tidy(this.#parts.join("")) };
	}

	#skip(skipped: { readonly name: string; depth: number }, piece: Piece): void {
		if (piece.kind === "text" || piece.kind === "raw" || piece.name !== skipped.name) return;
		skipped.depth += piece.kind === "open" ? 1 : -1;
		if (skipped.depth === 0) this.#skipped = undefined;
	}

	#open({ name, attributes }: { readonly name: string; readonly attributes: string }): void {
		if (AROUND.has(name)) {
			if (!attributes.endsWith("/")) this.#skipped = { name, depth: 1 };
			return;
		}
		if (name === "main" || name === "article") this.#main ??= { from: this.#parts.length, to: undefined };
		if (BLOCKS.has(name)) this.#parts.push("\n");
		const [, level] = /^h([1-6])$/.exec(name) ?? [];
		if (level !== undefined) this.#parts.push(`\n${"#".repeat(Number(level))} `);
		if (name === "li") this.#parts.push("- ");
		if (name === "td" || name === "th") this.#parts.push(" | ");
		if (name === "pre") {
			this.#pre += 1;
			this.#parts.push("```\n");
		}
		if (name === "a" && this.#link === undefined) {
			this.#link = linkIn(attributes, this.#base);
			if (this.#link !== undefined) this.#parts.push("[");
		}
	}

	#close(name: string): void {
		if ((name === "main" || name === "article") && this.#main !== undefined) this.#main.to ??= this.#parts.length;
		if (name === "pre" && this.#pre > 0) {
			this.#pre -= 1;
			this.#parts.push("\n```\n");
		}
		if (name === "a" && this.#link !== undefined) {
			this.#parts.push(`](${this.#link})`);
			this.#link = undefined;
		}
		if (BLOCKS.has(name) && name !== "li" && name !== "tr") this.#parts.push("\n");
	}
}

function linkIn(attributes: string, base: string): string | undefined {
	const [, double, single, bare] =
		/\bhref\s*=\s*(?:"([^"]{0,1000})"|'([^']{0,1000})'|([^\s"'>]{1,1000}))/i.exec(attributes) ?? [];
	const written = decodeEntities(double ?? single ?? bare ?? "").trim();
	if (written === "" || written.startsWith("#") || !URL.canParse(written, base)) return undefined;
	const { protocol, href } = new URL(written, base);
	return protocol === "https:" || protocol === "http:" ? href.replaceAll(")", "%29") : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
	...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", copy: "©", reg: "®", trade: "™", deg: "°" },
	...{ mdash: "—", ndash: "–", hellip: "…", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»" },
	...{ bull: "•", middot: "·", times: "×", rarr: "→", larr: "←", shy: "", zwj: "", zwnj: "" },
};

function decodeEntities(text: string): string {
	return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
		if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
		const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
		const isCharacter = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
		return isCharacter ? String.fromCodePoint(code) : "";
	});
}

/** At most one empty line, and no spaces at the ends of lines. */
function tidy(text: string): string {
	return text
		.split("\n")
		.map((line) => line.trimEnd())
		.join("\n")
		.replaceAll(/\n{3,}/g, "\n\n")
		.trim();
}
