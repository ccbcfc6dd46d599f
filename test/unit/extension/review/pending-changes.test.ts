import assert from "node:assert/strict";
import { test } from "node:test";
import type { createPendingChanges } from "../../../../extension/review/pending-changes.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const KEY = "vitrine.changedThreads";
const FILES = [{ path: "/app/a.ts", operation: "update", hunks: [] }];

/** Pending changes in a window that remembers these threads; the test answers for the host. */
async function createOverPaper(remembered: readonly string[], listed: readonly unknown[] = []) {
	const onNothing = () => ({ dispose: () => undefined });
	const { createPendingChanges: create } = await loadOverPaper<{
		readonly createPendingChanges: typeof createPendingChanges;
	}>(["extension/review/pending-changes.ts"], {
		EventEmitter: PaperEmitter,
		workspace: { onDidChangeTextDocument: onNothing, onDidCloseTextDocument: onNothing },
	});
	const [states, events] = [new PaperEmitter(), new PaperEmitter()];
	let state = "starting";
	const asked = new Map<string, PromiseWithResolvers<{ readonly files: readonly unknown[] }>>();
	const host = {
		state: () => ({ state }),
		onDidChangeState: states.event,
		onThreadEvent: events.event,
		request: async ({ name }: { readonly name: string }, { threadId }: { readonly threadId: string }) => {
			if (name === "thread/list") return { threads: listed };
			const answer = Promise.withResolvers<{ readonly files: readonly unknown[] }>();
			asked.set(threadId, answer);
			return answer.promise;
		},
	};
	const memory = new Map<string, unknown>([[KEY, remembered]]);
	const changes = create(
		host as never,
		{ threadId: () => undefined, onDidChangeThread: onNothing } as never,
		{ warn: () => undefined } as never,
		{
			get: (key: string) => memory.get(key),
			update: async (key: string, value: unknown) => memory.set(key, value),
		} as never,
	);
	return {
		...{ changes, asked, events },
		remembered: () => memory.get(KEY),
		become: (next: "starting" | "ready") => {
			state = next;
			states.fire({ state });
		},
	};
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("pending changes are known once the host has reported every thread that had some, even after it restarts", async () => {
	const { changes, asked, become } = await createOverPaper(["a", "b"]);
	const known: boolean[] = [];
	changes.onDidChange(() => known.push(changes.isKnown()));
	become("ready");
	asked.get("a")?.resolve({ files: FILES });
	await settle();
	assert.deepEqual(known, [false], "a review of the other thread is not over");
	become("starting");
	asked.get("b")?.reject(new Error("The host ended."));
	become("ready");
	await settle();
	assert.equal(changes.isKnown(), false);
	asked.get("a")?.resolve({ files: FILES });
	asked.get("b")?.resolve({ files: FILES });
	await settle();
	assert.equal(known.at(-1), true);
	assert.deepEqual(
		changes.threads().map(({ threadId }) => threadId),
		["a", "b"],
	);
});

test("a thread with pending changes is remembered until the host says that it has none", async () => {
	const { changes, asked, become, remembered } = await createOverPaper(["a", "b", "c"]);
	become("ready");
	asked.get("a")?.resolve({ files: FILES });
	asked.get("b")?.reject(new Error("Too many open files."));
	asked.get("c")?.resolve({ files: [] });
	await settle();
	assert.deepEqual(remembered(), ["b", "a"]);
	const again = changes.refresh();
	asked.get("a")?.resolve({ files: FILES });
	asked.get("b")?.resolve({ files: FILES });
	await again;
	assert.deepEqual(
		changes
			.threads()
			.map(({ threadId }) => threadId)
			.toSorted(),
		["a", "b"],
	);
});

test("after a restore or its undo, the changes of all sub-agents below the thread are requested again", async () => {
	const listed = [
		{ threadId: "top" },
		{ threadId: "one", agent: { parent: "top" } },
		{ threadId: "two", agent: { parent: "one" } },
		{ threadId: "other" },
	];
	const { asked, become, events } = await createOverPaper([], listed);
	become("ready");
	for (const type of ["restored", "usage"]) {
		asked.clear();
		events.fire({ threadId: "top", event: { type } });
		await settle();
		assert.deepEqual([...asked.keys()], type === "restored" ? ["top", "one", "two"] : []);
	}
});
