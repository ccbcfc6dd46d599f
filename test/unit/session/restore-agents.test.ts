import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as fc from "fast-check";
import type { AgentReport } from "../../../agent-host/protocol/agent.ts";
import { HostError } from "../../../agent-host/protocol/errors.ts";
import { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import { say } from "../../../agent-host/protocol/say.ts";
import type { DurableEvent } from "../../../agent-host/protocol/thread/events.ts";
import { createRestore } from "../../../agent-host/session/changes/restore-files.ts";
import { createReview } from "../../../agent-host/session/changes/review-changes.ts";
import type { ReviewPorts } from "../../../agent-host/session/changes/review-ports.ts";
import { listWorking } from "../../../agent-host/session/changes/with-agents.ts";
import type { Draft, LiveThread } from "../../../agent-host/session/thread/live-thread.ts";
import { REAL_DISK } from "../../../agent-host/store/home/disk.ts";
import { lockThread } from "../../../agent-host/store/home/lock.ts";
import { openSnapshots, type Snapshots } from "../../../agent-host/store/log/snapshots.ts";
import { applyRecord } from "../../../agent-host/store/records/replay.ts";
import { emptyState, type ThreadState } from "../../../agent-host/store/records/thread-state.ts";
import { createPatcher } from "../../../agent-host/workspace/apply/patcher.ts";
import { aFakeEditor } from "../../support/fake-documents.ts";

const RUNS = process.env.VITRINE_FULL === "1" ? 1_000 : 40;
const NAMES = ["root", "one", "two"] as const;
const FILES = ["a.txt", "b.txt"] as const;

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-family-")));
after(() => rmSync(top, { recursive: true, force: true }));
let nextFolder = 0;
let nextId = 0;

interface Member {
	readonly thread: LiveThread;
	readonly snapshots: Snapshots;
	readonly commit: (drafts: readonly Draft[]) => Promise<void>;
	/** Its turn, and what its command found when it began. */
	turnId: TurnId | undefined;
	command: { readonly since: number; readonly found: readonly (string | undefined)[] } | undefined;
}

/** A thread, its sub-agent `one` and the sub-agent `two` of that one, in memory over real files. */
function aFamily(change: { readonly refused?: string; readonly parents?: Readonly<Record<string, string>> } = {}) {
	nextFolder += 1;
	const folder = join(top, `${nextFolder}`);
	const work = join(folder, "work");
	for (const path of [folder, work, join(folder, "home")]) mkdirSync(path);
	const paths = FILES.map((name) => join(work, name));
	const read = () => paths.map((path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined));
	const write = (file: number, text: string | undefined) => {
		const path = paths[file] ?? assert.fail();
		if (text === undefined) rmSync(path, { force: true });
		else writeFileSync(path, text);
	};
	let time = 0;
	const members = new Map<string, Member>();
	const member = (name: string): Member => members.get(name) ?? assert.fail(`no thread ${name}`);
	const above = (name: string): string | undefined => NAMES[NAMES.indexOf(name as "root") - 1];
	for (const name of NAMES) {
		const parent = change.parents?.[name] ?? above(name);
		const agent =
			parent === undefined
				? undefined
				: {
						...{ name, role: "implement", instructions: "", readsOnly: false },
						parent: ThreadId.parse(parent),
						depth: 1,
					};
		const id = ThreadId.parse(name);
		let state: ThreadState = emptyState(id, { settings: {}, baseInstructions: "", agent }, 0);
		const events: DurableEvent[] = [];
		const commit = async (drafts: readonly Draft[]): Promise<void> => {
			for (const draft of drafts) {
				if (draft.kind === "event") events.push(draft.event);
				const body = draft.kind === "event" ? { ...draft, seq: events.length } : draft;
				state = applyRecord(state, { v: 1, n: state.records + 1, at: 0, body });
			}
		};
		const refusal =
			change.refused === name ? new HostError("thread-busy", say("thread-open-elsewhere", { owner: "1" })) : undefined;
		// The parts of a live thread that review and restore use.
		const thread = {
			...{ state: () => state, commit, refusal, running: undefined, isStarting: false, reserved: undefined },
			events: { last: () => events.length, read: async () => events.map((event) => ({ seq: 1, at: 0, event })) },
		} as unknown as LiveThread;
		const snapshots = openSnapshots(REAL_DISK, join(folder, "home", `${name}.jsonl`));
		members.set(name, { thread, snapshots, commit, turnId: undefined, command: undefined });
	}
	const patcher = createPatcher({
		folder: join(folder, "home", "patches"),
		lock: lockThread,
		newId: () => `id-${nextId++}`,
		onRecovered: () => assert.fail("nothing was cut short"),
	});
	const editor = aFakeEditor();
	let writes = 0;
	const world: ReviewPorts = {
		open: async (threadId) => member(threadId).thread,
		snapshots: (threadId) => member(threadId).snapshots,
		documents: editor,
		now: Date.now,
		runsWithBuild: () => false,
		write: (wanted) => {
			writes += 1;
			return patcher.write(wanted, { writable: { roots: [work], mayWrite: () => undefined }, documents: editor });
		},
	};
	const touch = async (name: string, file: number, was: string | undefined, is: string | undefined, since: number) => {
		const { snapshots, commit, turnId = assert.fail() } = member(name);
		const put = async (text: string | undefined) =>
			text === undefined ? undefined : (await snapshots.put(Buffer.from(text))).sha256;
		const [before, after] = [await put(was), await put(is)];
		const touched = { path: paths[file] ?? "", ...(before && { before }), ...(after && { after }) };
		await commit([{ kind: "touch", turnId, files: [touched], since }]);
	};
	const startTurn = async (name: string): Promise<TurnId> => {
		const turnId = TurnId.parse(`turn-${nextId++}`);
		const envelope = { provider: "demo", model: "m", window: 1, roots: [], trusted: true, tools: [] };
		await member(name).commit([{ kind: "event", event: { type: "turnStarted", turnId, envelope } }]);
		member(name).turnId = turnId;
		return turnId;
	};
	const report = (parent: string, agent: Partial<AgentReport>) =>
		member(parent).commit([
			{
				kind: "event",
				event: {
					type: "agentChanged",
					turnId: member(parent).turnId ?? assert.fail(),
					agent: { callId: "", role: "implement", ...agent } as AgentReport,
				},
			},
		]);
	/** Sets a sub-agent to work for the turn of its parent, as the host does. */
	const begin = async (name: string): Promise<void> => {
		const parent = above(name);
		if (parent === undefined || member(name).turnId !== undefined) return;
		await begin(parent);
		const isNew = !member(parent).thread.state().agents.has(ThreadId.parse(name));
		const turnId = await startTurn(name);
		const threadId = ThreadId.parse(name);
		await report(parent, { threadId, name, state: "running", ...(isNew ? {} : { turnId }) });
	};
	const endCommand = async (name: string): Promise<void> => {
		const { command } = member(name);
		member(name).command = undefined;
		for (const [file, is] of read().entries()) {
			const was = command?.found[file];
			if (command !== undefined && was !== is) await touch(name, file, was, is, command.since);
		}
	};
	return {
		...{ paths, read, write, member, world, startTurn },
		writes: () => writes,
		/** A patch or, while its command runs, what that writes. */
		change: async (name: string, file: number, wanted: string | undefined): Promise<void> => {
			await begin(name);
			// A change that is reverted before the command ends goes unnoticed.
			const text = [...members.values()].some(({ command }) => command) ? `text ${nextId++}` : wanted;
			if (member(name).command === undefined) {
				time += 1;
				await touch(name, file, read()[file], text, time);
			}
			write(file, text);
		},
		/** Its command begins, or ends. */
		command: async (name: string): Promise<void> => {
			await begin(name);
			if (member(name).command !== undefined) return endCommand(name);
			time += 1;
			member(name).command = { since: time, found: read() };
		},
		/** The turn of the thread, and all that works for it, ends. */
		end: async (): Promise<void> => {
			for (const name of NAMES.toReversed()) {
				const parent = above(name);
				if (member(name).turnId === undefined) continue;
				await endCommand(name);
				if (parent !== undefined)
					await report(parent, { threadId: ThreadId.parse(name), name, state: "completed", changedFiles: 1 });
				member(name).turnId = undefined;
			}
		},
	};
}

const root = ThreadId.parse("root");
const ask = { threadId: root, what: "files" as const, preview: false, overwrite: [] };

test(`in ${RUNS} random families, a restore returns files to their state before the turn, and undo reverts that`, async () => {
	const name = fc.constantFrom(...NAMES);
	const change = fc.record({
		...{ kind: fc.constant("change" as const), name, file: fc.nat(FILES.length - 1) },
		text: fc.constantFrom("x", "y", "z", undefined),
	});
	const step = fc.oneof(
		{ arbitrary: change, weight: 5 },
		{ arbitrary: fc.record({ kind: fc.constant("command" as const), name }), weight: 2 },
		{ arbitrary: fc.record({ kind: fc.constant("turn" as const) }), weight: 1 },
	);
	let restored = 0;
	const play = async (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[], cuts: number[]) => {
		const family = aFamily();
		family.write(0, "x");
		const turns = [{ turnId: await family.startTurn("root"), files: family.read() }];
		for (const one of steps) {
			if (one.kind === "change") await family.change(one.name, one.file, one.text);
			else if (one.kind === "command") await family.command(one.name);
			else {
				await family.end();
				turns.push({ turnId: await family.startTurn("root"), files: family.read() });
			}
		}
		await family.end();
		const { restore, redo } = createRestore(family.world);
		const seen = [family.read()];
		// From the newest turn back to older ones, then forth again.
		for (const at of [...new Set(cuts.map((cut) => cut % turns.length))].toSorted((a, b) => b - a)) {
			const { turnId, files } = turns[at] ?? assert.fail();
			const before = family.writes();
			const result = await restore({ ...ask, turnId });
			assert.deepEqual([family.read(), result.agents], [files, []]);
			if (result.files.length === 0) continue;
			assert.equal(family.writes(), before + 1, "in one transaction");
			seen.push(files);
			restored += 1;
		}
		for (const files of seen.slice(0, -1).toReversed()) {
			await redo({ threadId: root, preview: false, overwrite: [] });
			assert.deepEqual(family.read(), files);
		}
	};
	await fc.assert(
		fc.asyncProperty(
			fc.array(step, { minLength: 3, maxLength: 14 }),
			fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }),
			play,
		),
		{ numRuns: RUNS },
	);
	assert.ok(restored > RUNS / 2, `${restored} restores show too little`);
});

