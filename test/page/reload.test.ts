import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import { threadRead, threadResume } from "../../agent-host/protocol/thread/thread.ts";
import type { HostClient } from "../../extension/host/host-client.ts";
import { createThreadFeed } from "../../extension/panel/thread-feed.ts";
import type { Entry } from "../../media/model/thread/entry.ts";
import { foldEvents } from "../../media/model/thread/fold-events.ts";
import { emptyTranscript, getText } from "../../media/model/thread/transcript.ts";
import type { LiveText, ToWebview } from "../../media/wire.ts";
import { aPanel } from "./a-panel.ts";
import { AThread } from "./a-thread.ts";
import { type ChatPage, THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";
import { makeTall } from "./tall.ts";

const EVENTS = 300;
/** Every how many events the page is reloaded. */
const EVERY = process.env.VITRINE_FULL === "1" ? 1 : 29;
const TITLE = "A thread";
/** So high that the list draws all of it. */
const [WIDTH, HEIGHT] = [420, 9_000];

const pages = usePages();

test(`a page reloaded after any of ${EVENTS} events shows what the log holds, once and in order, and keeps the draft`, async (t) => {
	const events = someTurns();
	const page = await pages.open({ isAlone: true });
	await makeTall(page, WIDTH, HEIGHT);
	await showThread(page, [], []);
	let reloads = 0;
	for (let count = EVERY; count <= EVENTS; count += EVERY) {
		// One event before the reload arrives while the old page is there, one while the new one is being filled.
		const [known, late] = [events.slice(0, count - 1), events.slice(count - 1, count)];
		await page.tab.locator("#composer").fill(`draft ${count}`);
		await page.reload();
		await showThread(page, known, late);
		assert.deepEqual(await shownRows(page), expectedRows(events.slice(0, count)), `after ${count} events`);
		assert.equal(await page.tab.locator("#composer").inputValue(), `draft ${count}`);
		const { thread, seq } = await page.tab.locator("main").evaluate(({ dataset }) => ({ ...dataset }));
		assert.deepEqual([thread, Number(seq)], [THREAD, events.slice(0, count).findLast((one) => one.seq)?.seq]);
		// What comes next goes on from there.
		const next = events.slice(count, count + 3);
		await page.publish(...next);
		assert.deepEqual(
			await shownRows(page),
			expectedRows(events.slice(0, count + 3)),
			`after ${count} events and three`,
		);
		const posted = await page.takePosted();
		assert.deepEqual(
			posted.filter(({ type }) => type === "resync"),
			[],
		);
		reloads += 1;
	}
	t.diagnostic(`differences: 0 after ${reloads} reloads`);
	assert.deepEqual(page.errors, []);
});

/** The extension's own way of filling a page, with a host that knows these events. `late` is published meanwhile. */
async function showThread(
	page: ChatPage,
	known: readonly PublishedEvent[],
	late: readonly PublishedEvent[],
): Promise<void> {
	const messages: ToWebview[] = [{ type: "panel", panel: aPanel() }];
	let published = false;
	const request: HostClient["request"] = async (method, params) => {
		if (method.name === threadResume.name) return { threadId: THREAD, last: 0 } as never;
		assert.equal(method.name, threadRead.name);
		const { after: from = 0, limit = 0 } = params as { readonly after?: number; readonly limit?: number };
		const durable = known.filter(({ seq }) => seq !== undefined);
		const live = liveIn(known);
		if (!published) for (const event of late) feed.receive({ threadId, ...event });
		published = true;
		const read = durable.slice(from, from + limit);
		return { title: TITLE, events: read, last: durable.length, ...(live === undefined ? {} : { live }) } as never;
	};
	const threadId = ThreadId.parse(THREAD);
	const feed = createThreadFeed({ request } as HostClient, (message) => messages.push(message));
	await feed.show(threadId);
	await page.tell(...messages);
}

/** The text in flight after these events, as the host would tell it. */
function liveIn(events: readonly PublishedEvent[]): LiveText | undefined {
	const begun = events.findLastIndex(({ event }) => event.type === "itemStarted" && event.item.kind === "agentMessage");
	const since = events.slice(begun + 1).map(({ event }) => event);
	if (begun < 0 || since.some(({ type }) => type === "itemCompleted")) return undefined;
	const deltas = since.flatMap((event) => (event.type === "itemDelta" ? [event] : []));
	const [first] = deltas;
	if (first === undefined) return undefined;
	const { turnId, itemId, itemKind } = first;
	return { turnId, itemId, itemKind, text: deltas.map(({ text }) => text).join("") };
}

function expectedRows(events: readonly PublishedEvent[]): readonly (readonly [string, string])[] {
	const transcript = foldEvents(emptyTranscript(TITLE), events);
	const wordsOf = (entry: Entry): string => {
		if (entry.kind === "userMessage" || entry.kind === "agentMessage") return getText(transcript, entry);
		return entry.kind === "toolCall" ? entry.title : "";
	};
	return (
		transcript.entries
			.filter((entry) => ["userMessage", "agentMessage", "toolCall"].includes(entry.kind))
			.map((entry) => [entry.kind, wordsOf(entry).trim()] as const)
			// A message is drawn with its first word.
			.filter(([, words]) => words !== "")
	);
}

async function shownRows(page: ChatPage): Promise<readonly (readonly [string, string])[]> {
	const rows = await page.tab.locator("#transcript [data-kind]").evaluateAll((all) =>
		all.map((row) => {
			const kind = row.getAttribute("data-kind") ?? "";
			// Of a prompt its words, not when it was said.
			const words = row.querySelector(".prompt > .plain") ?? row;
			const text = words instanceof HTMLElement ? words.innerText : "";
			return [kind, text] as const;
		}),
	);
	return rows
		.filter(([kind]) => ["userMessage", "agentMessage", "toolCall"].includes(kind))
		.map(
			([kind, text]) => [kind, kind === "toolCall" ? (text.match(/Read file \d+/)?.[0] ?? text) : text.trim()] as const,
		);
}

/** Turns as they come: prompts, calls, and answers that arrive in pieces. */
function someTurns(): readonly PublishedEvent[] {
	const thread = new AThread();
	const events: PublishedEvent[] = [];
	const take = (add: () => unknown) => {
		add();
		events.push(...thread.events.splice(0));
	};
	for (let turn = 0; events.length < EVENTS + 3; turn += 1) {
		const id = `answer-${turn}`;
		const call = {
			kind: "toolCall",
			id: `call-${turn}`,
			callId: `c${turn}`,
			name: "read_file",
			arguments: "{}",
		} as const;
		take(() => thread.turn().ask(`Question ${turn}`));
		take(() => thread.begin({ ...call, title: `Read file ${turn}`, status: "running" }));
		take(() => thread.item({ ...call, title: `Read file ${turn}`, status: "completed", output: "text" }));
		take(() => thread.begin({ kind: "agentMessage", id, text: "" }));
		let text = "";
		for (const word of ["The", " answer", ` number ${turn}`, " comes", " in", " many", " small", " pieces."]) {
			events.push(thread.delta(id, text.length, word));
			text += word;
		}
		take(() => thread.item({ kind: "agentMessage", id, text }).end());
	}
	return events;
}
