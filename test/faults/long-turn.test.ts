import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { isCompaction, long, sumsUp } from "../host/rig/compaction.ts";
import { eventually } from "../host/rig/files.ts";
import { pointAt, withHost } from "../host/rig/with-host.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { calls, says, together } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess } from "../support/host-process.ts";

const STEPS = process.env.VITRINE_FULL === "1" ? 1_000 : 300;
const PROMPT = "Look at each of the files and tell me what is in them.";
const SMALL = { model: { contextWindow: 12_000 }, compaction: { percent: 70 } };
/** Steps that are waited for at a time; memory and time are measured after every second of them. */
const PIECE = STEPS / 10;
/** Work that grows with the steps before it would take three times as much for the last fifth as for the second. */
const MOST_GROWTH = 2;
/** How much memory may grow over the last three fifths of the steps. */
const MOST_GROWN_MB = 6;

test(`a turn of ${STEPS} steps completes with compactions on the way, in flat memory and linear time`, (t) => {
	const preload = pathToFileURL(join(import.meta.dirname, "report-memory.ts")).href;
	const report = join(process.env.RUNNER_TEMP ?? "/tmp", `vitrine-long-turn-${process.pid}.json`);
	t.after(() => rmSync(report, { force: true }));
	const env = { NODE_OPTIONS: `--expose-gc --import ${preload}`, VITRINE_MEMORY_REPORT: report };
	return withHost(t, { script: [], env }, async ({ host }) => {
		let step = 0;
		let compactions = 0;
		const lost: number[] = [];
		const model = await startFakeModel((request) => {
			if (isCompaction(request)) {
				compactions += 1;
				return sumsUp(PROMPT, []);
			}
			step += 1;
			if (!request.text.includes(PROMPT)) lost.push(step);
			if (step > STEPS) return says("That was all of them.");
			return together(says(long(60, "look"), { chunk: 4_000 }), calls("read_file", { path: `file-${step}.txt` }));
		});
		t.after(() => model.stop());
		const threadId = await aThread(host, { settings: pointAt(model, SMALL) });
		const samples = [await sampleOf(host, report)];
		const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: PROMPT }] });
		for (let due = PIECE; due <= STEPS; due += PIECE) {
			await host.waitFor(threadId, ({ type }) => type === "turnCompleted" || step >= due);
			if (due % (2 * PIECE) === 0) samples.push(await sampleOf(host, report));
		}
		const { end, text } = await endOfTurn(host, threadId, turnId);
		assert.deepEqual([end.status, text, step], ["completed", "That was all of them.", STEPS + 1], end.error?.message);
		assert.deepEqual(lost, []);
		assert.ok(compactions >= STEPS / 100, `${compactions} compactions are too few to show anything`);
		const spent = samples.slice(1).map(({ cpuMs }, index) => cpuMs - (samples[index]?.cpuMs ?? 0));
		const held = samples.slice(1).map(({ megabytes }) => megabytes);
		const measured = `CPU of each fifth ${spent.join(", ")} ms; held after each ${held.map((one) => one.toFixed(1)).join(", ")} MB`;
		t.diagnostic(`${compactions} compactions; ${measured}`);
		assert.ok((spent.at(-1) ?? 0) < MOST_GROWTH * (spent[1] ?? 0), measured);
		assert.ok((held.at(-1) ?? 0) - (held[1] ?? 0) < MOST_GROWN_MB, measured);
	});
});

interface Sample {
	readonly megabytes: number;
	/** Time on a processor, so that other work of the machine does not count. */
	readonly cpuMs: number;
}

async function sampleOf({ pid }: HostProcess, report: string): Promise<Sample> {
	rmSync(report, { force: true });
	process.kill(pid, "SIGUSR2");
	await eventually(() => existsSync(report) && readFileSync(report, "utf8").endsWith("}"), 20_000, "no report");
	const { bytes } = JSON.parse(readFileSync(report, "utf8")) as { readonly bytes: number };
	return { megabytes: bytes / 2 ** 20, cpuMs: cpuOf(pid) };
}

/** Ticks of a hundredth of a second, in user and in kernel mode. */
function cpuOf(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
	return 10 * (Number(fields[11]) + Number(fields[12]));
}