test("a file restored past an agent's own changes is pending in no thread, and is again after undo", async () => {
	const family = aFamily();
	family.write(0, "as it was\n");
	const turnId = await family.startTurn("root");
	for (const name of ["two", "root", "one"]) await family.change(name, 0, `by ${name}\n`);
	await family.end();
	const review = createReview(family.world);
	const pending = async () => Promise.all(NAMES.map(async (name) => (await review.list(ThreadId.parse(name))).length));
	assert.deepEqual(await pending(), [1, 1, 1]);
	const { restore, redo } = createRestore(family.world);
	await restore({ ...ask, turnId });
	assert.deepEqual([family.read()[0], await pending()], ["as it was\n", [0, 0, 0]]);
	await redo({ threadId: root, preview: false, overwrite: [] });
	assert.deepEqual([family.read()[0], await pending()], ["by one\n", [1, 1, 1]]);
});

test("a file of which the user rejected a part in the review of a sub-agent is restored without a question", async () => {
	const family = aFamily();
	family.write(0, "1\n2\n3\n");
	const turnId = await family.startTurn("root");
	await family.change("one", 0, "one\n2\nthree\n");
	await family.end();
	const one = ThreadId.parse("one");
	const review = createReview(family.world);
	const hunk = (await review.list(one))[0]?.hunks[0]?.id ?? assert.fail();
	await review.reject({ threadId: one, hunks: [hunk] });
	assert.equal(family.read()[0], "1\n2\nthree\n");
	const { files } = await createRestore(family.world).restore({ ...ask, turnId });
	assert.deepEqual([files.map(({ state }) => state), family.read()[0]], [["restored"], "1\n2\n3\n"]);
});

