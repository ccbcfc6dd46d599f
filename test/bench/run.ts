// Measures the built host beside the least a Node process can do, in one interleaved run, then the panel's page and all that
// has a bench of its own, beside the peer where CODEX_BIN names it; prints tables and what became slower than docs/figures.json.
// Names after it, such as `host` or `patches`, run only these. With --write, later runs are compared with this one.
// Wall times depend on the machine; ratios, counts and bytes are what to compare.
import { setTimeout as pause } from "node:timers/promises";
import { says } from "../support/fake-model-steps.ts";
import { measureBundle, measurePackage } from "./bundle.ts";
import { closeRun, printTable, readProcessors } from "./figures.ts";
import {
	cpuOf,
	diskOf,
	measureFlood,
	measureGoodbye,
	measureInterrupt,
	measureNode,
	measureStart,
	measureTurn,
	memoryOf,
	type TurnTimes,
} from "./measures.ts";
import { measurePanel } from "./panel.ts";
import { type Bench, openBench, type Subject, startSubject } from "./subject.ts";
import { type Figures, median, type Row, rowOf } from "./table.ts";
import { measureLongStreams, measureRequests, measureWires } from "./wires.ts";

const STARTS = 9;
const TURNS = 200;
const FLOODS = 5;
const INTERRUPTS = 15;
const IDLE_MS = 3_000;

/** The same measure taken of both, one after the other in each round. */
async function interleave<S, T>(
	rounds: number,
	floor: S,
	ours: S,
	take: (subject: S) => Promise<T>,
): Promise<{ floor: T[]; ours: T[] }> {
	const results: { floor: T[]; ours: T[] } = { floor: [], ours: [] };
	for (let round = 0; round < rounds; round += 1) {
		results.floor.push(await take(floor));
		results.ours.push(await take(ours));
	}
	return results;
}

async function measureStarts(bench: Bench): Promise<readonly Row[]> {
	const bare: number[] = [];
	const { floor, ours } = await interleave(STARTS, bench.floor, bench.ours, async (program) => {
		if (program === bench.floor) bare.push(await measureNode());
		return measureStart(bench, program);
	});
	const start = { ours, unit: "ms" };
	return [
		rowOf({ ...start, measure: "spawn → initialized, beside the null host", floor, aim: "≤ 102 ms (0.5 × peer)" }),
		rowOf({ ...start, measure: "spawn → initialized, beside node -e 0", floor: bare, aim: "" }),
	];
}

async function measureTurns(floor: Subject, ours: Subject): Promise<readonly Row[]> {
	const first = await interleave(1, floor, ours, measureTurn);
	const early = await interleave(9, floor, ours, measureTurn);
	const memory = { floor: memoryOf(floor.host.pid), ours: memoryOf(ours.host.pid) };
	const cpu = { floor: cpuOf(floor.host.pid), ours: cpuOf(ours.host.pid) };
	const turns = await interleave(TURNS, floor, ours, measureTurn);
	const used = (subject: Subject, before: number) => [(cpuOf(subject.host.pid) - before) / TURNS];
	const row = (figures: Omit<Figures, "unit">) => rowOf({ unit: "ms", ...figures });
	const pick = (of: { floor: TurnTimes[]; ours: TurnTimes[] }, key: keyof TurnTimes, from = 0) => ({
		floor: of.floor.slice(from).map((times) => times[key]),
		ours: of.ours.slice(from).map((times) => times[key]),
	});
	return [
		row({ measure: "turn/start → request, first turn", ...pick(first, "toRequest"), aim: "" }),
		row({ measure: "turn/start → request, turns 2 to 10", ...pick(early, "toRequest"), aim: "≤ 4 × floor" }),
		row({
			measure: `turn/start → request, turn ${TURNS}`,
			...pick(turns, "toRequest", TURNS - 20),
			aim: "≤ 4 × floor",
		}),
		row({ measure: "last byte → turnCompleted", ...pick(turns, "toEnd"), aim: "≤ 2 ms" }),
		row({
			measure: "CPU a turn (one delta)",
			floor: used(floor, cpu.floor),
			ours: used(ours, cpu.ours),
			aim: "≤ 4 × floor",
		}),
		rowOf({
			measure: "memory after 10 turns",
			floor: [memory.floor],
			ours: [memory.ours],
			unit: "MB",
			aim: "≤ 100 MB",
		}),
		counted("first request, bytes", Buffer.byteLength(ours.model.requests[0]?.text ?? ""), "≤ 16,384"),
		counted("bytes that an unchanged turn adds to the request", median(growth(ours)), ""),
		counted("disk a turn, bytes", Math.round(diskOf(ours.home) / (TURNS + 10)), "≤ 3,072"),
	];
}

