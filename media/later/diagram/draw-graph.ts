import { Graph as Layout, layout } from "@dagrejs/dagre";
import type { DrawnElement } from "../drawn.ts";
import { type Graph, type GraphEdge, type GraphNode, NotDrawn } from "./graph.ts";
import { breakLabel, measureLabel } from "./label.ts";
import { arrowHead, element, type Point, picture, route, title, words } from "./svg.ts";

/** Inside of a node, around its words. */
const PAD = { x: 14, y: 9 };
/** Of the two ends of a diagram of states. */
const DOT = 14;
const MARGIN = 8;
/** What a group needs above its nodes for its name. */
const TITLE = 18;
/** How much wider bold words are. */
const BOLD = 1.12;
/** Larger pictures than these are no help in a panel. */
const MAX_SIZE = 6_000;

interface Size {
	readonly width: number;
	readonly height: number;
}

type Box = Point & Size;

/** Gives a graph places, and draws it. */
export function drawGraph(graph: Graph): DrawnElement {
	const plan = new Layout({ directed: true, compound: true, multigraph: true });
	const top = graph.groups.length === 0 ? MARGIN : MARGIN + TITLE;
	plan.setGraph({ rankdir: graph.direction, nodesep: 28, ranksep: 36, edgesep: 14, marginx: MARGIN, marginy: top });
	for (const { id } of graph.groups) plan.setNode(groupName(id), {});
	for (const node of graph.nodes) plan.setNode(node.id, { ...sizeOf(node) });
	for (const { id, group } of [...graph.groups.map((one) => ({ ...one, id: groupName(one.id) })), ...graph.nodes]) {
		if (group !== undefined) plan.setParent(id, groupName(group));
	}
	for (const [index, { from, to, label }] of graph.edges.entries()) {
		const size = label === "" ? { width: 0, height: 0 } : grow(measureLabel(breakLabel(label)), 4, 2);
		plan.setEdge(from, to, { ...size, labelpos: "c" }, String(index));
	}
	layout(plan);
	const { width, height } = readSize(plan.graph());
	if (width > MAX_SIZE || height > MAX_SIZE) throw new NotDrawn("too large");
	const groups = graph.groups.map(({ id, label }) => drawGroup(readBox(plan.node(groupName(id))), label));
	const placedNodes = new Map(graph.nodes.map((node) => [node.id, { node, box: readBox(plan.node(node.id)) }]));
	const edges = graph.edges.map((edge, index) => {
		const placed: unknown = plan.edge({ v: edge.from, w: edge.to, name: String(index) });
		const points = joinNodes(readPoints(placed), placedNodes.get(edge.from), placedNodes.get(edge.to));
		return drawEdge(edge, points, edge.label === "" ? undefined : readBox(placed));
	});
	const nodes = [...placedNodes.values()].map(({ node, box }) => drawNode(node, box));
	return picture(width, height, [...groups, ...edges.flat(), ...nodes]);
}

/** No node has such a name. */
function groupName(id: string): string {
	return `group ${id}`;
}

function sizeOf({ label, shape }: GraphNode): Size {
	if (shape === "start" || shape === "end") return { width: DOT, height: DOT };
	const { width, height } = grow(measureLabel(breakLabel(label)), PAD.x, PAD.y);
	if (shape === "circle") return { width: Math.hypot(width, height), height: Math.hypot(width, height) };
	if (shape === "diamond") return { width: width * 1.45, height: height * 1.7 };
	return { width: shape === "hexagon" || shape === "pill" ? width + 12 : width, height };
}

function grow({ width, height }: Size, x: number, y: number): Size {
	return { width: width + 2 * x, height: height + 2 * y };
}

function drawNode({ label, shape }: GraphNode, box: Box): DrawnElement {
	if (shape === "start") return outline(shape, box, "diagram-dot");
	return element("g", {}, [
		outline(shape, box, "diagram-node"),
		...(shape === "end"
			? [outline("end", { ...box, width: 6, height: 6 }, "diagram-dot")]
			: [words(breakLabel(label), box)]),
	]);
}

