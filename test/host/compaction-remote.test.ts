import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { turnStart, type UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { aPng } from "../support/an-image.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, callsAll, refuses, type Step, says, seals, thinks, together } from "../support/fake-model-steps.ts";
import { endOfTurn } from "../support/host-process.ts";
import { inputLines, matchesPage } from "../support/request-page.ts";
import { aTalk, compactNow, inTurns, long, sumsUp, type Talk } from "./rig/compaction.ts";
import { withHost } from "./rig/with-host.ts";

const REMOTE = { compaction: { strategy: "remote" as const } };
const REASONING = { ...REMOTE, model: { id: "gpt-5-fake", serviceTier: "fast" as const, verbosity: "low" as const } };

/** Plain text, several parts, a tool, an image, a command, and a turn that ends with thoughts. */
const VARIED_TURNS: readonly (readonly [input: readonly UserInput[], answers: readonly Step[]])[] = [
	[[{ kind: "text", text: "first question" }], [says("One.")]],
	[
		[
			{ kind: "text", text: "in two" },
			{ kind: "text", text: "parts" },
			{ kind: "selection", path: "README.md", from: 1, to: 1, text: "# Sample" },
		],
		[says("Two.")],
	],
	[[{ kind: "text", text: "read it" }], [calls("read_file", { path: "README.md" }), says("Three.")]],
	[
		[
			{ kind: "text", text: "look at it" },
			{ kind: "image", data: aPng(4, 3).toString("base64") },
		],
		[says("Seen.")],
	],
	[[{ kind: "text", text: "run it" }], [calls("run_command", { command: ["true"] }), says("Four.")]],
	[[{ kind: "text", text: "think" }], [together(says("Five."), thinks("That was all."))]],
];

async function takeTurns({ host, threadId }: Talk): Promise<void> {
	for (const [input] of VARIED_TURNS) {
		const { turnId } = await host.request(turnStart, { threadId, input: [...input] });
		assert.equal((await endOfTurn(host, threadId, turnId)).end.status, "completed");
	}
}

/** A request to compact, field by field beside the normal request after it. */
function compareBodies(compaction: RecordedRequest, normal: RecordedRequest): string {
	const [mine, other] = [compaction.body, normal.body] as readonly Record<string, unknown>[];
	const fields = [...new Set([...Object.keys(other ?? {}), ...Object.keys(mine ?? {})])].sort();
	const lines = fields.map((field) => {
		const [a, b] = [mine?.[field], other?.[field]];
		if (a === undefined) return `${field}: left out`;
		if (JSON.stringify(a) === JSON.stringify(b)) return `${field}: the same`;
		if (!Array.isArray(a) || !Array.isArray(b)) return `${field}: ${JSON.stringify(a)}, not ${JSON.stringify(b)}`;
		const shared = a.findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(b[index]));
		assert.equal(shared < 0 ? a.length : shared, b.length, "what was said before is sent as it was");
		return `${field}: its ${b.length} entries, then ${a.length - b.length} more`;
	});
	return [`POST ${compaction.path} beside POST ${normal.path}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

test("the compaction request is the next request without the parts that only an answer needs", (t) => {
	const settings = REASONING;
	return withHost(t, { script: [], settings }, async (rig) => {
		const answers = VARIED_TURNS.flatMap(([, steps]) => steps);
		const talk = await aTalk(t, rig, [...answers, seals("sealed-words"), says("Six.")], settings);
		await takeTurns(talk);
		await compactNow(talk);
		const [normal, compaction] = talk.model.requests.slice(-2);
		assert.ok(normal && compaction);
		matchesPage("compaction-remote-body-apiKey", `${compareBodies(compaction, normal)}\n`);
		await talk.say("go on");
		const last = talk.model.requests.at(-1) ?? assert.fail();
		const sealed = inputLines(last).findLastIndex((line) => line.startsWith("compaction "));
		const world = inputLines(last).findIndex((line) => line.startsWith("developer/permissions"));
		assert.ok(sealed >= 0 && world === sealed + 1, "nothing of the old conversation stands after it");
	});
});

test("remote compaction", (t) =>
	withHost(t, { script: [] }, async (rig) => {
		await t.test(
			"the request holds the user's words from the record, then the server's output, sent back unchanged",
			async (t) => {
				const script = inTurns([says("One."), says("Two."), says("Three.")], [seals("sealed-1"), seals("sealed-2")]);
				const talk = await aTalk(t, rig, script, REMOTE);
				await talk.say("first question");
				await compactNow(talk);
				await talk.say("second question");
				await compactNow(talk);
				await talk.say("third question");
				talk.matches("compaction-remote", [
					"first turn",
					"compaction",
					"second turn",
					"second compaction",
					"third turn",
				]);
				assert.deepEqual(
					[...talk.events("compactionStarted"), ...talk.events("compactionCompleted")].map(({ strategy }) => strategy),
					["remote", "remote", "remote", "remote"],
				);
				assert.deepEqual(
					talk.cards().map(({ summary, fallback }) => [summary, fallback]),
					[
						["", undefined],
						["", undefined],
					],
				);
			},
		);

		await t.test(
			"inside a turn, the restated context precedes the user's words and the server's output comes last",
			async (t) => {
				const reading = together(says(long(3_800)), calls("read_file", { path: "README.md" }));
				const settings = { model: { contextWindow: 8_000 }, compaction: { percent: 70, ...REMOTE.compaction } };
				const talk = await aTalk(t, rig, inTurns([reading, says("Fine.")], [seals("sealed")]), settings);
				await talk.say("What is this?");
				talk.matches("compaction-remote-inside-a-turn", ["first step", "compaction", "second step"]);
			},
		);

		for (const status of [404, 405]) {
			await t.test(
				`a server without the endpoint (${status}) is asked once, and the model writes a summary`,
				async (t) => {
					const summaries = [sumsUp("first question", []), sumsUp("first question", ["second question"])];
					const script = inTurns([says("One."), says("Two.")], [refuses(status, "not_found"), ...summaries]);
					const talk = await aTalk(t, rig, script, REMOTE);
					await talk.say("first question");
					await compactNow(talk);
					await talk.say("second question");
					await compactNow(talk);
					assert.deepEqual(
						talk.model.requests.map(({ path }) => path.endsWith("/compact")),
						[false, true, false, false, false],
					);
					assert.deepEqual(
						talk.events("compactionStarted").map(({ strategy }) => strategy),
						["remote", "structured"],
					);
					assert.deepEqual(
						talk.cards().map(({ strategy, fallback }) => [strategy, fallback]),
						[
							["structured", `${new URL(talk.model.baseUrl).origin} does not support compaction.`],
							["structured", "The model's server does not support compaction."],
						],
					);
				},
			);
		}

		const others: readonly (readonly [why: string, PartialSettings, focus: string | undefined, said: string])[] = [
			[
				"another wire",
				{ ...REMOTE, model: { wire: "chat" } },
				undefined,
				"The model's server does not support compaction.",
			],
			["a focus", REMOTE, "the greeting", "Server-side compaction does not support a focus."],
		];
		for (const [why, settings, focus, said] of others) {
			await t.test(`${why} leads to a summary by the model, announced as such from the start`, async (t) => {
				const talk = await aTalk(t, rig, inTurns([says("One.")], [sumsUp("first question", [])]), settings);
				await talk.say("first question");
				await compactNow(talk, focus === undefined ? {} : { focus });
				assert.ok(talk.model.requests.every(({ path }) => !path.endsWith("/compact")));
				assert.equal(talk.events("compactionStarted")[0]?.strategy, "structured");
				assert.equal(talk.cards()[0]?.fallback, said);
			});
		}

		await t.test("an answer without sealed content is not installed", async (t) => {
			const empty: Step = { kind: "rawRefusal", status: 200, body: '{"output":[],"usage":{}}' };
			const script = inTurns([says("One.")], [empty, empty, sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script, REMOTE);
			await talk.say("first question");
			await compactNow(talk);
			assert.equal(talk.cards()[0]?.strategy, "structured");
			assert.match(talk.cards()[0]?.fallback ?? "", /invalid response/);
		});

		await t.test("an answer without usage is accepted", async (t) => {
			const output = [
				{ role: "user", content: "what a server may repeat" },
				{ type: "compaction", encrypted_content: "s" },
			];
			const silent: Step = { kind: "rawRefusal", status: 200, body: JSON.stringify({ output }) };
			const talk = await aTalk(t, rig, inTurns([says("One."), says("Two.")], [silent]), REMOTE);
			await talk.say("first question");
			await compactNow(talk);
			await talk.say("second question");
			assert.deepEqual(
				talk.cards().map(({ strategy, fallback }) => [strategy, fallback]),
				[["remote", undefined]],
			);
			assert.ok(inputLines(talk.model.requests.at(-1) ?? assert.fail()).some((line) => line.startsWith("compaction ")));
		});

		await t.test("a compaction larger than the window is not installed", async (t) => {
			const script = inTurns([says("One.")], [seals("x".repeat(400_000)), sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script, { ...REMOTE, model: { contextWindow: 16_000 } });
			await talk.say("first question");
			await compactNow(talk);
			assert.equal(talk.cards()[0]?.strategy, "structured");
			assert.match(talk.cards()[0]?.fallback ?? "", /does not fit in the context window/);
		});

		await t.test(
			"results too large for the request are shortened in it, and the conversation before them stays",
			async (t) => {
				writeFileSync(join(rig.world.workspace, "pears.txt"), `${long(60, "pear")}\n`.repeat(60));
				const reads = callsAll([1, 2, 3, 4, 5, 6].map((from) => ["read_file", { path: "pears.txt", from }] as const));
				const settings = { model: { contextWindow: 12_000 }, compaction: { percent: 70, ...REMOTE.compaction } };
				const talk = await aTalk(t, rig, inTurns([says("One."), reads, says("Two.")], [seals("sealed")]), settings);
				await talk.say("first question");
				await talk.say("read much");
				talk.matches("compaction-remote-too-large", ["first turn", "first step", "compaction", "second step"]);
			},
		);

		const switchModel = async ({ host, threadId }: Talk, settings: PartialSettings = { model: { id: "fake-2" } }) => {
			const input = [{ kind: "text" as const, text: "second question" }];
			const { turnId } = await host.request(turnStart, { threadId, input, overrides: { settings } });
			return endOfTurn(host, threadId, turnId);
		};
		const told = (talk: Talk) =>
			talk.events("warning").flatMap(({ code, message }) => (code === "compaction" ? [message] : []));

		await t.test("before another model takes over, the previous one writes down what only it can read", async (t) => {
			const summary = sumsUp("first question", [], { summary: "The word is swordfish.\nRESUME_AT: go on there" });
			const talk = await aTalk(t, rig, inTurns([says("One."), says("Two.")], [seals("sealed"), summary]), {
				compaction: { ...REMOTE.compaction, model: "fake-3" },
			});
			await talk.say("first question");
			await compactNow(talk);
			assert.equal((await switchModel(talk)).text, "Two.");
			talk.matches("compaction-remote-model-switch", ["first turn", "compaction", "written down", "second turn"]);
			assert.deepEqual(
				talk.cards().map(({ reason, strategy }) => [reason, strategy]),
				[
					["manual", "remote"],
					["modelSwitch", "structured"],
				],
			);
			assert.deepEqual(told(talk), []);
		});

		await t.test(
			"a model that must continue without content it cannot read says so, and the previous model finds it again",
			async (t) => {
				const script = inTurns([says("One."), says("Two."), says("Three.")], [seals("sealed"), refuses(400, "no")]);
				const talk = await aTalk(t, rig, script, REMOTE);
				await talk.say("first question");
				await compactNow(talk);
				await switchModel(talk);
				const lines = inputLines(talk.model.requests.at(-1) ?? assert.fail());
				assert.ok(!lines.some((line) => line.startsWith("compaction ")));
				assert.ok(lines.includes("user: first question"));
				assert.ok(lines.some((line) => line.startsWith("user/history-bridge") && line.includes("recall tool")));
				assert.match(
					told(talk).join("\n"),
					/could not summarize the conversation: .*\nfake-2 cannot read another server/,
				);
				await talk.say("third question");
				assert.ok(
					inputLines(talk.model.requests.at(-1) ?? assert.fail()).some((line) => line.startsWith("compaction ")),
				);
			},
		);

		await t.test("the same holds over another wire and with automatic compaction off", async (t) => {
			const cases: readonly PartialSettings[] = [
				{ model: { id: "fake-2" }, compaction: { auto: false } },
				{ model: { id: "fake-1", wire: "chat" }, compaction: { auto: false } },
			];
			for (const settings of cases) {
				const talk = await aTalk(t, rig, inTurns([says("One."), says("Two.")], [seals("sealed")]), REMOTE);
				await talk.say("first question");
				await compactNow(talk);
				await switchModel(talk, settings);
				assert.match(told(talk).join("\n"), /cannot read another server's encrypted summary/);
			}
		});
	}));
