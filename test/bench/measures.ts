import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { turnInterrupt, turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { filesUnder } from "../host/rig/files.ts";
import { statOf } from "../host/rig/processes.ts";
import { floods, holds } from "../support/fake-model-steps.ts";
import { endOfTurn, startHeldTurn, startHost } from "../support/host-process.ts";
import { type Bench, type Subject, specOf } from "./subject.ts";

const TICKS_PER_MS = 0.1;

/** Milliseconds from spawn to the answer of `initialize`, with a fresh home. */
export async function measureStart(bench: Bench, program: string): Promise<number> {
	const spec = specOf(bench, program, { baseUrl: "http://127.0.0.1:9/v1" });
	const start = performance.now();
	const host = await startHost(spec);
	const took = performance.now() - start;
	await host.close();
	return took;
}

/** Milliseconds from the end of its pipe, as when its parent dies, to the end of a host. */
export async function measureGoodbye(bench: Bench, program: string): Promise<number> {
	const host = await startHost(specOf(bench, program, { baseUrl: "http://127.0.0.1:9/v1" }));
	const start = performance.now();
	host.wire.hangUp();
	await host.exited;
	return performance.now() - start;
}

/** Milliseconds that Node needs to start and end with nothing to do. */
export async function measureNode(): Promise<number> {
	const start = performance.now();
	await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit");
	return performance.now() - start;
}

export interface TurnTimes {
	/** `turn/start` sent → the whole request has arrived at the model. */
	readonly toRequest: number;
	/** Last byte handed over → `turnCompleted` seen. */
	readonly toEnd: number;
}

export async function measureTurn({ host, threadId, model }: Subject): Promise<TurnTimes> {
	const number = model.requests.length + 1;
	const sent = performance.now();
	const { turnId } = await host.request(turnStart, {
		threadId,
		input: [{ kind: "text", text: `Question ${number}.` }],
	});
	await endOfTurn(host, threadId, turnId);
	const ended = performance.now();
	const { at, answeredAt = Number.NaN } = await model.requestNumber(number);
	return { toRequest: at - sent, toEnd: ended - answeredAt };
}

export interface FloodFigures {
	readonly cpuPerDelta: number;
	readonly perSecond: number;
	readonly notifications: number;
	readonly bytes: number;
}

/** One turn with 20,000 deltas that arrive as fast as they are read. CPU in microseconds. */
export async function measureFlood(subject: Subject): Promise<FloodFigures> {
	const { host, threadId } = subject;
	const count = 20_000;
	const step = floods(count);
	subject.answer(step);
	const [cpu, seen, start] = [cpuOf(host.pid), host.received.messages.length, performance.now()];
	const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text: "Flood." }] });
	const { text } = await endOfTurn(host, threadId, turnId);
	const seconds = (performance.now() - start) / 1_000;
	if (text !== step.text) throw new Error("The text of a flood is not what was sent.");
	const messages = host.received.messages.slice(seen);
	return {
		cpuPerDelta: ((cpuOf(host.pid) - cpu) * 1_000) / count,
		perSecond: count / seconds,
		notifications: messages.length,
		bytes: messages.reduce((sum, message) => sum + Buffer.byteLength(message), 0),
	};
}

/** Milliseconds from sending `turn/interrupt` to seeing the turn's end, while text streams. */
export async function measureInterrupt(subject: Subject): Promise<number> {
	const { host, threadId } = subject;
	const step = holds("Some text", " and more.");
	subject.answer(step);
	const { turnId } = await startHeldTurn(host, step, { threadId });
	const start = performance.now();
	const stopped = host.request(turnInterrupt, { threadId });
	await endOfTurn(host, threadId, turnId);
	const took = performance.now() - start;
	await stopped;
	return took;
}

/** User and system time of a process so far, in milliseconds; the kernel counts it in steps of 10. */
export function cpuOf(pid: number): number {
	const fields = statOf(pid);
	return (Number(fields?.[11]) + Number(fields?.[12])) / TICKS_PER_MS;
}

/** The same in finer steps, with helpers that have ended, which the kernel counts in steps of 10. */
export function processorOf(pid: number): number {
	const tasks = readdirSync(`/proc/${pid}/task`).map((task) => runTimeOf(`/proc/${pid}/task/${task}/schedstat`));
	const fields = statOf(pid);
	return tasks.reduce((sum, ns) => sum + ns, 0) / 1e6 + (Number(fields?.[13]) + Number(fields?.[14])) / TICKS_PER_MS;
}

/** Nanoseconds; none of a thread that has ended meanwhile. */
function runTimeOf(path: string): number {
	try {
		return Number(readFileSync(path, "utf8").split(" ")[0]);
	} catch {
		return 0;
	}
}

/** Memory in MB. */
export function memoryOf(pid: number): number {
	return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}

/** Bytes below a folder; what is renamed or removed meanwhile may be left out. */
export function diskOf(folder: string): number {
	return filesUnder(folder).reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}
