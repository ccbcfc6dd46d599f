/** A diagram of nodes and edges, as it was written and before it has places. */
export interface Graph {
	readonly direction: Direction;
	readonly nodes: readonly GraphNode[];
	readonly edges: readonly GraphEdge[];
	readonly groups: readonly GraphGroup[];
}

export type Direction = "TB" | "BT" | "LR" | "RL";

export interface GraphNode {
	readonly id: string;
	readonly label: string;
	readonly shape: Shape;
	/** The group that it is in. */
	readonly group?: string;
}

export type Shape = "box" | "round" | "pill" | "circle" | "diamond" | "hexagon" | "start" | "end";

export interface GraphEdge {
	readonly from: string;
	readonly to: string;
	readonly label: string;
	readonly line: "solid" | "dotted" | "thick" | "none";
	readonly ends: { readonly from: boolean; readonly to: boolean };
}

export interface GraphGroup {
	readonly id: string;
	readonly label: string;
	readonly group?: string;
}

/** What is not understood, or too much: the diagram stays as it was written. */
export class NotDrawn extends Error {}

/** Above these limits a diagram stays as it was written: its layout would hold up the page. */
const MAX_NODES = 40;
const MAX_EDGES = 60;
const MAX_GROUPS = 8;

/** Collects what the lines of a diagram name. */
export class GraphBuilder {
	direction: Direction = "TB";
	readonly #nodes = new Map<string, GraphNode>();
	readonly #edges: GraphEdge[] = [];
	readonly #groups: GraphGroup[] = [];
	/** The groups that are open, the innermost last. */
	readonly #open: string[] = [];

	/** A node is where it is named first; words and shape are those that it is given last. */
	node(id: string, given: { readonly label?: string; readonly shape?: Shape } = {}): string {
		const known = this.#nodes.get(id);
		const group = this.#open.at(-1);
		const first: GraphNode = known ?? { id, label: id, shape: "box", ...(group === undefined ? {} : { group }) };
		this.#nodes.set(id, { ...first, ...given });
		if (this.#nodes.size > MAX_NODES) throw new NotDrawn("too many nodes");
		return id;
	}

	has(id: string): boolean {
		return this.#nodes.has(id);
	}

	edge(edge: GraphEdge): void {
		if (this.#edges.push(edge) > MAX_EDGES) throw new NotDrawn("too many edges");
	}

	/** What identifies the innermost open group; empty if there is none. */
	get scope(): string {
		return this.#open.at(-1) ?? "";
	}

	openGroup(id: string, label: string): void {
		const group = this.#open.at(-1);
		this.#groups.push({ id, label, ...(group === undefined ? {} : { group }) });
		if (this.#groups.length > MAX_GROUPS) throw new NotDrawn("too many groups");
		this.#open.push(id);
	}

	closeGroup(): void {
		if (this.#open.pop() === undefined) throw new NotDrawn("nothing to close");
	}

	build(): Graph {
		const ids = this.#groups.map(({ id }) => id);
		const isClear = new Set(ids).size === ids.length && !ids.some((id) => this.#nodes.has(id));
		// An edge to a group would need a place of its own.
		if (this.#open.length > 0 || !isClear || this.#nodes.size === 0) throw new NotDrawn("not a graph");
		return { direction: this.direction, nodes: [...this.#nodes.values()], edges: this.#edges, groups: this.#groups };
	}
}
