// Measures the panel's page in a real browser, beside a page that does the least; prints a table.
// Usage: node test/bench/panel.ts, after a build
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import type { ToWebview } from "../../media/wire.ts";
import { aPanel } from "../page/a-panel.ts";
import { AThread } from "../page/a-thread.ts";
import { type ChatPage, THREAD } from "../page/chat-page.ts";
import { aLongThread, countLines } from "../page/long-thread.ts";
import { launchPages, type Pages } from "../page/open-page.ts";
import { sendOneByOne } from "../page/reader.ts";
import { type Figures, type Row, renderTable, rowOf, spreadRowOf } from "./table.ts";
import { type Streamed, watchPage } from "./watch-page.ts";

const OPENINGS = 9;
const STREAMS = 3;
const DELTAS = 20_000;
/** Makes more than 60,000 lines. */
const LONG_THREAD_ITEMS = 3_600;
const TYPED = "typing while the answer streams in ";

const FRAME = "p95 ≤ 33 ms (30 Hz)";
const KEY = "p95 ≤ 16 ms";

/** What a page has to do with, in the order in which it is measured. */
type Kind = "bare" | "";
const KINDS = { floor: "bare", ours: "" } as const satisfies Record<string, Kind>;

/** Open time, frames and keys while an answer streams, and what a long thread leaves behind. */
export async function measurePanel(): Promise<readonly Row[]> {
	await using pages = await launchPages();
	// The first tab of a browser pays for things that every later one shares.
	await pages.open({ isAlone: true });
	return [...(await measureOpening(pages)), ...(await measureStreaming(pages)), ...(await measureLongThread(pages))];
}

async function measureOpening(pages: Pages): Promise<readonly Row[]> {
	const opened = await interleave(OPENINGS, async (kind) => {
		const page = await openEmpty(pages, kind);
		const painted = await page.tab.evaluate(
			() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
		);
		return painted;
	});
	return [spreadRowOf({ measure: "panel opened → first paint", ...opened, unit: "ms", aim: "≤ 200 ms" })];
}

async function measureStreaming(pages: Pages): Promise<readonly Row[]> {
	const idle = await interleave(STREAMS, async (kind) => typeInto(await openEmpty(pages, kind), async () => {}));
	const busy = await interleave(STREAMS, async (kind) => {
		const page = await openEmpty(pages, kind);
		const { events, deltas } = anAnswerInFlight();
		await page.showThread(events);
		return typeInto(page, () => sendOneByOne(page, deltas));
	});
	const all = (of: typeof busy, pick: (one: Streamed) => readonly number[]) => ({
		floor: of.floor.flatMap(pick),
		ours: of.ours.flatMap(pick),
	});
	const row = (measure: string, figures: Pick<Figures, "floor" | "ours">, aim: string) =>
		spreadRowOf({ measure, ...figures, unit: "ms", aim });
	const many = DELTAS.toLocaleString("en");
	return [
		row(
			"a key, idle → handled",
			all(idle, ({ handled }) => handled),
			KEY,
		),
		row(
			"a key, idle → painted",
			all(idle, ({ painted }) => painted),
			"",
		),
		row(
			`a key, while ${many} deltas stream → handled`,
			all(busy, ({ handled }) => handled),
			KEY,
		),
		row(
			`a key, while ${many} deltas stream → painted`,
			all(busy, ({ painted }) => painted),
			"",
		),
		row(
			`from frame to frame, while ${many} deltas stream`,
			all(busy, ({ frames }) => frames),
			FRAME,
		),
		rowOf({ measure: "frames dropped of it", ...all(busy, ({ dropped }) => [dropped]), unit: "%", aim: "" }),
		rowOf({ measure: "main thread busy meanwhile", ...all(busy, ({ busy }) => [busy]), unit: "%", aim: "" }),
	];
}

async function measureLongThread(pages: Pages): Promise<readonly Row[]> {
	const { events } = aLongThread(LONG_THREAD_ITEMS);
	const lines = `${countLines(events).toLocaleString("en")} lines`;
	const measure = async (shown: readonly PublishedEvent[]) => {
		const page = await openEmpty(pages, "");
		const opened = await timeThread(page, shown);
		const { heap } = await watchPage(page);
		return { opened: [opened], heap: [await heap()], elements: [await page.countNodes()] };
	};
	const [floor, ours] = [await measure([]), await measure(events)];
	const row = (name: string, pick: (of: typeof ours) => readonly number[], unit: string, aim: string) =>
		rowOf({ measure: `${lines}, beside an empty panel: ${name}`, floor: pick(floor), ours: pick(ours), unit, aim });
	return [
		row("events → painted", ({ opened }) => opened, "ms", "≤ 500 ms"),
		row("heap", ({ heap }) => heap, "MB", "≤ 150 MB"),
		row("elements", ({ elements }) => elements, "", "≤ 1,500"),
	];
}

/** Milliseconds from the events to the frame that shows them. */
function timeThread({ tab }: ChatPage, events: readonly PublishedEvent[]): Promise<number> {
	const messages: readonly ToWebview[] = [
		{ type: "panel", panel: aPanel() },
		{ type: "thread", threadId: THREAD, title: "A thread" },
		{ type: "events", threadId: THREAD, events, loading: false },
	];
	return tab.evaluate(async (text) => {
		const parsed = JSON.parse(text);
		const start = performance.now();
		for (const data of parsed) window.dispatchEvent(new MessageEvent("message", { data }));
		await window.stub.nextFrame();
		await window.stub.nextFrame();
		return performance.now() - start;
	}, JSON.stringify(messages));
}

async function openEmpty(pages: Pages, kind: Kind): Promise<ChatPage> {
	const page = await pages.open({ page: kind, clock: "running", isAlone: true });
	await page.tell({ type: "panel", panel: aPanel() }, { type: "thread", threadId: null, title: "" });
	return page;
}

async function typeInto(page: ChatPage, meanwhile: () => Promise<void>): Promise<Streamed> {
	const watch = await watchPage(page);
	await page.tab.locator("#composer").focus();
	const streamed = await watch.during(async () => {
		const other = meanwhile();
		await page.tab.keyboard.type(TYPED.repeat(2), { delay: 25 });
		await other;
	});
	return streamed;
}

/** An answer in flight, and the deltas that will make it long: words, lists and code. */
function anAnswerInFlight() {
	const thread = new AThread().turn().ask("Write a lot").begin({ kind: "agentMessage", id: "long", text: "" });
	let offset = 0;
	const deltas = Array.from({ length: DELTAS }, (_, index) => {
		const text = pieceOf(index % 400);
		const delta = thread.delta("long", offset, text);
		offset += text.length;
		return delta;
	});
	return { events: thread.events, deltas };
}

function pieceOf(place: number): string {
	if (place === 200) return "\n\n```ts\n";
	if (place === 300) return "\n```\n\n";
	if (place > 200 && place < 300) return place % 5 === 0 ? ";\n" : "const x ";
	return place % 40 === 39 ? "end.\n\n" : "word ";
}

/** The same measure taken of both, one after the other in each round. */
async function interleave<T>(rounds: number, take: (kind: Kind) => Promise<T>): Promise<{ floor: T[]; ours: T[] }> {
	const results: { floor: T[]; ours: T[] } = { floor: [], ours: [] };
	for (let round = 0; round < rounds; round += 1) {
		results.floor.push(await take(KINDS.floor));
		results.ours.push(await take(KINDS.ours));
	}
	return results;
}

if (process.argv[1] === import.meta.filename) console.log(renderTable(await measurePanel()));
