/** One line of the table. Floor and aim may be words; ours is always a measured value. */
export interface Row {
	readonly measure: string;
	readonly floor: string;
	readonly ours: string;
	readonly aim: string;
	/** The peer's figure, where it was measured. */
	readonly peer?: string;
	/** How many times the others' figures ours is, where it is a cost. */
	readonly ratios?: { readonly floor?: number | undefined; readonly peer?: number | undefined };
}

/** A measure in numbers, for both hosts. */
export interface Figures {
	readonly measure: string;
	readonly floor: readonly number[];
	readonly ours: readonly number[];
	readonly unit: string;
	readonly aim: string;
}

/** More of these is worse. */
const COSTS: ReadonlySet<string> = new Set(["ms", "µs", "MB"]);

/** Medians, and how many times the floor ours is: the part that holds on any machine. */
export function rowOf({ measure, floor, ours, unit, aim }: Figures): Row {
	const [low, own] = [median(floor), median(ours)];
	const ratio = low > 0 ? ` (${(own / low).toFixed(1)} ×)` : "";
	return {
		measure,
		floor: floor.length === 0 ? "" : `${round(low)} ${unit}`,
		ours: `${round(own)} ${unit}${ratio}`,
		aim,
		...(low > 0 && COSTS.has(unit) ? { ratios: { floor: own / low } } : {}),
	};
}

/** A measure of each contender. */
export type Taken<T> = Record<"floor" | "ours" | "peer", T[]>;

export function collect<T>(): Taken<T> {
	return { floor: [], ours: [], peer: [] };
}

/** One field of what was taken of each contender, with how many times the peer's figure ours is. */
export function rowFor<T>(measure: string, taken: Taken<T>, key: keyof T & string, unit: string, aim: string): Row {
	const pick = (all: readonly T[]) => all.map((one) => Number(one[key]));
	const row = rowOf({ measure, floor: pick(taken.floor), ours: pick(taken.ours), unit, aim });
	if (taken.peer.length === 0) return row;
	const peer = median(pick(taken.peer));
	const times = median(pick(taken.ours)) / peer;
	return {
		...row,
		peer: `${round(peer)} ${unit} (ours ${times.toFixed(2)} ×)`,
		ratios: { ...row.ratios, peer: times },
	};
}

/** Median, nineteen of twenty, and the worst of both. */
export function spreadRowOf({ measure, floor, ours, unit, aim }: Figures): Row {
	return { measure, floor: spreadOf(floor, unit), ours: spreadOf(ours, unit), aim };
}

function spreadOf(values: readonly number[], unit: string): string {
	const sorted = values.toSorted((a, b) => a - b);
	const at = (share: number) => round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
	return values.length === 0 ? "" : `${at(0.5)} / ${at(0.95)} / ${at(1)} ${unit}`;
}

export function renderTable(rows: readonly Row[]): string {
	const all: readonly Row[] = [{ measure: "Measure", floor: "Floor", peer: "Peer", ours: "Ours", aim: "Aim" }, ...rows];
	const columns = (["measure", "floor", "peer", "ours", "aim"] as const).filter(
		(column) => column !== "peer" || rows.some(({ peer }) => peer !== undefined),
	);
	const widthOf = (column: (typeof columns)[number]) => Math.max(...all.map((row) => row[column]?.length ?? 0));
	const widths = columns.map(widthOf);
	const line = (row: Row) =>
		`| ${columns.map((column, index) => (row[column] ?? "").padEnd(widths[index] ?? 0)).join(" | ")} |`;
	const [head, ...body] = all.map(line);
	return [head, (head ?? "").replaceAll(/[^|]/g, "-"), ...body].join("\n");
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	const upper = sorted[middle] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

function round(value: number): string {
	return value >= 100 ? String(Math.round(value)) : value.toFixed(value >= 10 ? 1 : 2);
}
