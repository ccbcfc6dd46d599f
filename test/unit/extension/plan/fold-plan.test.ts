import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "../../../../agent-host/protocol/thread/events.ts";
import { foldPlan, NO_PLANNING } from "../../../../extension/plan/fold-plan.ts";

const started = (turnId: string, collaboration?: string, purpose?: string) =>
	({ type: "turnStarted", turnId, envelope: { collaboration }, purpose }) as unknown as ThreadEvent;
const says = (turnId: string, text: string) =>
	({ type: "itemCompleted", turnId, item: { kind: "agentMessage", text } }) as unknown as ThreadEvent;
const ended = (turnId: string, status = "completed") =>
	({ type: "turnCompleted", turnId, status }) as unknown as ThreadEvent;
const readyAfter = (...events: readonly ThreadEvent[]): string | undefined =>
	events.reduce(foldPlan, NO_PLANNING).ready;

const PLANNED = [started("a", "plan"), says("a", "Let me look."), says("a", "1. one\n2. two"), ended("a")] as const;

test("a plan waits from the end of its turn until the model's next turn starts or it is rolled back", () => {
	assert.equal(readyAfter(...PLANNED.slice(0, 3)), undefined);
	assert.equal(readyAfter(...PLANNED), "1. [ ] one\n2. [ ] two\n");
	assert.equal(readyAfter(...PLANNED, started("b", undefined, "userCommand")), "1. [ ] one\n2. [ ] two\n");
	assert.equal(readyAfter(...PLANNED, started("b")), undefined);
	assert.equal(readyAfter(...PLANNED, { type: "rolledBack", turnIds: ["a"] } as unknown as ThreadEvent), undefined);
});

test("only a turn in plan mode that is completed and ends with steps makes a plan", () => {
	assert.equal(readyAfter(started("a"), says("a", "1. one\n2. two"), ended("a")), undefined);
	assert.equal(readyAfter(...PLANNED.slice(0, 3), ended("a", "interrupted")), undefined);
	assert.equal(
		readyAfter(started("a", "plan"), says("a", "1. one\n2. two"), says("a", "Which?"), ended("a")),
		undefined,
	);
});
