import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPanel } from "../page/a-panel.ts";
import { AThread } from "../page/a-thread.ts";
import { THREAD } from "../page/chat-page.ts";
import { usePages } from "../page/open-page.ts";
import { VECTORS } from "../support/vectors.ts";
import { type Canary, startCanary } from "./canary.ts";
import { BATCH, type Batch, batchesOf, messagesFor, openFolds, PLACES, readText, streamTexts } from "./full-thread.ts";
import { NO_HARM, openWatched, type WatchedPage } from "./watched-page.ts";

const pages = usePages();
let canary: Canary;
before(async () => {
	canary = await startCanary();
});
after(() => canary[Symbol.asyncDispose]());

/** An address of its own for each vector and place, without the scheme, which a vector may disguise. */
function addressOf(index: number, place: string): string {
	return `${canary.origin.slice("http://".length)}/v${String(index).padStart(3, "0")}-${place}`;
}

function writeVectors(place: string): readonly string[] {
	return VECTORS.map(({ write }, index) => write(`http://${addressOf(index, place)}`));
}

async function findUnseen({ page }: WatchedPage, places: readonly string[], { from }: Pick<Batch, "from">) {
	const text = await readText(page);
	const indexes = [...VECTORS.keys()].slice(from, from + BATCH);
	const wanted = indexes.flatMap((index) =>
		places.filter((place) => !isStripped(index, place)).map((place) => addressOf(index, place)),
	);
	return wanted.filter((address) => !text.includes(address));
}

/** Terminal control sequences in a command's output are left out, including the target of a link. */
function isStripped(index: number, place: string): boolean {
	const text = VECTORS[index]?.write("") ?? "";
	return place === "command-output" && ["\x1B", "\x9D"].some((introducer) => text.includes(introducer));
}

/** One in this many batches is drawn again after a reload: a reloaded page receives the same messages. */
const RELOADED = process.env.VITRINE_FULL === "1" ? 1 : 3;

test("no vector requests, navigates to or draws anything, and every address is readable, also after a reload", async () => {
	const watched = await openWatched(pages);
	const unseen: string[] = [];
	for (const batch of batchesOf((place) => writeVectors(place), VECTORS.length)) {
		await watched.page.tell(...messagesFor(batch.texts));
		await openFolds(watched.page);
		unseen.push(...(await findUnseen(watched, PLACES, batch)));
		if (batch.from % (BATCH * RELOADED) !== 0) continue;
		await watched.reload();
		await watched.page.tell(...messagesFor(batch.texts));
		await openFolds(watched.page);
		unseen.push(...(await findUnseen(watched, PLACES, batch)));
	}
	assert.deepEqual(
		{ unseen, connections: canary.connections(), ...(await watched.findHarm()) },
		{ unseen: [], connections: 0, ...NO_HARM },
	);
});

/** Both are drawn by the same code; in the short run every vector comes in one of them. */
const IS_FULL = process.env.VITRINE_FULL === "1";

for (const kind of ["agentMessage", "reasoning"] as const) {
	const isIn = (index: number) => IS_FULL || (index % 4 === 0) === (kind === "reasoning");
	const indexes = [...VECTORS.keys()].filter(isIn);
	test(`none of ${indexes.length} vectors acts while it arrives character by character as ${kind}, and each address is readable`, async () => {
		const watched = await openWatched(pages);
		const texts = writeVectors(kind);
		await streamTexts(
			watched.page,
			kind,
			indexes.flatMap((index) => texts[index] ?? []),
		);
		const text = await readText(watched.page);
		assert.deepEqual(
			{
				unseen: indexes.map((index) => addressOf(index, kind)).filter((address) => !text.includes(address)),
				connections: canary.connections(),
				...(await watched.findHarm()),
			},
			{ unseen: [], connections: 0, ...NO_HARM },
		);
	});
}

test("no vector acts from a saved state, a text in flight, a refused prompt or a new thread's greeting", async () => {
	const watched = await openWatched(pages);
	const { page } = watched;
	const all = writeVectors("saved").join("\n\n");
	const saved = { drafts: { [THREAD]: all, new: all, [all]: all, ["__proto__"]: all }, extra: { html: all } };
	await page.tab.evaluate((state) => sessionStorage.setItem("state", state), JSON.stringify(saved));
	await watched.reload();
	const panel = aPanel({
		folders: writeVectors("folders"),
		model: { provider: "openai", label: all, incomplete: false },
	});
	await page.tell({ type: "panel", panel }, { type: "thread", threadId: null, title: all });
	await page.tab.locator("#send").click();
	const [id = ""] = (await page.takePosted()).flatMap((message) => (message.type === "submit" ? [message.id] : []));
	await page.tell({ type: "submitted", id, problem: all });
	const greeting = await readText(page);
	const thread = new AThread().turn();
	const live = { turnId: "turn-1", itemId: "m", itemKind: "agentMessage", text: all } as const;
	await page.tell({ type: "thread", threadId: THREAD, title: all });
	await page.tell({ type: "events", threadId: THREAD, events: thread.events, live: [live], loading: false });
	const draft = await page.tab.locator("#composer").inputValue();
	assert.ok(draft === all && greeting.includes(addressOf(VECTORS.length - 1, "folders")));
	assert.deepEqual(
		{ connections: canary.connections(), ...(await watched.findHarm()) },
		{ connections: 0, ...NO_HARM },
	);
});