test("a sub-agent that another window holds, or that works for another thread, is named and its files are left", async () => {
	for (const change of [{ refused: "one" }, { parents: { one: "another" } }]) {
		const family = aFamily(change);
		const turnId = await family.startTurn("root");
		await family.change("root", 0, "by root");
		await family.change("one", 1, "by one");
		await family.end();
		const { agents } = await createRestore(family.world).restore({ ...ask, turnId });
		assert.deepEqual([agents, family.read()], [["one"], [undefined, "by one"]]);
	}
});

test("a sub-agent's turns count from the one in which it began or continued, not if it only ended", () => {
	const [first, second] = [TurnId.parse("first"), TurnId.parse("second")];
	const own = TurnId.parse("own");
	const report = (turnId: TurnId, name: string, more: Partial<AgentReport>) => ({
		turnId,
		agent: {
			...{ threadId: ThreadId.parse(name), name, callId: "", role: "implement", state: "running" },
			...more,
		} as AgentReport,
	});
	const reports = [
		report(first, "new-then", {}),
		report(first, "new-then", { state: "completed", changedFiles: 1 }),
		report(first, "killed", {}),
		report(second, "killed", { state: "interrupted", changedFiles: 2 }),
		report(second, "new", {}),
		report(second, "new", { state: "completed" }),
		report(second, "new-then", { turnId: own }),
		report(second, "new-then", { turnId: own, state: "completed", changedFiles: 1 }),
		report(first, "older", {}),
		report(second, "older", {}),
	];
	const found = (turns: readonly TurnId[]) =>
		listWorking(reports, new Set(turns)).map(({ name, since, mayHaveChanged }) => [name, since, mayHaveChanged]);
	assert.deepEqual(found([second]), [
		["new-then", own, true],
		["new", "all", false],
		["older", undefined, true],
	]);
	assert.deepEqual(found([first, second]), [
		["new-then", "all", true],
		["killed", "all", true],
		["new", "all", false],
		["older", "all", true],
	]);
});
