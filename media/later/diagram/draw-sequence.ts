import type { DrawnElement } from "../drawn.ts";
import { breakLabel, LINE_HEIGHT, measureLabel } from "./label.ts";
import type { Sequence, SequenceEvent } from "./read-sequence.ts";
import { arrowHead, element, picture, route, title, words } from "./svg.ts";

const MARGIN = 8;
/** Between two life lines, at least. */
const GAP = 90;
const HEAD_PAD = 12;
/** Above and below the words of an event. */
const AIR = 8;
/** How far a message to oneself goes out. */
const LOOP = 34;
/** How much a frame is smaller than the one around it. */
const INSET = 6;

type Message = Extract<SequenceEvent, { kind: "message" }>;
type Note = Extract<SequenceEvent, { kind: "note" }>;

/** Who says what to whom, from top to bottom. */
export function drawSequence({ actors, events }: Sequence): DrawnElement {
	const heads = actors.map(({ label }) => breakLabel(label));
	const sizes = heads.map(measureLabel);
	const headHeight = Math.max(...sizes.map(({ height }) => height)) + 2 * AIR;
	const index = new Map(actors.map(({ id }, place) => [id, place]));
	const columns = spreadColumns(
		sizes.map(({ width }) => width + 2 * HEAD_PAD),
		events.flatMap((event) => reachesOf(event, index)),
	);
	const sheet = new Sheet((id) => columns.at[index.get(id) ?? 0] ?? 0, columns.width, MARGIN + headHeight + 2 * AIR);
	for (const event of events) sheet.add(event);
	const bottom = sheet.y + AIR;
	const lines = columns.at.map((x) =>
		element("path", { class: "diagram-line diagram-life", d: `M${x} ${MARGIN + headHeight}V${bottom}` }),
	);
	const boxes = heads.map((lines, place) => {
		const [x, width] = [columns.at[place] ?? 0, (sizes[place]?.width ?? 0) + 2 * HEAD_PAD];
		const box = { class: "diagram-node", x: x - width / 2, y: MARGIN, width, height: headHeight, rx: 2 };
		return element("g", {}, [element("rect", box), words(lines, { x, y: MARGIN + headHeight / 2 })]);
	});
	return picture(columns.width, bottom + MARGIN, [...lines, ...sheet.drawn, ...boxes]);
}

/** Room that something needs from one life line to another; `Infinity` and `-1` are the edges. */
interface Reach {
	readonly from: number;
	readonly to: number;
	readonly width: number;
}

function reachesOf(event: SequenceEvent, index: ReadonlyMap<string, number>): readonly Reach[] {
	if (event.kind !== "message" && event.kind !== "note") return [];
	const width = measureLabel(breakLabel(event.label)).width + 2 * HEAD_PAD;
	const places = (event.kind === "note" ? event.over : [event.from, event.to]).map((id) => index.get(id) ?? 0);
	const [from, to] = [Math.min(...places), Math.max(...places)];
	if (event.kind === "message" && from === to) return [{ from, to: from + 1, width: width + LOOP }];
	if (event.kind === "message" || from < to) return [{ from, to, width }];
	if (event.kind === "note" && event.side === "right") return [{ from, to: from + 1, width }];
	if (event.kind === "note" && event.side === "left") return [{ from: from - 1, to: from, width }];
	return [
		{ from: from - 1, to: from, width: width / 2 },
		{ from, to: from + 1, width: width / 2 },
	];
}

/** Where each life line is: far enough from the others for its head and for all that is written between. */
function spreadColumns(
	heads: readonly number[],
	reaches: readonly Reach[],
): { readonly at: readonly number[]; readonly width: number } {
	const gapAfter = (place: number): number =>
		Math.max(GAP, ((heads[place] ?? 0) + (heads[place + 1] ?? 0)) / 2 + HEAD_PAD);
	const edge = (place: number, inner: number): number =>
		Math.max(
			(heads[inner] ?? 0) / 2,
			...reaches
				.filter(({ from, to }) => (place < 0 ? from < 0 : to === place) && (place < 0 || to > inner))
				.map(({ width }) => width),
		);
	const at = [MARGIN + INSET + edge(-1, 0)];
	for (let place = 1; place < heads.length; place += 1) {
		const ending = reaches.filter(({ from, to }) => to === place && from >= 0);
		const needed = ending.map(({ from, width }) => (at[from] ?? 0) + width);
		at.push(Math.max((at[place - 1] ?? 0) + gapAfter(place - 1), ...needed));
	}
	return { at, width: (at.at(-1) ?? 0) + edge(heads.length, heads.length - 1) + INSET + MARGIN };
}

