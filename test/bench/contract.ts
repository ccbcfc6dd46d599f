// Measures what a change of a turn's contract adds to a request, and what building a request costs, and prints two tables.
// Usage: node test/bench/contract.ts
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HistoryItem } from "../../agent-host/history/history-item.ts";
import { buildRequest } from "../../agent-host/model/request.ts";
import { digestRequest } from "../../agent-host/model/request-digest.ts";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { anEnvelope } from "../support/an-envelope.ts";
import { startFakeModel } from "../support/fake-model.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn, startHost } from "../support/host-process.ts";
import { median } from "./table.ts";

const TURNS = [10, 1_000, 10_000];
const ROUNDS = 15;
const PROMPT = "go on";

const CHANGES: readonly (readonly [what: string, aim: string, settings: PartialSettings])[] = [
	["nothing", "0 bytes beyond the message", {}],
	["permission mode", "≤ 1 KB", { permissions: { mode: "readOnly" } }],
	["network", "≤ 1 KB", { permissions: { network: "on" } }],
	["approval", "≤ 1 KB", { approval: "never" }],
	["plan mode", "–", { modes: { collaboration: "plan" } }],
	["tone", "–", { modes: { personality: "concise" } }],
	["model", "≤ 4 KB", { model: { id: "fake-2" } }],
];

await measureBytes();
measureBuilding();

async function measureBytes(): Promise<void> {
	const root = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
	const workspace = join(root, "work");
	mkdirSync(join(workspace, "sub"), { recursive: true });
	const model = await startFakeModel(() => says("ok"));
	const settings = { model: { provider: "compatible" as const, baseUrl: model.baseUrl, id: "fake-1" } };
	const host = await startHost({ home: join(root, "home"), folders: [workspace], settings, env: { HOME: root } });
	try {
		const rows: string[][] = [];
		const added = async (what: string, aim: string, change: (on: HostProcess, threadId: never) => unknown) => {
			const threadId = await aThread(host);
			await runTurn(host, threadId, PROMPT);
			await change(host, threadId as never);
			await runTurn(host, threadId, PROMPT);
			const [before = "", after = ""] = model.requests.slice(-2).map(({ body }) => inputOf(body));
			rows.push([what, String(after.length - before.length - bytesOfATurn()), aim]);
		};
		for (const [what, aim, change] of CHANGES) {
			await added(what, aim, (on, threadId) => on.request(threadSettings, { threadId, settings: change }));
		}
		await added("folder", "≤ 0.4 KB", (on, threadId) =>
			on.request(threadSettings, { threadId, cwd: join(workspace, "sub") }),
		);
		await added("AGENTS.md of 100 bytes", "–", () => writeFileSync(join(workspace, "AGENTS.md"), "x".repeat(100)));
		await added("trust withdrawn", "≤ 1.5 KB", (on) => on.notify(didChangeTrust, { trusted: false }));
		printTable(["Change", "Bytes added to the next request", "Aim"], rows);
	} finally {
		await host.close();
		await model.stop();
		rmSync(root, { recursive: true });
	}
}

function inputOf(body: unknown): string {
	return JSON.stringify((body as { input: unknown }).input);
}

/** The answer before and the message itself, with the commas that join them. */
function bytesOfATurn(): number {
	const message = { type: "message", role: "user", content: [{ type: "input_text", text: PROMPT }] };
	return JSON.stringify([{ role: "assistant", content: "ok" }, message]).length - 2 + 1;
}

function measureBuilding(): void {
	const envelope = anEnvelope();
	const rows = TURNS.map((turns) => {
		const history = Array.from({ length: turns }, (_, turn): HistoryItem[] => [
			{ kind: "userMessage", text: `Question ${turn}: ${"word ".repeat(20)}` },
			{ kind: "agentMessage", text: `Answer ${turn}: ${"word ".repeat(60)}` },
		]).flat();
		const first = timed(() => digestRequest(buildRequest(envelope, history, [])));
		const again = Array.from({ length: ROUNDS }, () => timed(() => digestRequest(buildRequest(envelope, history, []))));
		const plain = Array.from({ length: ROUNDS }, () => timed(() => JSON.stringify(history)));
		return [String(turns), first.toFixed(1), median(again).toFixed(2), median(plain).toFixed(2)];
	});
	printTable(["Turns", "First request, ms", "Later ones, ms", "JSON.stringify of the same, ms"], rows);
}

function timed(work: () => unknown): number {
	const start = performance.now();
	work();
	return performance.now() - start;
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
	for (const row of [head, head.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
	console.log();
}
