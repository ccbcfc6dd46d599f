import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { QuestionChoice, QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { Script } from "../support/fake-model.ts";
import { calls, callsAll, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn, type TurnOutcome } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { type SharedTest, shareHost } from "./rig/share-host.ts";

const read = (path = "README.md"): Step => calls("read_file", { path });
const LOOK = { path: "README.md" };

interface Asked {
	readonly test: SharedTest;
	readonly threadId: ThreadId;
	readonly outcome: TurnOutcome;
	readonly questions: readonly QuestionRequest[];
}

/** Questions asked here get no answer. */
const withNobody = shareHost({});

let answer: (request: QuestionRequest) => QuestionChoice = () => "stop";
const withSomebody = shareHost({ answer: (request) => ({ choice: answer(request) }) });

/** Runs one turn whose user answers each question with the next choice; without choices nobody can be asked. */
async function inLoop(
	t: TestContext,
	script: Script,
	choices: readonly QuestionChoice[] | undefined,
	body: (asked: Asked) => void | Promise<void>,
): Promise<void> {
	const questions: QuestionRequest[] = [];
	answer = (request) => choices?.[questions.push(request) - 1] ?? "stop";
	const share = choices === undefined ? withNobody : withSomebody;
	await share(t, script, async (rig) => {
		const threadId = await aThread(rig.host);
		const outcome = await runTurn(rig.host, threadId, "Look into it.");
		await body({ test: rig, threadId, outcome, questions });
	});
}

const isTold = (line: string): boolean => /^developer.*the same call of \w+ \d+ times/i.test(line);

test("after three identical calls with identical results the model is told once, and the user sees it", (t) =>
	inLoop(t, [read(), read(), read(), read(), says("I give up.")], undefined, ({ test: { model }, outcome }) => {
		assert.equal(outcome.end.status, "completed", outcome.end.error?.message);
		const told = model.requests.map((request) => inputLines(request).filter(isTold).length);
		assert.deepEqual(told, [0, 0, 0, 1, 1]);
		const shown = outcome.published.flatMap(({ event }) =>
			event.type === "contextUpdated" ? event.fragments.map(({ kind }) => kind) : [],
		);
		assert.deepEqual(
			shown.filter((kind) => kind === "repeated-call"),
			["repeated-call"],
		);
	}));

test("after five the user is asked; the turn goes on or stops as they say, and both are recorded", (t) =>
	inLoop(
		t,
		() => read(),
		["continue", "stop"],
		({ test: { model }, outcome, questions }) => {
			const titleSaid = { sentence: "call-read", values: LOOK };
			const about = { kind: "loop", name: "read_file", title: "Read README.md", titleSaid, times: 5 };
			assert.deepEqual(
				questions.map(({ subject, choices }) => [subject, choices]),
				[
					[about, ["continue", "stop"]],
					[about, ["continue", "stop"]],
				],
			);
			assert.deepEqual([model.requests.length, outcome.end.status, outcome.end.error], [10, "interrupted", undefined]);
			const recorded = outcome.published.flatMap(({ event, seq }) =>
				seq !== undefined && event.type === "questionAnswered" ? [event.choice] : [],
			);
			assert.deepEqual(recorded, ["continue", "stop"]);
		},
	));

test("with nobody to ask, the turn ends with a sentence that says why, and the thread goes on", (t) =>
	inLoop(
		t,
		(_, index) => (index < 5 ? read() : says("Better.")),
		undefined,
		async ({ test: { model, host }, threadId, outcome }) => {
			assert.deepEqual([outcome.end.status, outcome.end.error?.code, model.requests.length], ["failed", "loop", 5]);
			assert.match(
				outcome.end.error?.message ?? "",
				/^The agent made the same call 5 times with the same result \(Read README\.md\)\. No user was available/,
			);
			const next = await runTurn(host, threadId, "Try something else.");
			assert.equal(next.text, "Better.");
			assert.match(
				inputLines(model.requests[5] ?? assert.fail()).join("\n"),
				/same call kept returning the same result/,
			);
		},
	));

test("with approval never, nobody is asked: the turn ends", (t) =>
	withSomebody(
		t,
		() => read(),
		async ({ host }) => {
			const questions: QuestionRequest[] = [];
			answer = (request) => {
				questions.push(request);
				return "stop";
			};
			const threadId = await aThread(host, { settings: { approval: "never" } });
			const { end } = await runTurn(host, threadId, "Look into it.");
			assert.deepEqual([end.error?.code, questions], ["loop", []]);
		},
	));

const LOOPS: Readonly<Record<string, (index: number) => Step>> = {
	"two alternating calls": (index) => read(index % 2 === 0 ? "README.md" : "none.txt"),
	"four alternating calls": (index) => read(["README.md", "a", "b", "c"][index % 4]),
	"a call with its keys in another order": (index) =>
		calls("read_file", index % 2 === 0 ? '{"path":"README.md","lines":5}' : '{ "lines": 5, "path": "README.md" }'),
	"a call of a tool that does not exist": () => calls("fly", { to: "the moon" }),
	"a call that cannot be understood": () => calls("read_file", "{not JSON"),
	"a command whose duration differs each time": () => calls("run_command", { command: "sleep 0.$RANDOM; echo same" }),
	"a command that fails": () => calls("run_command", { command: ["false"] }),
	"a patch that does not fit": () =>
		calls("apply_patch", { patch: "*** Begin Patch\n*** Update File: README.md\n@@\n-nowhere\n+x\n*** End Patch\n" }),
	"a patch and its opposite": (index) => {
		const [from, to] = index % 2 === 0 ? ["one", "two"] : ["two", "one"];
		return calls("apply_patch", {
			patch: `*** Begin Patch\n*** Update File: flip.txt\n@@\n-${from}\n+${to}\n*** End Patch\n`,
		});
	},
	"several identical calls in each step": () =>
		callsAll([
			["read_file", LOOK],
			["read_file", LOOK],
		]),
	"a repeated call between others that find something new": (index) =>
		callsAll([
			["read_file", LOOK],
			["list_files", { pattern: `*.${index}` }],
		]),
};

for (const [what, step] of Object.entries(LOOPS)) {
	test(`a loop is detected: ${what}`, (t) =>
		withNobody(
			t,
			(_, index) => (index < 60 ? step(index) : says("Done.")),
			async ({ host, world, model }) => {
				writeFileSync(join(world.workspace, "flip.txt"), "one\n");
				const { end } = await runTurn(host, await aThread(host), "Look into it.");
				assert.equal(end.error?.code, "loop", `${end.status} after ${model.requests.length} requests`);
				assert.ok(model.requests.length <= 20, `${model.requests.length} requests`);
				assert.ok(model.requests.some((request) => /You made the same call/.test(request.text)));
			},
		));
}

/** More than it takes to detect any loop; a full run goes on for longer. */
const STEPS = process.env.VITRINE_FULL === "1" ? 60 : 24;

const PROGRESS: Readonly<Record<string, (index: number) => Step>> = {
	"a call whose result changes": () => calls("run_command", { command: "date +%N" }),
	"the same test after another edit each time": (index) =>
		index % 2 === 0
			? calls("apply_patch", {
					patch: `*** Begin Patch\n*** Add File: try-${index}.txt\n+${index}\n*** End Patch\n`,
				})
			: calls("run_command", { command: ["false"] }),
	"a file that is reread now and then": (index) => read(index % 5 === 0 ? "README.md" : `file-${index}.txt`),
	"waiting for a background command": (index) =>
		index === 0
			? calls("run_command", { command: "sleep 60", yieldMs: 0 })
			: calls("write_command_input", { processId: "p1", waitMs: 0 }),
};

for (const [what, step] of Object.entries(PROGRESS)) {
	test(`progress is not taken for a loop: ${what}`, (t) =>
		withNobody(
			t,
			(_, index) => (index < STEPS ? step(index) : says("Done.")),
			async ({ host, model }) => {
				const { end, published } = await runTurn(host, await aThread(host), "Go on.");
				assert.deepEqual([end.status, model.requests.length], ["completed", STEPS + 1], end.error?.message);
				assert.ok(!published.some(({ event }) => event.type === "questionAsked"));
			},
		));
}
