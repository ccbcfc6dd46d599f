import { type Direction, type Graph, GraphBuilder, NotDrawn, type Shape } from "./graph.ts";
import { readLabel } from "./label.ts";

const STEP = /^([\p{L}\p{N}_][\p{L}\p{N}_.]*|\[\*\]) *--> *([\p{L}\p{N}_][\p{L}\p{N}_.]*|\[\*\]) *(?::(.*))?$/u;
const WORDS = /^([\p{L}\p{N}_][\p{L}\p{N}_.]*)(?: *:(.*))?$/u;
const NAMED = /^state +"([^"]*)" +as +([\w.-]+)$/;
const KIND = /^state +([\w.-]+) +<<(choice|fork|join)>>$/;
const GROUP = /^state +(?:"([^"]*)" +as +)?([\w.-]+) *\{$/;
const IGNORED = /^(?:classDef|class|style|hide empty description|accTitle|accDescr)\b/;
const KINDS: Readonly<Record<string, Shape>> = { choice: "diamond", fork: "box", join: "box" };

/** States and the steps between them. Notes and parallel regions are not drawn: then all of it stays as written. */
export function readStates(lines: readonly string[]): Graph {
	const graph = new GraphBuilder();
	for (const line of lines.slice(1)) readLine(graph, line);
	return graph.build();
}

function readLine(graph: GraphBuilder, line: string): void {
	const [, direction] = /^direction +(TB|BT|LR|RL)$/.exec(line) ?? [];
	const [, title, group] = GROUP.exec(line) ?? [];
	const [, words, named] = NAMED.exec(line) ?? [];
	const [, special, kind = ""] = KIND.exec(line) ?? [];
	const [, from, to, label = ""] = STEP.exec(line) ?? [];
	if (line === "}") graph.closeGroup();
	else if (direction !== undefined) {
		if (graph.scope === "") graph.direction = direction as Direction;
	} else if (group !== undefined) graph.openGroup(group, readLabel(title ?? group));
	else if (named !== undefined) graph.node(named, { label: readLabel(words ?? named), shape: "round" });
	else if (special !== undefined) graph.node(special, { label: special, shape: KINDS[kind] ?? "box" });
	else if (from !== undefined && to !== undefined) {
		const [first, last] = [nameState(graph, from, "start"), nameState(graph, to, "end")];
		graph.edge({ from: first, to: last, label: readLabel(label), line: "solid", ends: { from: false, to: true } });
	} else if (!IGNORED.test(line)) readWords(graph, line);
}

function readWords(graph: GraphBuilder, line: string): void {
	const [, id, words] = WORDS.exec(line) ?? [];
	if (id === undefined) throw new NotDrawn("not a state");
	graph.node(id, { shape: "round", ...(words === undefined ? {} : { label: readLabel(words) }) });
}

function nameState(graph: GraphBuilder, id: string, end: "start" | "end"): string {
	return id === "[*]"
		? graph.node(`${graph.scope} ${end}`, { label: "", shape: end })
		: graph.node(id, graph.has(id) ? {} : { shape: "round" });
}
