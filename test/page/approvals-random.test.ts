import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AThread } from "./a-thread.ts";
import { aCommand, anApproval } from "./an-approval.ts";
import { THREAD } from "./chat-page.ts";
import { usePages } from "./open-page.ts";
import { type Act, type Answered, actAndLook } from "./random-approvals.ts";

const pages = usePages();

/** Each takes a quarter of a second; the long run tries them all. */
const SEQUENCES = process.env.VITRINE_FULL === undefined ? 15 : 200;
const SEED = 20_261_116;

const size = fc.record({ width: fc.constantFrom(168, 285, 430), height: fc.integer({ min: 260, max: 900 }) });
const command = fc.oneof(
	{ weight: 6, arbitrary: fc.constant("npm test") },
	{
		weight: 1,
		arbitrary: fc
			.integer({ min: 2, max: 60 })
			.map((lines) => Array.from({ length: lines }, (_, line) => `echo ${line}`).join("\n")),
	},
	{ weight: 1, arbitrary: fc.integer({ min: 50, max: 900 }).map((length) => `echo ${"x".repeat(length)}`) },
);
const act: fc.Arbitrary<Act> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant("scroll" as const),
			part: fc.constantFrom(".dock" as const, ".approvals" as const, ".long-part" as const),
			by: fc.constantFrom(30, 30, 60, 120, 2_000, -60),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant("click" as const),
			on: fc.constantFrom(
				...["allow", "allow", "allowThread", "allowRule", "deny"].map((one) => `[data-decision=${one}]`),
				'[aria-label="Next approval"]',
				'[aria-label="Previous approval"]',
			),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant("key" as const),
			key: fc.constantFrom("Enter" as const, "Enter" as const, "Backspace" as const, " " as const),
			altKey: fc.boolean(),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant("page" as const),
			key: fc.constantFrom(
				"PageDown" as const,
				"PageDown" as const,
				"PageUp" as const,
				"Home" as const,
				"End" as const,
			),
		}),
	},
	{ weight: 6, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(50, 700, 700) }) },
);
const sequence = fc.record({
	size,
	commands: fc.array(command, { minLength: 1, maxLength: 5 }),
	acts: fc.array(fc.tuple(act, fc.boolean()), { minLength: 10, maxLength: 30 }),
});

test(`in ${SEQUENCES} random sequences of approvals nothing is allowed before every line of it was in view`, async () => {
	const page = await pages.open({ width: 430 });
	let allowed = 0;
	for (const { size, commands, acts } of fc.sample(sequence, { numRuns: SEQUENCES, seed: SEED })) {
		await page.tab.setViewportSize(size);
		const thread = new AThread().turn({ cwd: "/repo/app", roots: ["/repo/app"] }).ask("Go");
		await page.tell({ type: "thread", threadId: null, title: "" });
		await page.showThread(thread.events);
		const asks = commands.map((shell, index): Act => {
			const subject = aCommand({ argv: ["sh", "-c", shell], shell });
			const request = anApproval({ approvalId: `a${index}`, digest: `${index}`, subject });
			const events = [thread.next({ type: "approvalRequested", request })];
			return { do: "tell", message: { type: "events", threadId: THREAD, events, loading: false } };
		});
		const mixed = acts.flatMap(([one, isBefore]) => [...(isBefore ? asks.splice(0, 1) : []), one]);
		const lineHeight = 18;
		const answers: readonly Answered[] = await page.tab.evaluate(
			actAndLook,
			JSON.stringify({ acts: [...mixed, ...asks], lineHeight }),
		);
		const unread = answers.filter(({ decision, unseen }) => decision !== "deny" && unseen > 0);
		assert.deepEqual(unread, [], JSON.stringify({ size, commands, mixed }));
		allowed += answers.filter(({ decision }) => decision !== "deny").length;
	}
	assert.ok(allowed > SEQUENCES / 15, `only ${allowed} were allowed: the sequences try nothing`);
});
