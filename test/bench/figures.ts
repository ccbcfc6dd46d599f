// Ratios of one run, and what became slower since the ratios in docs/figures.json were taken.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, platform } from "node:os";
import { join } from "node:path";
import { type Row, renderTable } from "./table.ts";

/** How many times the floor's and the peer's figure ours is: what holds on any machine. */
export interface Ratios {
	readonly floor?: number | undefined;
	readonly peer?: number | undefined;
}

export interface Published {
	readonly machine: string;
	readonly date: string;
	/** The share of the processors that was idle while it was measured. */
	readonly idle: number;
	readonly ratios: Readonly<Record<string, Ratios>>;
}

/** On a busy machine ratios differ from run to run by up to a third; a smaller change says nothing. */
const TOLERANCE = 1.5;
const FILE = join(import.meta.dirname, "../../docs/figures.json");

const taken = new Map<string, Ratios>();

export function printTable(rows: readonly Row[]): void {
	console.log(renderTable(rows));
	for (const { measure, ratios } of rows) if (ratios !== undefined) noteRatios(measure, ratios);
}

export function noteRatios(measure: string, ratios: Ratios): void {
	taken.set(measure, ratios);
}

/** One line for each ratio that is beyond the tolerance, the worst first. */
export function compareRatios(before: Published["ratios"], now: Published["ratios"]): readonly string[] {
	return Object.entries(now)
		.flatMap(([measure, ratios]) =>
			(["floor", "peer"] as const).flatMap((beside) => {
				const [was, is] = [before[measure]?.[beside], ratios[beside]];
				if (was === undefined || is === undefined || is <= was * TOLERANCE) return [];
				return [{ change: is / was, line: `${measure}: ${is.toFixed(2)} × the ${beside}, was ${was.toFixed(2)} ×` }];
			}),
		)
		.sort((a, b) => b.change - a.change)
		.map(({ line }) => line);
}

/** Says what became slower; with `--write` the run becomes the one that later runs are compared with. */
export function closeRun(since: ProcessorTimes): void {
	const now: Published = {
		machine: `${platform()} ${arch()}, ${availableParallelism()} cores, Node ${process.versions.node}`,
		date: new Date().toISOString().slice(0, 10),
		idle: idleShare(since, readProcessors()),
		ratios: Object.fromEntries([...taken].map(([measure, ratios]) => [measure, rounded(ratios)])),
	};
	console.log(`\n${now.machine}; ${Math.round(100 * now.idle)} % of the processors were idle.`);
	const before = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Published) : undefined;
	if (before !== undefined) console.log(describeChanges(before, now));
	if (!process.argv.includes("--write")) return;
	// A run of some benches leaves what the others have found.
	const ratios = { ...before?.ratios, ...now.ratios };
	writeFileSync(FILE, `${JSON.stringify({ ...now, ratios }, null, "\t")}\n`);
}

function describeChanges(before: Published, now: Published): string {
	const slower = compareRatios(before.ratios, now.ratios);
	const than = `the run of ${before.date} (${before.machine}, ${Math.round(100 * before.idle)} % idle)`;
	if (slower.length === 0) return `Nothing is slower than ${TOLERANCE} × ${than}.`;
	return `Slower than ${TOLERANCE} × ${than}:\n${slower.map((line) => `- ${line}`).join("\n")}`;
}

export interface ProcessorTimes {
	readonly idle: number;
	readonly all: number;
}

/** Since the machine started, in the kernel's steps. */
export function readProcessors(): ProcessorTimes {
	const times = /^cpu +(.+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1]?.split(" ").map(Number) ?? [];
	const all = times.reduce((sum, one) => sum + one, 0);
	return { idle: (times[3] ?? 0) + (times[4] ?? 0), all };
}

function idleShare(from: ProcessorTimes, to: ProcessorTimes): number {
	return Math.round((100 * (to.idle - from.idle)) / Math.max(1, to.all - from.all)) / 100;
}

function rounded({ floor, peer }: Ratios): Ratios {
	const round = (ratio: number) => Math.round(100 * ratio) / 100;
	return {
		...(floor === undefined ? {} : { floor: round(floor) }),
		...(peer === undefined ? {} : { peer: round(peer) }),
	};
}
