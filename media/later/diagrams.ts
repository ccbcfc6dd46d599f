// Diagrams in Mermaid's language, drawn by ourselves: its own library makes elements from text, and styles and scripts with
// them, which this page forbids. Only flowcharts, states and sequences, and only where every line is understood.
import { drawGraph } from "./diagram/draw-graph.ts";
import { drawSequence } from "./diagram/draw-sequence.ts";
import { readFlowchart } from "./diagram/read-flowchart.ts";
import { readSequence } from "./diagram/read-sequence.ts";
import { readStates } from "./diagram/read-states.ts";
import type { DrawnElement } from "./drawn.ts";

/** Longer sources stay as they were written. */
const MAX_DIAGRAM_CHARS = 6_000;

/** A diagram as elements; undefined if it is none that we draw, or too much. */
export function drawDiagram(source: string): DrawnElement | undefined {
	if (source.length > MAX_DIAGRAM_CHARS) return undefined;
	const lines = source
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => !line.startsWith("%%") && line !== "");
	const [kind = ""] = /^[\w-]+/.exec(lines[0] ?? "") ?? [];
	try {
		return KINDS[kind]?.(lines);
	} catch {
		// Whatever goes wrong, the source is there to read.
		return undefined;
	}
}

const KINDS: Readonly<Record<string, (lines: readonly string[]) => DrawnElement>> = {
	graph: (lines) => drawGraph(readFlowchart(lines)),
	flowchart: (lines) => drawGraph(readFlowchart(lines)),
	stateDiagram: (lines) => drawGraph(readStates(lines)),
	"stateDiagram-v2": (lines) => drawGraph(readStates(lines)),
	sequenceDiagram: (lines) => drawSequence(readSequence(lines)),
};