/** Events one below the other. */
class Sheet {
	readonly drawn: DrawnElement[] = [];
	y: number;
	readonly #place: (id: string) => number;
	readonly #width: number;
	/** Tops of the frames that are open. */
	readonly #frames: number[] = [];

	constructor(place: (id: string) => number, width: number, top: number) {
		this.#place = place;
		this.#width = width;
		this.y = top;
	}

	add(event: SequenceEvent): void {
		switch (event.kind) {
			case "message":
				this.#message(event);
				break;
			case "note":
				this.#note(event);
				break;
			case "open":
				this.#frames.push(this.y);
				this.#title(event.label);
				break;
			case "part":
				this.#divide();
				this.#title(event.label);
				break;
			case "close":
				this.#frame();
		}
	}

	#divide(): void {
		const [from, to] = [this.#inset(), this.#width - this.#inset()];
		this.drawn.push(element("path", { class: "diagram-line diagram-dotted", d: `M${from} ${this.y}H${to}` }));
	}

	#message({ from, to, label, line, head }: Message): void {
		const lines = breakLabel(label);
		const [x, end] = [this.#place(from), this.#place(to)];
		const { width, height } = measureLabel(lines);
		const isOwn = from === to;
		const middle = isOwn ? x + LOOP / 2 + width / 2 + HEAD_PAD : (x + end) / 2;
		if (label !== "") this.#words(lines, middle);
		const y = this.y + (label === "" ? AIR : height) + 2;
		const points = isOwn
			? [
					{ x, y },
					{ x: x + LOOP, y },
					{ x: x + LOOP, y: y + AIR * 2 },
					{ x, y: y + AIR * 2 },
				]
			: [
					{ x, y },
					{ x: end, y },
				];
		this.drawn.push(
			element("path", {
				class: `diagram-line diagram-${line}`,
				d: isOwn ? `M${x} ${y}h${LOOP}v${AIR * 2}h${-LOOP}` : route(points),
			}),
		);
		const [before, last] = points.slice(-2);
		if (head && before !== undefined && last !== undefined) this.drawn.push(arrowHead(before, last));
		this.y = y + (isOwn ? AIR * 2 : 0) + AIR * 1.5;
	}

	#note({ over, side, label }: Note): void {
		const lines = breakLabel(label);
		const size = measureLabel(lines);
		const places = over.map(this.#place);
		const [first, last] = [Math.min(...places), Math.max(...places)];
		const width = Math.max(size.width + HEAD_PAD, first === last ? 0 : last - first + 2 * HEAD_PAD);
		const away = side === "over" ? 0 : (width / 2 + 6) * (side === "left" ? -1 : 1);
		const [x, height] = [(first + last) / 2 + away, size.height + AIR];
		this.drawn.push(element("rect", { class: "diagram-note", x: x - width / 2, y: this.y, width, height, rx: 2 }));
		this.drawn.push(words(lines, { x, y: this.y + height / 2 }));
		this.y += height + AIR * 1.5;
	}

	#words(lines: readonly string[], x: number): void {
		const { width, height } = measureLabel(lines);
		this.drawn.push(element("rect", { class: "diagram-ground", x: x - width / 2, y: this.y, width, height }));
		this.drawn.push(words(lines, { x, y: this.y + height / 2 }));
	}

	/** What a frame, or a part of it, is about. */
	#title(label: string): void {
		this.y += 4;
		this.drawn.push(title(label, { x: this.#inset() + AIR, y: this.y + LINE_HEIGHT / 2 }));
		this.y += LINE_HEIGHT + AIR;
	}

	#frame(): void {
		const x = this.#inset();
		const top = this.#frames.pop() ?? this.y;
		this.drawn.unshift(
			element("rect", { class: "diagram-group", x, y: top, width: this.#width - 2 * x, height: this.y - top, rx: 4 }),
		);
		this.y += AIR * 1.5;
	}

	#inset(): number {
		return 2 + Math.max(0, this.#frames.length - 1) * INSET;
	}
}
