import assert from "node:assert/strict";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import {
	threadCompact,
	threadCompactApply,
	threadCompactUndo,
	threadPin,
} from "../../agent-host/protocol/thread/compaction.ts";
import { contextInspect, policyShow } from "../../agent-host/protocol/thread/context.ts";
import { threadRollback, threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnInterrupt, turnStart, turnSteer } from "../../agent-host/protocol/thread/turn.ts";
import { fakeEditorModels } from "../support/fake-editor-models.ts";
import {
	calls,
	failsInStream,
	holds,
	type Reply,
	refuses,
	says,
	together,
	withUsage,
} from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn } from "../support/host-process.ts";
import { inputLines, matchesPage, renderPage } from "../support/request-page.ts";
import { ALL_TOOLS, aTalk, compactNow, inTurns, isCompaction, long, sumsUp } from "./rig/compaction.ts";
import { withHost } from "./rig/with-host.ts";

/** Auto-compaction from about 5,400 tokens on; the fixed part and the context take about 2,000 of them. */
const SMALL = { model: { contextWindow: 8_000 }, compaction: { percent: 70 } };

test("compaction", (t) =>
	withHost(t, { script: [] }, async (rig) => {
		await t.test(
			"by hand: the user's words stay, the summary comes last, and the context is stated again",
			async (t) => {
				const script = inTurns([says("Hello."), says("Fine.")], [sumsUp("first question", [])]);
				const talk = await aTalk(t, rig, script);
				await talk.say("first question");
				await compactNow(talk);
				await talk.say("second question");
				talk.matches("compaction-by-hand", ["first turn", "compaction", "next turn"]);
				const [card] = talk.cards();
				assert.deepEqual(
					[card?.reason, card?.phase, card?.strategy, card?.turns, card?.repaired],
					["manual", "standalone", "structured", 1, 0],
				);
				assert.deepEqual(card?.verbatim, [{ text: "first question", tokens: card?.verbatim[0]?.tokens }]);
				assert.match(card?.summary ?? "", /RESUME_AT: answer/);
				const usage = talk.events("usage");
				assert.equal(usage.at(-1)?.cacheBreak?.reason, "compaction");
				assert.ok(usage.every(({ percentLeft, last }) => percentLeft > 0 && last.total > 0));
			},
		);

		await t.test(
			"the meter and the breakdown show the same token count, and undo restores the previous one",
			async (t) => {
				const usage = { input: 6_000, cached: 0, output: 40, reasoning: 0 };
				const script = inTurns([withUsage(says("Hello."), usage)], [sumsUp("first question", [])]);
				const { host, threadId, ...talk } = await aTalk(t, rig, script);
				const count = async () => {
					const { context } = await host.request(policyShow, { threadId, compiled: false });
					const { items, tokens, effectiveWindow } = await host.request(contextInspect, { threadId });
					assert.deepEqual(context, { tokens, effectiveWindow });
					assert.equal(
						items.reduce((sum, item) => sum + item.tokens, 0),
						tokens,
					);
					return tokens;
				};
				const empty = await count();
				await talk.say("first question");
				const full = await count();
				assert.equal(full, 6_040, "as the server has counted");
				await compactNow({ host, threadId, ...talk });
				const compacted = await count();
				assert.ok(compacted < full && compacted > empty, String([empty, full, compacted]));
				await host.request(threadCompactUndo, { threadId });
				const { fragments = 0 } = { fragments: (await count()) - full };
				assert.ok(fragments >= 0 && fragments < empty, "the same, and the world, which is stated again");
				await host.request(threadRollback, { threadId, turns: 1 });
				assert.equal(await count(), empty);
			},
		);

		await t.test("by hand with nothing to compact is refused", async (t) => {
			const talk = await aTalk(t, rig, [says("Hello.")]);
			const { host, threadId } = talk;
			await assert.rejects(host.request(threadCompact, { threadId }), /nothing to compact yet/);
			await talk.say("first question");
			talk.matches("compaction-of-nothing", ["first turn"]);
		});

		await t.test("by hand right after a compaction is refused, until something was said", async (t) => {
			const script = inTurns(
				[says("One."), says("Two.")],
				[sumsUp("first question", []), sumsUp("first question", ["second question"])],
			);
			const talk = await aTalk(t, rig, script);
			const { host, threadId } = talk;
			await talk.say("first question");
			await compactNow(talk);
			for (const preview of [false, true]) {
				await assert.rejects(host.request(threadCompact, { threadId, preview }), {
					message: "Nothing was said since the last compaction, so there is nothing more to compact.",
					data: { kind: "compaction-refused", sentence: "nothing-said-since" },
				});
			}
			assert.equal(talk.model.requests.filter(isCompaction).length, 1);
			await talk.say("second question");
			await compactNow(talk);
			assert.equal(talk.cards().length, 2);
		});

		await t.test("twice in a row: every word of the user is kept, and only the newest summary", async (t) => {
			const script = inTurns(
				[says("One."), says("Two."), says("Three.")],
				[
					sumsUp("first question", []),
					sumsUp("first question", ["second question"], { summary: "Newest.\nRESUME_AT: go on there" }),
				],
			);
			const talk = await aTalk(t, rig, script);
			await talk.say("first question");
			await compactNow(talk);
			await talk.say("second question");
			await compactNow(talk);
			await talk.say("third question");
			talk.matches("compaction-twice", ["first turn", "compaction", "second turn", "second compaction", "third turn"]);
		});

		await t.test("before a turn: its message and its news are not summarised, and follow the summary", async (t) => {
			const script = inTurns([says(long(4_200)), says("Fine.")], [sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script, SMALL);
			await talk.say("first question");
			const cwd = join(rig.world.workspace, "elsewhere");
			mkdirSync(cwd);
			const { turnId } = await talk.host.request(turnStart, {
				threadId: talk.threadId,
				input: [{ kind: "text", text: "second question" }],
				overrides: { cwd },
			});
			const turn = await endOfTurn(talk.host, talk.threadId, turnId);
			assert.equal(turn.end.status, "completed");
			talk.matches("compaction-before-a-turn", ["first turn", "compaction", "second turn"]);
			assert.deepEqual(
				talk.cards().map(({ reason, phase }) => [reason, phase]),
				[["limit", "preTurn"]],
			);
			assert.equal(talk.events("turnStarted").length, 2);
		});

		await t.test("before a turn: a large prompt counts before it is sent", async (t) => {
			const script = inTurns([says(long(1_700)), says("Fine.")], [sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script, SMALL);
			await talk.say("first question");
			await talk.say(long(2_000, "mine"));
			assert.deepEqual(talk.model.requests.map(isCompaction), [false, true, false]);
			assert.ok(talk.model.requests[2]?.text.includes(long(2_000, "mine")));
		});

		await t.test("before a turn: the provider's count alone can trigger it", async (t) => {
			const counted = withUsage(says("Hello."), { input: 35_000, cached: 0, output: 100, reasoning: 0 });
			const script = inTurns([counted, says("Fine.")], [sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script, { ...SMALL, model: { contextWindow: 40_000 } });
			await talk.say("first question");
			await talk.say("second question");
			assert.deepEqual(talk.model.requests.map(isCompaction), [false, true, false]);
		});

		await t.test("a provider that calls a small request too long: compacted once and sent again", async (t) => {
			const answers = [refuses(400, "context_length_exceeded"), says("Fine.")];
			const talk = await aTalk(t, rig, inTurns(answers, [sumsUp("first question", [])]));
			const { text } = await talk.say("first question");
			assert.deepEqual([text, ...talk.model.requests.map(isCompaction)], ["Fine.", false, true, false]);
		});

		await t.test("a limit above the window's own threshold has no effect", async (t) => {
			const script = inTurns([says(long(4_200)), says("Fine.")], [sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script, { ...SMALL, compaction: { percent: 70, limit: 200_000 } });
			await talk.say("first question");
			await talk.say("second question");
			talk.matches("compaction-limit-above-the-window", ["first turn", "compaction", "second turn"]);
		});

		await t.test(
			"inside a turn: restated context, the user's words, the summary last, all in the same turn",
			async (t) => {
				const reading = together(says(long(3_800)), calls("read_file", { path: "README.md" }));
				const script = inTurns(
					[reading, says("It greets people."), says("You are welcome.")],
					[sumsUp("What is this?", [])],
				);
				const talk = await aTalk(t, rig, script, SMALL);
				const turn = await talk.say("What is this?");
				assert.equal(turn.text, "It greets people.");
				await talk.say("Thanks.");
				talk.matches("compaction-inside-a-turn", ["first step", "compaction", "second step", "next turn"]);
				assert.deepEqual(
					talk.cards().map(({ reason, phase }) => [reason, phase]),
					[["limit", "midTurn"]],
				);
				assert.equal(new Set(turn.published.map(({ event }) => ("turnId" in event ? event.turnId : ""))).size, 1);
			},
		);

		await t.test("requested while a tool runs, it happens at the next step boundary, inside the turn", async (t) => {
			const first = holds("Looking.", "");
			const step = { ...first, parts: [...first.parts, ...calls("read_file", { path: "README.md" }).parts] };
			const script = inTurns([step, says("Done.")], [sumsUp("What is this?", [])]);
			const talk = await aTalk(t, rig, script);
			const { turnId } = await talk.host.request(turnStart, {
				threadId: talk.threadId,
				input: [{ kind: "text", text: "What is this?" }],
			});
			await first.reached;
			const { compactionId } = await talk.host.request(threadCompact, { threadId: talk.threadId });
			first.release();
			await endOfTurn(talk.host, talk.threadId, turnId);
			assert.deepEqual(
				talk.cards().map((card) => [card.compactionId, card.phase]),
				[[compactionId, "midTurn"]],
			);
			talk.matches("compaction-during-a-call", ["first step", "compaction", "second step"]);
		});

		await t.test("requested while the last step runs, it becomes a turn of its own, under the same id", async (t) => {
			const first = holds("Half", " done.");
			const script = inTurns([first], [sumsUp("What is this?", [])]);
			const talk = await aTalk(t, rig, script);
			await talk.host.request(turnStart, { threadId: talk.threadId, input: [{ kind: "text", text: "What is this?" }] });
			await first.reached;
			const { compactionId } = await talk.host.request(threadCompact, { threadId: talk.threadId });
			first.release();
			await talk.host.waitFor(talk.threadId, () => talk.events("turnCompleted").length === 2);
			assert.deepEqual(
				talk.cards().map((card) => [card.compactionId, card.phase]),
				[[compactionId, "standalone"]],
			);
		});

		await t.test("bad JSON: asked for once more with the complaint, then the history is trimmed", async (t) => {
			const fenced = sumsUp("first question", [], { around: (json) => `\`\`\`json\n${json}\n\`\`\`` });
			const talk = await aTalk(
				t,
				rig,
				inTurns([says(long(800)), says("Fine.")], [fenced, says("I would rather not.")]),
			);
			await talk.say("first question");
			await compactNow(talk);
			await talk.say("second question");
			talk.matches("compaction-bad-json", ["first turn", "compaction", "asked again", "next turn"]);
			assert.match(talk.model.requests[2]?.text ?? "", /rejected: It is not one valid JSON object/);
			assert.deepEqual(
				talk.cards().map(({ strategy }) => strategy),
				["deterministic"],
			);
			assert.match(talk.cards()[0]?.fallback ?? "", /rejected twice/);
		});

		for (const [what, summary, page] of [
			["an empty summary", "  ", "compaction-empty-summary"],
			["no line to resume at", "One file was read.", "compaction-no-resume-line"],
		] as const) {
			await t.test(`${what} is never installed`, async (t) => {
				const script = inTurns(
					[says("Hello."), says("Fine.")],
					[sumsUp("first question", [], { summary }), sumsUp("first question", [])],
				);
				const talk = await aTalk(t, rig, script);
				await talk.say("first question");
				await compactNow(talk);
				await talk.say("second question");
				talk.matches(page, ["first turn", "compaction", "asked again", "next turn"]);
				assert.match(talk.cards()[0]?.summary ?? "", /One file was read\.\nRESUME_AT/);
			});
		}

		await t.test("a quote that differs by a byte is corrected from the record", async (t) => {
			const script = inTurns([says("Hello."), says("Fine.")], [sumsUp("First question, please!", [])]);
			const talk = await aTalk(t, rig, script);
			await talk.say("first question, please");
			await compactNow(talk);
			await talk.say("second question");
			talk.matches("compaction-altered-quote", ["first turn", "compaction", "next turn"]);
			assert.equal(talk.cards()[0]?.repaired, 1);
		});

		await t.test("a model that refuses to compact does not cost the user's message", async (t) => {
			const script = inTurns([says(long(4_200)), says("Fine.")], [refuses(400, "invalid_request")]);
			const talk = await aTalk(t, rig, script, SMALL);
			await talk.say("first question");
			const turn = await talk.say("the message");
			assert.deepEqual([turn.end.status, turn.text], ["completed", "Fine."]);
			talk.matches("compaction-refused-by-the-model", ["first turn", "compaction", "second turn"]);
			assert.equal(talk.cards()[0]?.strategy, "deterministic");
		});

		await t.test("too long: compacted once inside the turn and sent again", async (t) => {
			const tooLong = refuses(400, "context_length_exceeded");
			const script = inTurns(
				[says(long(2_500)), tooLong, says("Fine.")],
				[sumsUp("first question", ["second question"])],
			);
			const talk = await aTalk(t, rig, script);
			await talk.say("first question");
			const turn = await talk.say("second question");
			assert.deepEqual([turn.end.status, turn.text], ["completed", "Fine."]);
			talk.matches("compaction-too-long", ["first turn", "refused", "compaction", "sent again"]);
			assert.deepEqual(
				talk.cards().map(({ reason, phase }) => [reason, phase]),
				[["overflow", "midTurn"]],
			);
			const full = talk.events("usage").find(({ last, window }) => last.total === window);
			assert.equal(full?.percentLeft, 0);
		});

		await t.test(
			"a provider that always says too long: at most two compactions, a clear end, a usable thread",
			async (t) => {
				let isMended = false;
				const answers = [says(long(2_500))];
				const script = () => answers.shift() ?? (isMended ? says("Fine.") : refuses(400, "context_length_exceeded"));
				const talk = await aTalk(t, rig, script);
				await talk.say("first question");
				for (const text of ["second question", "third question"]) {
					const known = talk.cards().length;
					const turn = await talk.say(text);
					assert.equal(turn.end.error?.code, "context-too-long");
					assert.match(turn.end.error?.message ?? "", /larger window|contextWindow/);
					assert.ok(talk.cards().length - known <= 2);
				}
				const summarising = talk.model.requests.filter(isCompaction).map(({ text }) => text.length);
				assert.deepEqual(
					summarising.map((length, index) => index % 3 === 0 || length < (summarising[index - 1] ?? 0)),
					summarising.map(() => true),
					"what was refused as too long is sent again with less",
				);
				isMended = true;
				const turn = await talk.say("fourth question");
				assert.equal(turn.text, "Fine.");
				const last = talk.model.requests.at(-1)?.text ?? "";
				for (const text of ["first question", "second question", "third question", "fourth question"]) {
					assert.ok(last.includes(text), text);
				}
				talk.matches(
					"compaction-always-too-long",
					talk.model.requests.map((_, index) => `request ${index + 1}`),
				);
			},
		);

		await t.test("asked for twice, it is done once, and can be undone", async (t) => {
			let json = "";
			sumsUp("first question", [], { around: (text) => (json = text) });
			const held = holds(json.slice(0, 8), json.slice(8));
			const talk = await aTalk(t, rig, inTurns([says("Hello.")], [held, sumsUp("first question", [])]));
			const { host, threadId } = talk;
			await talk.say("first question");
			await host.request(threadCompact, { threadId });
			await held.reached;
			for (const preview of [false, true]) {
				await assert.rejects(host.request(threadCompact, { threadId, preview }), /already being compacted/);
			}
			held.release();
			await host.waitFor(threadId, () => talk.events("turnCompleted").length === 2);
			await host.request(threadCompactUndo, { threadId });
			assert.deepEqual(talk.model.requests.map(isCompaction), [false, true]);
		});

		for (const how of ["on request", "automatically"]) {
			await t.test(`asked for while one is written ${how} inside a turn, it is refused`, async (t) => {
				let json = "";
				sumsUp("second question", ["first question"], { around: (text) => (json = text) });
				const held = holds(json.slice(0, 8), json.slice(8));
				const asking = holds("Looking.", "");
				const step = { ...asking, parts: [...asking.parts, ...calls("read_file", { path: "README.md" }).parts] };
				const isAsked = how === "on request";
				const first = says(long(isAsked ? 400 : 4_200), { chunk: 4_000 });
				const script = inTurns([first, step, says("It greets people.")], [held, sumsUp("second question", [])]);
				const talk = await aTalk(t, rig, script, isAsked ? {} : SMALL);
				const { host, threadId } = talk;
				await talk.say("first question");
				const second = talk.say("second question");
				if (isAsked) {
					await asking.reached;
					await host.request(threadCompact, { threadId });
				}
				asking.release();
				await held.reached;
				for (const preview of [false, true]) {
					await assert.rejects(host.request(threadCompact, { threadId, preview }), /already being compacted/);
				}
				held.release();
				assert.equal((await second).text, "It greets people.");
				assert.equal(talk.model.requests.filter(isCompaction).length, 1);
				await talk.host.request(threadCompactUndo, { threadId });
			});
		}

		await t.test("stopped halfway, it leaves everything as it was", async (t) => {
			const held = holds('{"intent_user_message":', "");
			const talk = await aTalk(t, rig, inTurns([says("Hello."), says("Fine.")], [held]));
			await talk.say("first question");
			await talk.host.request(threadCompact, { threadId: talk.threadId });
			await held.reached;
			await talk.host.request(turnInterrupt, { threadId: talk.threadId });
			await talk.say("second question");
			assert.deepEqual(talk.cards(), []);
			talk.matches("compaction-stopped", ["first turn", "compaction", "next turn"]);
		});

		await t.test("stopped before a turn, it keeps the message that was not sent", async (t) => {
			const held = holds("{", "");
			const talk = await aTalk(
				t,
				rig,
				inTurns([says(long(4_200)), says("Fine.")], [held, sumsUp("first question", ["marmalade"])]),
				SMALL,
			);
			await talk.say("first question");
			const { turnId } = await talk.host.request(turnStart, {
				threadId: talk.threadId,
				input: [{ kind: "text", text: "marmalade" }],
			});
			await held.reached;
			await talk.host.request(turnInterrupt, { threadId: talk.threadId });
			assert.equal((await endOfTurn(talk.host, talk.threadId, turnId)).end.status, "interrupted");
			await talk.say("next");
			assert.match(talk.model.requests.at(-1)?.text ?? "", /marmalade/);
		});

		await t.test(
			"undone: the earlier history stands before what followed, and the context is stated again",
			async (t) => {
				const script = inTurns([says("One."), says("Two."), says("Three.")], [sumsUp("first question", [])]);
				const talk = await aTalk(t, rig, script);
				await talk.say("first question");
				await compactNow(talk);
				await talk.say("second question");
				await talk.host.request(threadCompactUndo, { threadId: talk.threadId });
				await talk.say("third question");
				talk.matches("compaction-undone", ["first turn", "compaction", "second turn", "third turn"]);
				assert.equal(talk.events("compactionUndone").length, 1);
				await assert.rejects(
					talk.host.request(threadCompactUndo, { threadId: talk.threadId }),
					/no compaction to undo/,
				);
			},
		);

		await t.test("previewed, edited and applied: what was said since the preview stays", async (t) => {
			const script = inTurns([says("One."), says("Two."), says("Three.")], [sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script);
			await talk.say("first question");
			const { compactionId, preview } = await talk.host.request(threadCompact, {
				threadId: talk.threadId,
				preview: true,
				focus: "greetings",
			});
			assert.equal(preview?.turns, 1);
			assert.deepEqual(talk.cards(), []);
			await talk.say("second question");
			await talk.host.request(threadCompactApply, { compactionId, summary: "In my own words." });
			await talk.say("third question");
			talk.matches("compaction-previewed", ["first turn", "preview", "second turn", "third turn"]);
			assert.match(talk.model.requests[1]?.text ?? "", /focus on this:\\ngreetings/);
			await assert.rejects(talk.host.request(threadCompactApply, { compactionId }), /preview is no longer available/);
		});

		await t.test(
			"previewed, and applied while another one runs: refused, because the history has changed",
			async (t) => {
				let json = "";
				const around = (text: string) => {
					json = text;
					return text;
				};
				const summary = "Mine is first.\nRESUME_AT: answer the user's next message";
				sumsUp("second question", ["first question"], { summary, around });
				const held = holds(json.slice(0, 8), json.slice(8));
				const preview = sumsUp("second question", ["first question"]);
				const talk = await aTalk(t, rig, inTurns([says("One."), says("Two."), says("Three.")], [preview, held]));
				const { host, threadId } = talk;
				await talk.say("first question");
				await talk.say("second question");
				const { compactionId } = await host.request(threadCompact, { threadId, preview: true });
				await host.request(threadCompact, { threadId });
				await held.reached;
				await host.request(threadCompactApply, { compactionId });
				held.release();
				await host.waitFor(threadId, () => talk.events("turnCompleted").length === 4);
				assert.equal(talk.cards().length, 1);
				assert.match(talk.cards()[0]?.summary ?? "", /Mine is first\./);
				assert.deepEqual(
					talk.events("warning").map(({ message }) => message),
					["The history has changed since this preview. Create a new one."],
				);
				await talk.say("third question");
				assert.match(talk.model.requests.at(-1)?.text ?? "", /Mine is first\./);
				assert.doesNotMatch(talk.model.requests.at(-1)?.text ?? "", /One file was read\./);
			},
		);

		await t.test("a preview that could not be applied can be applied later", async (t) => {
			const talk = await aTalk(t, rig, inTurns([says("One.")], [sumsUp("first question", [])]));
			const { host, threadId } = talk;
			const cwd = join(rig.world.workspace, "moved");
			mkdirSync(cwd);
			await host.request(threadSettings, { threadId, cwd });
			await talk.say("first question");
			const { compactionId } = await host.request(threadCompact, { threadId, preview: true });
			renameSync(cwd, `${cwd}-away`);
			await assert.rejects(host.request(threadCompactApply, { compactionId }), /moved/);
			renameSync(`${cwd}-away`, cwd);
			await host.request(threadCompactApply, { compactionId });
			assert.equal(talk.cards().length, 1);
		});

		await t.test("up to a turn: later turns stay as they are", async (t) => {
			const script = inTurns([says("One."), says("Two."), says("Three.")], [sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script);
			const { turnId } = await talk.say("first question");
			await talk.say("second question");
			await talk.host.request(threadCompact, { threadId: talk.threadId, throughTurnId: turnId });
			await talk.host.waitFor(talk.threadId, () => talk.events("turnCompleted").length === 3);
			await talk.say("third question");
			talk.matches("compaction-up-to-a-turn", ["first turn", "second turn", "compaction", "third turn"]);
		});

		await t.test("up to a turn that was compacted meanwhile: the running turn stays as it is", async (t) => {
			const reading = calls("read_file", { path: "README.md" });
			const held = holds("", "");
			const tooLong = { ...held, ending: failsInStream("context_length_exceeded").ending };
			const script = inTurns(
				[says("One."), tooLong, reading, says("It greets people.")],
				[sumsUp("second question", ["first question"]), sumsUp("second question", [])],
			);
			const { host, threadId, ...talk } = await aTalk(t, rig, script);
			const first = await talk.say("first question");
			const input = [{ kind: "text", text: "second question" }] as const;
			const { turnId } = await host.request(turnStart, { threadId, input: [...input] });
			await held.reached;
			await host.request(threadCompact, { threadId, throughTurnId: first.turnId });
			held.release();
			assert.equal((await endOfTurn(host, threadId, turnId)).text, "It greets people.");
			assert.deepEqual(talk.model.requests.map(isCompaction), [false, false, true, false, false]);
			assert.deepEqual(
				talk.events("warning").map(({ message }) => message),
				["That turn is no longer in the model's history."],
			);
		});

		await t.test("prompts and messages to a running turn can be pinned, and show whether they are", async (t) => {
			const held = holds("Tw", "o.");
			const talk = await aTalk(t, rig, inTurns([says("One."), held, says("Three.")], [sumsUp("first question", [])]));
			const { host, threadId } = talk;
			const pinnable = async () => {
				const { items } = await host.request(contextInspect, { threadId });
				return items.flatMap(({ text, pinned }) => (pinned === undefined ? [] : [[text, pinned]]));
			};
			const { turnId } = await talk.say("first question");
			await host.request(threadPin, { threadId, turnId });
			const second = talk.say("second question");
			await held.reached;
			const [, running] = talk.events("turnStarted");
			const input = [{ kind: "text" as const, text: "by the way" }];
			await host.request(turnSteer, { threadId, turnId: running?.turnId ?? turnId, input });
			held.release();
			await second;
			assert.deepEqual(await pinnable(), [
				["first question", true],
				["second question", false],
				["by the way", false],
			]);
			await host.request(threadPin, { threadId, turnId, pinned: false });
			const said = { threadId, turnId: running?.turnId ?? turnId, steered: "by the way" };
			await host.request(threadPin, said);
			assert.deepEqual(await pinnable(), [
				["first question", false],
				["second question", false],
				["by the way", true],
			]);
			await assert.rejects(host.request(threadPin, { ...said, steered: "by no way" }), /can't be pinned/);
			await compactNow(talk, { throughTurnId: turnId });
			assert.deepEqual(await pinnable(), [
				["second question", false],
				["by the way", true],
			]);
			await host.request(threadPin, { ...said, pinned: false });
			assert.deepEqual(
				talk.events("pinChanged").map(({ itemId, text }) => [itemId !== undefined, text]),
				[
					[false, "first question"],
					[false, undefined],
					[true, "by the way"],
					[true, undefined],
				],
			);
		});

		await t.test("the inspector lists apart what a compaction left, with the pins in it", async (t) => {
			const script = inTurns(Array(10).fill(says("Fine.")), [sumsUp("question 9", [])]);
			const talk = await aTalk(t, rig, script);
			const { host, threadId } = talk;
			const { turnId } = await talk.say("question 1");
			await host.request(threadPin, { threadId, turnId });
			for (let number = 2; number <= 9; number += 1) await talk.say(`question ${number}`);
			const list = async (request?: number) => {
				const { items, compactedTurns } = await host.request(contextInspect, { threadId, ...(request && { request }) });
				const shown = items.filter(({ role }) => role !== "system" && role !== "developer");
				return { compactedTurns, items: shown.map(({ kind, compacted, pinned }) => [kind, compacted, pinned]) };
			};
			const before = await list();
			assert.equal(before.compactedTurns, undefined);
			assert.ok(before.items.every(([, compacted]) => compacted === undefined));
			await compactNow(talk);
			const left = [
				["userMessage", true, true],
				["userMessage", true, undefined],
				["compacted-intent", true, undefined],
				["history-bridge", true, undefined],
				["compacted-context", true, undefined],
			];
			const { compactedTurns, items } = await list();
			assert.deepEqual([compactedTurns, items.slice(0, left.length)], [9, left]);
			assert.ok(
				items.slice(left.length).every(([, compacted]) => compacted === undefined),
				"what the next turn adds",
			);
			await talk.say("question 10");
			const sent = await list(-1);
			assert.deepEqual([sent.compactedTurns, sent.items.filter(([, compacted]) => compacted).length], [9, left.length]);
			await host.request(threadPin, { threadId, turnId, pinned: false });
			assert.equal((await list()).items[0]?.[2], undefined);
		});

		await t.test("a pinned prompt that was rolled back stays away, also after a compaction", async (t) => {
			const answers = [says("One."), says("Two."), says("Three.")];
			const talk = await aTalk(t, rig, inTurns(answers, [sumsUp("first question", [])]));
			const { host, threadId } = talk;
			await talk.say("first question");
			const { turnId } = await talk.say("regretted question");
			await host.request(threadPin, { threadId, turnId });
			await host.request(threadRollback, { threadId, turns: 1 });
			await compactNow(talk);
			await talk.say("next question");
			assert.doesNotMatch(talk.model.requests.at(-1)?.text ?? "", /regretted/);
		});

		await t.test("what was dropped can be read again, page by page", async (t) => {
			const script = inTurns(
				[
					says("The code word is swordfish."),
					calls("recall", { query: "SWORDFISH" }),
					calls("recall", {}),
					says("swordfish"),
				],
				[sumsUp("first question", [])],
			);
			const talk = await aTalk(t, rig, script);
			await talk.say("first question");
			await compactNow(talk);
			await talk.say("What was the code word?");
			const outputs = inputLines(talk.model.requests.at(-1) ?? assert.fail()).filter((line) =>
				line.startsWith("output"),
			);
			assert.match(outputs[0] ?? "", /\[turn [^\]]+\] You: The code word is swordfish\./);
			assert.match(outputs[1] ?? "", /: The user: first question/);
		});

		await t.test("a smaller window takes over: the previous model writes the summary", async (t) => {
			const script = inTurns([says(long(4_200)), says("Fine.")], [sumsUp("first question", [])]);
			const talk = await aTalk(t, rig, script, { model: { contextWindow: 100_000 } });
			await talk.say("first question");
			const { turnId } = await talk.host.request(turnStart, {
				threadId: talk.threadId,
				input: [{ kind: "text", text: "second question" }],
				overrides: { settings: { model: { id: "fake-2", contextWindow: 8_000 }, compaction: { percent: 70 } } },
			});
			assert.equal((await endOfTurn(talk.host, talk.threadId, turnId)).end.status, "completed");
			talk.matches("compaction-smaller-window", ["first turn", "compaction", "second turn"]);
			assert.deepEqual(
				talk.cards().map(({ reason }) => reason),
				["downshift"],
			);
		});

		await t.test(
			"when the previous model cannot, the new one writes the summary, and the user reads why",
			async (t) => {
				const script = inTurns([says(long(4_200)), says("Fine.")], [refuses(400, "no"), sumsUp("first question", [])]);
				const talk = await aTalk(t, rig, script, { model: { contextWindow: 100_000 } });
				await talk.say("first question");
				const { turnId } = await talk.host.request(turnStart, {
					threadId: talk.threadId,
					input: [{ kind: "text", text: "second question" }],
					overrides: { settings: { model: { id: "fake-2", contextWindow: 8_000 }, compaction: { percent: 70 } } },
				});
				await endOfTurn(talk.host, talk.threadId, turnId);
				const notes = talk.events("warning").flatMap(({ code, message }) => (code === "compaction" ? [message] : []));
				assert.match(
					notes.join("\n"),
					/^fake-1 could not summarize the conversation: .* fake-2 wrote the summary instead\./,
				);
				assert.equal(talk.cards()[0]?.strategy, "structured");
			},
		);

		await t.test(
			"a server that always counts the same: after two compactions the turn goes on without more",
			async (t) => {
				let steps = 0;
				const heavy = (reply: Reply) => withUsage(reply, { input: 7_000, cached: 0, output: 10, reasoning: 0 });
				const talk = await aTalk(
					t,
					rig,
					(request) => {
						if (isCompaction(request)) return sumsUp("Do it.", []);
						steps += 1;
						const look = calls("read_file", { path: `file-${steps}.md` });
						const read = together(says(long(800), { chunk: 4_000 }), look);
						return heavy(steps % 10 === 0 ? says("Done.") : read);
					},
					SMALL,
				);
				await talk.say("Do it.");
				await talk.say("Do it again.");
				assert.equal(steps, 20);
				assert.equal(talk.cards().length, 2);
				const said = talk.events("warning").filter(({ message }) => /did not make the request smaller/.test(message));
				assert.equal(said.length, 1);
			},
		);

		await t.test("a server that counts half as much again: the sizes before and after use its scale", async (t) => {
			const heavy = (reply: Reply, own: number) =>
				withUsage(reply, { input: Math.round(own * 1.5), cached: 0, output: 10, reasoning: 0 });
			const talk = await aTalk(
				t,
				rig,
				inTurns([heavy(says(long(1_900)), 4_000), says("Fine.")], [sumsUp("first question", [])]),
				SMALL,
			);
			await talk.say("first question");
			await talk.say("second question");
			const [card] = talk.cards();
			const after = talk.events("usage").find(({ estimated }) => estimated);
			assert.ok(card && after && card.before > 6_000);
			// By our own estimate that request takes more than 2,000.
			assert.ok(card.after > 3_000 && card.after < card.before * 0.8, `${card.before} → ${card.after}`);
		});

		await t.test(
			"over Chat Completions, without usage from the server, automatic compaction still happens",
			async (t) => {
				const script = inTurns(
					[withUsage(says(long(4_200)), undefined), says("Fine.")],
					[sumsUp("first question", [])],
				);
				const talk = await aTalk(t, rig, script, { ...SMALL, model: { ...SMALL.model, wire: "chat" } });
				await talk.say("first question");
				const turn = await talk.say("second question");
				assert.equal(turn.text, "Fine.");
				talk.matches("compaction-over-chat", ["first turn", "compaction", "second turn"]);
				assert.equal(talk.cards()[0]?.strategy, "structured");
				assert.match(talk.model.requests[1]?.text ?? "", /"response_format":\{"type":"json_schema"/);
			},
		);
	}));

test("previewed and applied while a call of a compacted turn waits: the model reads the result of the call", (t) => {
	const first = holds("Looking.", "");
	const step = { ...first, parts: [...first.parts, ...calls("read_file", { path: "README.md" }).parts] };
	const asking = calls("run_command", { command: "echo marmalade-$((6*7))", reason: "To see." });
	const script = inTurns([step, asking, says("Done.")], [sumsUp("What is this?", []), sumsUp("What is this?", [])]);
	let compact = async () => {};
	const approve = async ({ digest }: ApprovalRequest) => {
		await compact();
		return { decision: "allow", digest } as const;
	};
	return withHost(t, { script, approve, settings: { permissions: { mode: "ask" } } }, async ({ host, model }) => {
		const threadId = await aThread(host);
		compact = async () => {
			const { compactionId } = await host.request(threadCompact, { threadId, preview: true });
			await host.request(threadCompactApply, { compactionId });
		};
		const input = [{ kind: "text", text: "What is this?" }] as const;
		const { turnId } = await host.request(turnStart, { threadId, input: [...input] });
		await first.reached;
		await host.request(threadCompact, { threadId });
		first.release();
		assert.equal((await endOfTurn(host, threadId, turnId)).text, "Done.");
		assert.deepEqual(model.requests.map(isCompaction), [false, true, false, true, false]);
		assert.match(model.requests.at(-1)?.text ?? "", /marmalade-42/);
	});
});

test("with a model of the editor, which reports no usage, automatic compaction still happens", (t) => {
	const steps = [says(long(15_000, "pear"), { chunk: 4_000 }), sumsUp("first question", []), says("Fine.")];
	const editorModels = fakeEditorModels(steps);
	const settings = { model: { provider: "editor" as const, id: "fake-1" }, compaction: { percent: 60 } };
	return withHost(t, { editorModels, settings }, async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		assert.equal((await runTurn(host, threadId, "second question")).text, "Fine.");
		const labels = ["first turn", "compaction", "second turn"];
		const requests = editorModels.requests.map((body, index) => ({
			label: labels[index] ?? "one too many",
			request: { method: "editor", path: "model", body },
		}));
		matchesPage("compaction-with-an-editor-model", renderPage(requests, [[world.workspace, "<CWD>"], ALL_TOOLS]));
	});
});
