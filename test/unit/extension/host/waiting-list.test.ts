import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalRequest } from "../../../../agent-host/protocol/approval/approval.ts";
import type { QuestionRequest } from "../../../../agent-host/protocol/approval/question.ts";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import { createAgentTree } from "../../../../extension/host/agent-tree.ts";
import { createWaitingList } from "../../../../extension/host/waiting-list.ts";
import { nameThread } from "../../../../extension/views/activity/name-thread.ts";

const id = (name: string): ThreadId => ThreadId.parse(name);
const child = { parent: id("root"), name: "child", role: "explore" };

test("one list holds everything that waits across threads and agents, and a thread waits while its agent does", () => {
	const approval = { threadId: id("child"), approvalId: "a1", agent: child } as ApprovalRequest;
	const question = { threadId: id("other"), questionId: "q1" } as QuestionRequest;
	const list = createWaitingList(
		() => [approval],
		() => [question],
		createAgentTree(),
	);
	assert.deepEqual(list.all(), [
		{ kind: "approval", id: "a1", threadId: id("child"), agent: child, request: approval },
		{ kind: "question", id: "q1", threadId: id("other"), agent: undefined, request: question },
	]);
	assert.deepEqual(
		["root", "child", "other", "idle"].map((name) => list.isWaiting(id(name))),
		[true, true, true, false],
	);
	assert.deepEqual(list.below(id("root")), { approvals: [approval], questions: [] });
	assert.deepEqual(list.below(id("other")), { approvals: [], questions: [] });
});

test("a row names a thread that the user knows: for a sub-agent, the one at the top", () => {
	const threads = [
		{ threadId: id("root"), title: "Fix the login" },
		{ threadId: id("child"), title: "Look", agent: child },
		{ threadId: id("grandchild"), title: "Deeper", agent: { ...child, parent: id("child") } },
		{ threadId: id("lost"), title: "Lost", agent: { ...child, parent: id("gone") } },
	];
	assert.deepEqual(
		["root", "child", "grandchild", "lost", "unknown"].map((name) => nameThread(threads, id(name))),
		["Fix the login", "Fix the login", "Fix the login", "Lost", undefined],
	);
});
