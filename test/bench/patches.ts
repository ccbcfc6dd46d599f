// Measures patches beside reading and writing the same bytes, and what a record of the change weighs; prints a table.
// Usage: node test/bench/patches.ts
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsePatch } from "../../agent-host/patch/grammar.ts";
import { lockThread } from "../../agent-host/store/home/lock.ts";
import { createPatcher } from "../../agent-host/workspace/apply/patcher.ts";
import { applyPatch } from "../support/apply-patch.ts";
import { printTable } from "./figures.ts";
import { type PatchCase, patchCases } from "./patch-cases.ts";
import { type Row, rowOf } from "./table.ts";

const ROUNDS = 9;
async function measureCase({ measure, before, patch }: PatchCase, folder: string): Promise<readonly Row[]> {
	const file = join(folder, "file.ts");
	const files = new Map(before === undefined ? [] : [["file.ts", new Uint8Array(Buffer.from(before))]]);
	const patcher = createPatcher({
		folder: join(folder, "..", "patches"),
		lock: lockThread,
		newId: randomUUID,
		onRecovered: () => undefined,
	});
	const times = { floor: [] as number[], pure: [] as number[], disk: [] as number[] };
	let record = 0;
	for (let round = 0; round < ROUNDS; round += 1) {
		const outcome = applyPatch(files, patch);
		const after = outcome.ok ? (outcome.after.get("file.ts") ?? new Uint8Array()) : new Uint8Array();
		if (!outcome.ok) throw new Error(outcome.reason);
		reset(file, before);
		times.floor.push(await time(async () => readAndWrite(file, before, after)));
		times.pure.push(await time(async () => applyPatch(files, patch)));
		reset(file, before);
		times.disk.push(
			await time(async () => {
				const parsed = parsePatch(patch);
				if (!parsed.ok) throw new Error(parsed.reason);
				const writable = { roots: [folder], mayWrite: () => undefined };
				const applied = await patcher.apply(parsed.patch, { cwd: folder, writable });
				if (!applied.ok) throw new Error(applied.reason);
				record = Buffer.byteLength(JSON.stringify(applied.changes));
			}),
		);
	}
	const row = (name: string, ours: readonly number[]) =>
		rowOf({ measure: `${measure}: ${name}`, floor: times.floor, ours, unit: "ms", aim: "" });
	return [
		row("worked out in memory", times.pure),
		row("applied, journal and syncs included", times.disk),
		{ measure: `${measure}: bytes of the change's record`, floor: "", ours: record.toLocaleString("en"), aim: "" },
	];
}

/** What the same bytes cost somebody who reads the file, writes the new one and syncs it. */
function readAndWrite(file: string, before: string | undefined, after: Uint8Array): void {
	if (before !== undefined) readFileSync(file);
	writeFileSync(file, after, { flush: true });
}

function reset(file: string, before: string | undefined): void {
	rmSync(file, { force: true });
	if (before !== undefined) writeFileSync(file, before, { flush: true });
}

async function time(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-patches-")));
try {
	const folder = join(top, "work");
	mkdirSync(folder);
	const rows: Row[] = [];
	for (const one of patchCases()) rows.push(...(await measureCase(one, folder)));
	printTable(rows);
} finally {
	rmSync(top, { recursive: true, force: true });
}