function outline(shape: GraphNode["shape"], { x, y, width, height }: Box, look: string): DrawnElement {
	const [w, h] = [width / 2, height / 2];
	switch (shape) {
		case "circle":
		case "start":
		case "end":
			return element("ellipse", { class: look, cx: x, cy: y, rx: w, ry: h });
		case "diamond":
			return element("path", { class: look, d: `M${x} ${y - h}L${x + w} ${y}L${x} ${y + h}L${x - w} ${y}Z` });
		case "hexagon":
			return element("path", {
				class: look,
				d: `M${x - w + 10} ${y - h}H${x + w - 10}L${x + w} ${y}L${x + w - 10} ${y + h}H${x - w + 10}L${x - w} ${y}Z`,
			});
		case "box":
		case "round":
		case "pill":
			return element("rect", {
				...{ class: look, x: x - w, y: y - h, width, height },
				rx: shape === "box" ? 2 : shape === "round" ? 8 : h,
			});
	}
}

function drawGroup({ x, y, width, height }: Box, label: string): DrawnElement {
	const wide = Math.max(width, measureLabel([label]).width * BOLD + 16);
	const [left, top] = [x - wide / 2, y - height / 2 - TITLE];
	const box = { class: "diagram-group", x: left, y: top, width: wide, height: height + TITLE, rx: 4 };
	return element("g", {}, [element("rect", box), title(label, { x: left + 8, y: top + TITLE / 2 + 1 })]);
}

interface PlacedNode {
	readonly node: GraphNode;
	readonly box: Box;
}

/** The library ends lines at the box around a node; they are to end at its outline. */
function joinNodes(
	points: readonly Point[],
	from: PlacedNode | undefined,
	to: PlacedNode | undefined,
): readonly Point[] {
	const [second, before] = [points[1], points.at(-2)];
	if (from === undefined || to === undefined || second === undefined || before === undefined) return points;
	return [meetOutline(from, second, points[0]), ...points.slice(1, -1), meetOutline(to, before, points.at(-1))];
}

function meetOutline({ node: { shape }, box }: PlacedNode, other: Point, end: Point | undefined): Point {
	const [dx, dy] = [(other.x - box.x) / (box.width / 2), (other.y - box.y) / (box.height / 2)];
	const far = shape === "diamond" ? Math.abs(dx) + Math.abs(dy) : shape === "circle" ? Math.hypot(dx, dy) : 0;
	if (far === 0) return end ?? other;
	return { x: box.x + (other.x - box.x) / far, y: box.y + (other.y - box.y) / far };
}

function drawEdge(
	{ label, line, ends }: GraphEdge,
	points: readonly Point[],
	box: Box | undefined,
): readonly DrawnElement[] {
	const [first, second] = points;
	const [before, last] = points.slice(-2);
	if (first === undefined || second === undefined || before === undefined || last === undefined) return [];
	if (line === "none") return [];
	const drawn = [element("path", { class: `diagram-line diagram-${line}`, d: route(points) })];
	if (ends.to) drawn.push(arrowHead(before, last));
	if (ends.from) drawn.push(arrowHead(second, first));
	if (box === undefined) return drawn;
	const { width, height } = box;
	const ground = { class: "diagram-ground", x: box.x - width / 2, y: box.y - height / 2, width, height };
	return [...drawn, element("rect", ground), words(breakLabel(label), box, "diagram-text diagram-quiet")];
}

function readSize(value: unknown): Size {
	return { width: readNumber(value, "width"), height: readNumber(value, "height") };
}

function readBox(value: unknown): Box {
	return { ...readSize(value), x: readNumber(value, "x"), y: readNumber(value, "y") };
}

function readPoints(value: unknown): readonly Point[] {
	const points = typeof value === "object" && value !== null && "points" in value ? value.points : undefined;
	if (!Array.isArray(points)) throw new NotDrawn("no way found");
	return points.map((point: unknown) => ({ x: readNumber(point, "x"), y: readNumber(point, "y") }));
}

/** What the library promises is checked, so that no drawing holds anything but numbers. */
function readNumber(value: unknown, name: string): number {
	const found = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
	if (typeof found !== "number" || !Number.isFinite(found)) throw new NotDrawn(`no ${name}`);
	return found;
}
