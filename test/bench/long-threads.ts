// Measures what a long thread costs the built host, beside a plain JSON.parse of the same bytes, and prints a table.
// Usage: node test/bench/long-threads.ts
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { threadList, threadRead, threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { writeLongThread } from "../support/a-long-thread.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";
import { endOfTurn, type HostSpec, startHost } from "../support/host-process.ts";
import { noteRatios } from "./figures.ts";
import { memoryOf } from "./measures.ts";
import { median } from "./table.ts";

const SIZES = [10, 2_000, 10_000];
const ROUNDS = 5;
const PAGE = 200;
const CHECKSUM_CHARS = 9;

/** Milliseconds, but for memory, which is in MB. */
interface Figures {
	readonly list: number;
	readonly listAgain: number;
	readonly resume: number;
	readonly resumeAgain: number;
	readonly lastPage: number;
	readonly toRequest: number;
	readonly post: number;
	readonly memory: number;
	readonly parse: number;
}

/** A fresh home and a fresh host: nothing is known of the thread but its file. */
async function measureOnce(folder: string, turns: number, round: number): Promise<Figures> {
	const home = join(folder, `${turns}-${round}`);
	const { threadId, path, events } = writeLongThread(home, "long", turns);
	const model = await startFakeModel(() => says("ok"));
	const spec = {
		home,
		folders: [folder],
		settings: { model: { provider: "compatible", baseUrl: model.baseUrl, id: "fake-1", contextWindow: 100_000_000 } },
		env: { HOME: folder },
		secret: "a-key",
	} as const;
	const host = await startHost(spec);
	try {
		const list = await time(() => host.request(threadList, {}));
		const listAgain = await time(() => host.request(threadList, {}));
		const resume = await time(() => host.request(threadResume, { threadId }));
		const after = Math.max(0, events.length - PAGE);
		const lastPage = await time(() => host.request(threadRead, { threadId, after, limit: PAGE }));
		// The first turn also loads the client for the model; the second shows what the thread itself costs.
		const ask = async (text: string) => {
			const sent = performance.now();
			const { turnId } = await host.request(turnStart, { threadId, input: [{ kind: "text", text }] });
			await endOfTurn(host, threadId, turnId);
			return sent;
		};
		await ask("Ready?");
		const sent = await ask("Next?");
		const request = model.requests.at(-1);
		const toRequest = (request?.at ?? Number.NaN) - sent;
		const memory = memoryOf(host.pid);
		const post = await measurePost(model, request?.text ?? "");
		await host.close();
		const resumeAgain = await measureAgain(spec, threadId);
		return { list, listAgain, resume, resumeAgain, lastPage, toRequest, post, memory, parse: measureParse(path) };
	} finally {
		await host.close();
		await model.stop();
	}
}

/** Opening the thread in another host, which finds what the first one has kept. */
async function measureAgain(spec: HostSpec, threadId: ThreadId): Promise<number> {
	const host = await startHost(spec);
	try {
		await host.request(threadList, {});
		return await time(() => host.request(threadResume, { threadId }));
	} finally {
		await host.close();
	}
}

/** What sending the same request costs somebody who has it at hand: neither thread nor host is in this figure. */
async function measurePost(model: FakeModel, body: string): Promise<number> {
	// The first one opens the connection.
	await fetch(`${model.baseUrl}/nothing`, { method: "POST", body: "{}" });
	const start = performance.now();
	await fetch(`${model.baseUrl}/nothing`, { method: "POST", body });
	return (model.others.at(-1)?.at ?? Number.NaN) - start;
}

/** What the same bytes cost somebody who does nothing but read and parse them. */
function measureParse(path: string): number {
	const start = performance.now();
	const lines = readFileSync(path, "utf8").split("\n");
	for (const line of lines) if (line !== "") JSON.parse(line.slice(CHECKSUM_CHARS));
	return performance.now() - start;
}

async function time(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

const MEASURES = [
	["thread/list, no index", "list"],
	["thread/list again", "listAgain"],
	["thread/resume (open)", "resume"],
	["thread/resume in the next host", "resumeAgain"],
	[`thread/read, last ${PAGE} events`, "lastPage"],
	["turn/start → request", "toRequest"],
	["a plain POST of that request", "post"],
	["read and JSON.parse of the file", "parse"],
] as const satisfies readonly (readonly [string, keyof Figures])[];

function renderFigures(columns: readonly { readonly title: string; readonly rounds: readonly Figures[] }[]): string {
	const cell = (rounds: readonly Figures[], key: keyof Figures) => median(rounds.map((round) => round[key]));
	const rows = [
		["Measure", ...columns.map(({ title }) => title)],
		...MEASURES.map(([name, key]) => [name, ...columns.map(({ rounds }) => `${cell(rounds, key).toFixed(1)} ms`)]),
		[
			"open, times the plain parse",
			...columns.map(({ rounds }) => `${(cell(rounds, "resume") / cell(rounds, "parse")).toFixed(2)} ×`),
		],
		["memory used by the host", ...columns.map(({ rounds }) => `${cell(rounds, "memory").toFixed(0)} MB`)],
	];
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const [head = "", ...body] = rows.map(
		(row) => `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(" | ")} |`,
	);
	return [head, head.replaceAll(/[^|]/g, "-"), ...body].join("\n");
}

const folder = mkdtempSync(join(tmpdir(), "vitrine-long-"));
try {
	const columns = [];
	for (const turns of SIZES) {
		const rounds: Figures[] = [];
		for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureOnce(folder, turns, round));
		const bytes = statSync(join(folder, `${turns}-0`, "threads", "long.jsonl")).size;
		columns.push({ turns, title: `${turns.toLocaleString("en")} turns, ${(bytes / 1_048_576).toFixed(1)} MB`, rounds });
	}
	console.log(renderFigures(columns));
	for (const { turns, rounds } of columns) {
		const cell = (key: keyof Figures) => median(rounds.map((round) => round[key]));
		const name = `${turns.toLocaleString("en")} turns`;
		noteRatios(`${name}: open, beside a plain parse`, { floor: cell("resume") / cell("parse") });
		noteRatios(`${name}: turn/start → request, beside a plain POST`, { floor: cell("toRequest") / cell("post") });
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}
