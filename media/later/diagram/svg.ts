import type { Drawn, DrawnElement } from "../drawn.ts";
import { LINE_HEIGHT } from "./label.ts";

export interface Point {
	readonly x: number;
	readonly y: number;
}

/** Every element of a drawing is made here, by a name that is written in our sources. */
export function element(
	tag: "svg" | "g" | "rect" | "ellipse" | "path" | "text" | "tspan",
	attributes: Readonly<Record<string, number | string>>,
	children: readonly Drawn[] = [],
): DrawnElement {
	const { class: name, ...others } = attributes;
	const written = Object.entries(others).map(([key, value]) => [
		key,
		typeof value === "number" ? String(round(value)) : value,
	]);
	return {
		tag,
		...(name === undefined ? {} : { class: String(name) }),
		attributes: Object.fromEntries(written),
		children,
	};
}

/** A picture that becomes smaller with the panel, down to what can still be read; then it is scrolled. */
export function picture(width: number, height: number, children: readonly Drawn[]): DrawnElement {
	const size = { width: Math.ceil(width), height: Math.ceil(height) };
	const box = { viewBox: `0 0 ${size.width} ${size.height}`, ...size, role: "img" };
	return { ...element("svg", box, children), style: { maxWidth: `max(100%, ${Math.ceil(size.width * SMALLEST)}px)` } };
}

const SMALLEST = 0.75;

/** Lines of words around a point. */
export function words(lines: readonly string[], { x, y }: Point, look = "diagram-text"): DrawnElement {
	const first = y - ((lines.length - 1) * LINE_HEIGHT) / 2;
	return element(
		"text",
		{ x, y: first, class: look, "text-anchor": "middle", "dominant-baseline": "central" },
		lines.map((line, index) => element("tspan", { x, y: first + index * LINE_HEIGHT }, [line])),
	);
}

/** The name of a group or frame, from its first letter on. */
export function title(label: string, { x, y }: Point): DrawnElement {
	const look = { class: "diagram-text diagram-title", "dominant-baseline": "central" };
	return element("text", { x, y, ...look }, [label]);
}

/** A line through points, its corners rounded. */
export function route(points: readonly Point[]): string {
	const [first, ...rest] = points;
	if (first === undefined) return "";
	const parts = [`M${at(first)}`];
	for (const [index, point] of rest.entries()) {
		const next = rest[index + 1];
		parts.push(next === undefined ? `L${at(point)}` : `Q${at(point)} ${at(between(point, next))}`);
	}
	return parts.join("");
}

/** The head of an arrow that comes from one point and ends at another. */
export function arrowHead(from: Point, to: Point): DrawnElement {
	const angle = Math.atan2(to.y - from.y, to.x - from.x);
	const corner = (turn: number): Point => ({
		x: to.x - HEAD * Math.cos(angle + turn),
		y: to.y - HEAD * Math.sin(angle + turn),
	});
	return element("path", { class: "diagram-head", d: `M${at(to)}L${at(corner(0.4))}L${at(corner(-0.4))}Z` });
}

const HEAD = 8;

function at({ x, y }: Point): string {
	return `${round(x)} ${round(y)}`;
}

function between(a: Point, b: Point): Point {
	return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

function round(value: number): number {
	return Math.round(value * 10) / 10;
}
