// Measures patches inside a turn, from the model's call to the next request, beside a call that changes nothing and, where
// CODEX_BIN names it, the peer; prints a table. Usage: node test/bench/patch-turns.ts, after a build
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startFakeModel } from "../support/fake-model.ts";
import { prerender } from "../support/fake-model-play.ts";
import { calls, type Reply, type Step, says } from "../support/fake-model-steps.ts";
import { type Contender, listContenders, type Running } from "./contenders.ts";
import { printTable } from "./figures.ts";
import { processorOf } from "./measures.ts";
import { type PatchCase, patchCases } from "./patch-cases.ts";
import { openBench } from "./subject.ts";
import { collect, rowFor } from "./table.ts";

const ROUNDS = 7;
/** Few pieces: the call itself arrives fast, so that the patch is what is measured. */
const CHUNK = 65_536;
const MAX_CALL_CHARS = 1_000_000;
interface PatchTurn {
	/** Milliseconds from the end of the call to the next request. */
	readonly toRequest: number;
	/** Of the processor, for the whole turn. */
	readonly used: number;
	/** MB to the client. */
	readonly sent: number;
}

const bench = await openBench();
try {
	const contenders = listContenders(bench).filter(({ name }) => name !== "floor");
	// A model that calls tools with more is stopped.
	for (const one of patchCases().filter(({ patch }) => patch.length < MAX_CALL_CHARS)) {
		const taken = collect<PatchTurn>();
		const opened = [];
		for (const contender of contenders) opened.push(await open(contender, one));
		for (let round = 0; round <= ROUNDS; round += 1) {
			for (const { name, take } of opened) {
				const turn = await take(round);
				// The first round loads what later ones have.
				if (round > 0) taken[name].push(turn);
			}
		}
		for (const { stop } of opened) await stop();
		const row = (what: string, key: keyof PatchTurn, unit: string, aim: string) =>
			rowFor(`${one.measure}: ${what}`, taken, key, unit, aim);
		printTable([
			row("call → next request", "toRequest", "ms", "≤ 0.3 × peer"),
			row("processor of the turn", "used", "ms", "≤ 0.3 × peer"),
			row("notifications", "sent", "MB", "≤ 1 MB"),
		]);
	}
} finally {
	bench.remove();
}

async function open(
	contender: Contender,
	{ before, patch }: PatchCase,
): Promise<Pick<Contender, "name"> & Pick<Running, "stop"> & { readonly take: (round: number) => Promise<PatchTurn> }> {
	let steps: Step[] = [];
	const model = await startFakeModel(() => steps.shift() ?? says("ok"), { takes: "all" });
	const running = await contender.start(join(bench.folder, `${contender.name}-patches`), model);
	await running.runTurn("Hello.");
	return {
		name: contender.name,
		async take(round) {
			// A file of its own each time: what somebody else has changed meanwhile would have to be read first.
			const name = `${contender.name}-${round}.ts`;
			const file = join(bench.folder, name);
			rmSync(file, { force: true });
			if (before !== undefined) writeFileSync(file, before, { flush: true });
			const call = callOf(contender, patch.replace("file.ts", name));
			prerender(call, "responses");
			steps = [call];
			const [used, sent, from] = [processorOf(running.pid), running.received(), model.requests.length];
			await running.runTurn("Go on.");
			const [asked, next] = model.requests.slice(from);
			if (!existsSync(file) || readFileSync(file, "utf8") === before)
				throw new Error(`${name} was not patched: ${next?.text.match(/call_output[^}]{0,500}/g)?.at(-1)}`);
			return {
				toRequest: (next?.at ?? Number.NaN) - (asked?.answeredAt ?? Number.NaN),
				used: processorOf(running.pid) - used,
				sent: (running.received() - sent) / 1_048_576,
			};
		},
		async stop() {
			await running.stop();
			await model.stop();
		},
	};
}

/** The peer takes a patch out of the command that would hand it to a program of that name; none is started. */
function callOf({ name }: Contender, patch: string): Reply {
	return name === "peer"
		? calls("exec_command", { cmd: `apply_patch <<'EOF'\n${patch}\nEOF\n` }, { chunk: CHUNK })
		: calls("apply_patch", { patch }, { chunk: CHUNK });
}
