import { readFileSync } from "node:fs";

/** The parts of V8's heap snapshot that are read: flat rows of numbers, with names in a table of strings. */
interface Snapshot {
	readonly snapshot: {
		readonly meta: {
			readonly node_fields: readonly string[];
			readonly edge_fields: readonly string[];
			readonly edge_types: readonly [readonly string[], ...unknown[]];
		};
	};
	readonly nodes: readonly number[];
	readonly edges: readonly number[];
	readonly strings: readonly string[];
}

/** Bytes of the heap by who holds them. */
export type Holders = ReadonlyMap<string, number>;

/** Each object counts for whoever is met first on the way from the roots: the name of what holds it, and by which field. */
export function readHolders(path: string): Holders {
	const { snapshot, nodes, edges, strings } = JSON.parse(readFileSync(path, "utf8")) as Snapshot;
	const { node_fields: ofNode, edge_fields: ofEdge, edge_types: types } = snapshot.meta;
	const [name, size, count] = ["name", "self_size", "edge_count"].map((field) => ofNode.indexOf(field)) as [
		number,
		number,
		number,
	];
	const [type, label, to] = ["type", "name_or_index", "to_node"].map((field) => ofEdge.indexOf(field)) as [
		number,
		number,
		number,
	];
	const weak = types[0].indexOf("weak");
	const named = new Set(["property", "context", "internal"].map((kind) => types[0].indexOf(kind)));
	const firstEdge = listFirstEdges(nodes, ofNode.length, count);
	const holderOf = new Map<number, string>([[0, "(root)"]]);
	const bytes = new Map<string, number>();
	const queue = [0];
	for (let next = 0; next < queue.length; next += 1) {
		const node = queue[next] ?? 0;
		const holder = holderOf.get(node) ?? "";
		bytes.set(holder, (bytes.get(holder) ?? 0) + (nodes[node + size] ?? 0));
		const from = firstEdge.get(node) ?? 0;
		for (let index = 0; index < (nodes[node + count] ?? 0); index += 1) {
			const edge = (from + index) * ofEdge.length;
			const target = edges[edge + to] ?? 0;
			if (edges[edge + type] === weak || holderOf.has(target)) continue;
			// What an array or a map holds counts for whoever holds the array.
			const isNamed = named.has(edges[edge + type] ?? -1);
			const field = strings[edges[edge + label] ?? 0] ?? "";
			const own = `${strings[nodes[node + name] ?? 0]?.slice(0, 40)}.${field.slice(0, 40)}`;
			holderOf.set(target, isNamed && !/^(?:elements|table|properties|map|<)/.test(field) ? own : holder);
			queue.push(target);
		}
	}
	return bytes;
}

function listFirstEdges(nodes: readonly number[], fields: number, count: number): ReadonlyMap<number, number> {
	const first = new Map<number, number>();
	let edges = 0;
	for (let node = 0; node < nodes.length; node += fields) {
		first.set(node, edges);
		edges += nodes[node + count] ?? 0;
	}
	return first;
}

export interface Holder {
	readonly holder: string;
	readonly bytes: number;
	readonly grown: number;
}

/** What has grown most comes first. */
export function compareHeaps(before: Holders, after: Holders): readonly Holder[] {
	return [...after]
		.map(([holder, bytes]) => ({ holder, bytes, grown: bytes - (before.get(holder) ?? 0) }))
		.sort((a, b) => b.grown - a.grown);
}
