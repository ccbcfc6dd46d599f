import { type Direction, type Graph, GraphBuilder, type GraphEdge, NotDrawn, type Shape } from "./graph.ts";
import { readLabel } from "./label.ts";

/** Longest first, as one is the beginning of another. */
const SHAPES: readonly (readonly [open: string, close: string, shape: Shape])[] = [
	["(((", ")))", "circle"],
	["((", "))", "circle"],
	["([", "])", "pill"],
	["(", ")", "round"],
	["[[", "]]", "box"],
	["[(", ")]", "pill"],
	["[/", "/]", "box"],
	["[\\", "\\]", "box"],
	["[", "]", "box"],
	["{{", "}}", "hexagon"],
	["{", "}", "diamond"],
	[">", "]", "box"],
];

/** Colours, links and names for screen readers: a drawing of ours has its own, and leads nowhere. */
const IGNORED = /^(?:style|classDef|class|click|linkStyle|direction|accTitle|accDescr)\b/;

/** A flowchart; throws on the first line that it does not understand, so that nothing is left out in silence. */
export function readFlowchart(lines: readonly string[]): Graph {
	const graph = new GraphBuilder();
	const [, direction = "TB"] = /^(?:graph|flowchart)(?: +(TB|TD|BT|LR|RL))?;?$/.exec(lines[0] ?? "") ?? [];
	graph.direction = direction === "TD" ? "TB" : (direction as Direction);
	for (const line of lines.slice(1)) readLine(graph, line.endsWith(";") ? line.slice(0, -1).trimEnd() : line);
	return graph.build();
}

function readLine(graph: GraphBuilder, line: string): void {
	const [, title] = /^subgraph +(.+)$/.exec(line) ?? [];
	if (line === "end") graph.closeGroup();
	else if (title !== undefined) {
		const [, id = title, words = title] = /^([\w-]+) *\[(.*)\]$/.exec(title) ?? [];
		graph.openGroup(id, readLabel(words));
	} else if (!IGNORED.test(line)) new Statement(graph, line).read();
}

/** One chain, such as `A --> B & C -- yes --> D`. */
class Statement {
	readonly #graph: GraphBuilder;
	#rest: string;

	constructor(graph: GraphBuilder, line: string) {
		this.#graph = graph;
		this.#rest = line;
	}

	read(): void {
		let from = this.#readNodes();
		while (this.#rest !== "") {
			const link = this.#readLink();
			const to = this.#readNodes();
			for (const one of from) for (const other of to) this.#graph.edge({ ...link, from: one, to: other });
			from = to;
		}
	}

	#readNodes(): readonly string[] {
		const ids = [this.#readNode()];
		while (this.#takes("&")) ids.push(this.#readNode());
		return ids;
	}

	#readNode(): string {
		const id = this.#take(/^[\p{L}\p{N}_]+(?:[-.][\p{L}\p{N}_]+)*/u);
		const found = SHAPES.find(([open]) => this.#rest.startsWith(open));
		const label = found && this.#readBetween(found[0], found[1]);
		this.#take(/^(?::::[\w-]+)?\s*/);
		return this.#graph.node(id, found && label !== undefined ? { label, shape: found[2] } : {});
	}

	#readBetween(open: string, close: string): string {
		const isQuoted = this.#rest[open.length] === '"';
		const from = isQuoted ? this.#rest.indexOf('"', open.length + 1) : open.length;
		const end = from < 0 ? -1 : this.#rest.indexOf(close, from);
		if (end < 0 || (isQuoted && this.#rest.slice(from + 1, end).trim() !== "")) throw new NotDrawn("an open shape");
		const words = this.#rest.slice(open.length, end);
		this.#rest = this.#rest.slice(end + close.length);
		return readLabel(words);
	}

	#readLink(): Omit<GraphEdge, "from" | "to"> {
		const from = this.#takes("<");
		const whole = /^(?:(-{2,}|={2,}|-\.+-)([>xo](?=[\s|]|\p{L}|\p{N}|$))|(-{3,}|={3,}|-\.+-|~{3,}))/u.exec(this.#rest);
		if (whole === null) return { ...this.#readWordsOfLink(), ends: { from, to: true } };
		const [text, drawn, head, plain] = whole;
		this.#rest = this.#rest.slice(text.length).trimStart();
		const label = this.#rest.startsWith("|") ? this.#readBetween("|", "|").trim() : "";
		this.#rest = this.#rest.trimStart();
		return { label, line: nameLine(drawn ?? plain ?? ""), ends: { from, to: head !== undefined } };
	}

	/** Such as `-- yes -->`, whose words are inside of it. */
	#readWordsOfLink(): { readonly label: string; readonly line: GraphEdge["line"] } {
		const opening = LINKS.find(([open]) => this.#rest.startsWith(open));
		if (opening === undefined) throw new NotDrawn("not a link");
		const [open, close] = opening;
		const end = this.#rest.indexOf(close, open.length);
		const label = readLabel(this.#rest.slice(open.length, end));
		if (end < 0 || label === "") throw new NotDrawn("an open link");
		this.#rest = this.#rest.slice(end + close.length).trimStart();
		return { label, line: nameLine(open) };
	}

	#takes(text: string): boolean {
		if (!this.#rest.startsWith(text)) return false;
		this.#rest = this.#rest.slice(text.length).trimStart();
		return true;
	}

	#take(what: RegExp): string {
		const [found] = what.exec(this.#rest) ?? [];
		if (found === undefined) throw new NotDrawn("not a node");
		this.#rest = this.#rest.slice(found.length);
		return found;
	}
}

const LINKS = [
	["--", "-->"],
	["==", "==>"],
	["-.", ".->"],
] as const;

function nameLine(drawn: string): GraphEdge["line"] {
	if (drawn.startsWith("~")) return "none";
	return drawn.startsWith("=") ? "thick" : drawn.includes(".") ? "dotted" : "solid";
}