function growth({ model }: Subject): readonly number[] {
	const sizes = model.requests.map(({ text }) => Buffer.byteLength(text));
	return sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
}

async function measureIdle(ours: Subject): Promise<readonly Row[]> {
	const before = cpuOf(ours.host.pid);
	await pause(IDLE_MS);
	return [counted(`CPU of ${IDLE_MS / 1_000} idle seconds, ms`, cpuOf(ours.host.pid) - before, "0")];
}

async function measureFloods(floor: Subject, ours: Subject): Promise<readonly Row[]> {
	const results = await interleave(FLOODS, floor, ours, measureFlood);
	const pick = (key: keyof (typeof results.ours)[number]) => ({
		floor: results.floor.map((one) => one[key]),
		ours: results.ours.map((one) => one[key]),
	});
	return [
		rowOf({ measure: "20,000 deltas: CPU each", ...pick("cpuPerDelta"), unit: "µs", aim: "≤ 1.5 × floor" }),
		rowOf({ measure: "20,000 deltas: handled a second", ...pick("perSecond"), unit: "", aim: "" }),
		rowOf({ measure: "20,000 deltas: messages to the client", ...pick("notifications"), unit: "", aim: "coalesced" }),
		rowOf({ measure: "20,000 deltas: bytes to the client", ...pick("bytes"), unit: "", aim: "" }),
	];
}

async function measureInterrupts(floor: Subject, ours: Subject): Promise<readonly Row[]> {
	const results = await interleave(INTERRUPTS, floor, ours, measureInterrupt);
	return [rowOf({ measure: "interrupt while streaming → ended", ...results, unit: "ms", aim: "≤ 5 ms" })];
}

async function measureGoodbyes(bench: Bench): Promise<readonly Row[]> {
	const take = (program: string) => measureGoodbye(bench, program);
	const results = await interleave(STARTS, bench.floor, bench.ours, take);
	return [rowOf({ measure: "parent gone → host gone", ...results, unit: "ms", aim: "≤ 1,000 ms" })];
}

function measureSizes(bench: Bench): readonly Row[] {
	const { atStart, later } = measureBundle(bench.ours);
	const packed = measurePackage(bench.ours);
	return [
		counted(`bytes loaded at start (${atStart.files.length} files)`, atStart.bytes, "< 1,000,000"),
		...later.map(({ file, bytes }) => counted(`bytes loaded later: ${file}`, bytes, "")),
		{
			measure: "packed extension, bytes",
			floor: "",
			ours: packed ? packed.bytes.toLocaleString("en") : "not packed",
			aim: "",
		},
	];
}

function counted(measure: string, value: number, aim: string): Row {
	return { measure, floor: "", ours: value.toLocaleString("en"), aim };
}

/** What every turn costs, and the panel's page. */
async function measureHost(): Promise<void> {
	const bench = await openBench();
	try {
		const starts = [...(await measureStarts(bench)), ...(await measureGoodbyes(bench))];
		const [floor, ours] = [await startSubject(bench, bench.floor), await startSubject(bench, bench.ours)];
		const turns = await measureTurns(floor, ours);
		const interrupts = await measureInterrupts(floor, ours);
		const floods = await measureFloods(floor, ours);
		const wires = [...(await measureRequests()), ...(await measureWires()), ...(await measureLongStreams())];
		const idle = await measureIdle(ours);
		for (const subject of [floor, ours]) {
			subject.answer(says("ok"));
			await subject.stop();
		}
		printTable([...starts, ...turns, ...interrupts, ...floods, ...wires, ...idle, ...measureSizes(bench)]);
		console.log();
		printTable(await measurePanel());
	} finally {
		bench.remove();
	}
}

/** Each can be run on its own, too. */
const OTHERS = [
	"first-turns",
	"memory",
	"patches",
	"patch-turns",
	"long-threads",
	"resume",
	"many-threads",
	"mentions",
	"agents",
];

const since = readProcessors();
const named = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const isWanted = (name: string) => named.length === 0 || named.includes(name);
if (isWanted("host")) await measureHost();
for (const name of OTHERS.filter(isWanted)) {
	console.log(`\n${name}\n`);
	await import(`./${name}.ts`);
}
closeRun(since);
