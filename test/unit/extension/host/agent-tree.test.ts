import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentReport } from "../../../../agent-host/protocol/agent.ts";
import { ThreadId, TurnId } from "../../../../agent-host/protocol/ids.ts";
import { createAgentTree } from "../../../../extension/host/agent-tree.ts";

const id = (name: string): ThreadId => ThreadId.parse(name);
const turnId = TurnId.parse("turn");
const report = (name: string): AgentReport => ({
	...{ threadId: id(name), callId: "c", name, role: "explore", state: "running" },
});
const asks = (name: string, parent: string) => ({
	threadId: id(name),
	agent: { parent: id(parent), name, role: "explore" },
});

test("a request belongs to every thread above its agent, and to no other", () => {
	const tree = createAgentTree();
	assert.equal(tree.isBelow(asks("child", "root"), id("root")), true);
	assert.equal(tree.isBelow(asks("child", "root"), id("other")), false);
	assert.equal(tree.isBelow(asks("child", "root"), undefined), false);
	assert.equal(tree.isBelow({ threadId: id("root") }, id("root")), false);
	assert.equal(tree.isBelow(asks("grandchild", "child"), id("root")), false);
	assert.equal(tree.note(id("root"), { type: "agentChanged", turnId, agent: report("child") }), true);
	assert.equal(tree.note(id("root"), { type: "titleChanged", title: "Go" }), false);
	assert.deepEqual(["root", "child", "grandchild"].map(id).map(tree.isAgent), [false, true, false]);
	assert.equal(tree.isBelow(asks("grandchild", "child"), id("root")), true);
	assert.equal(tree.isBelow(asks("grandchild", "child"), id("child")), true);
});

test("threads that name each other as parents cause no endless loop", () => {
	const tree = createAgentTree();
	tree.note(id("a"), { type: "agentChanged", turnId, agent: report("b") });
	tree.note(id("b"), { type: "agentChanged", turnId, agent: report("a") });
	assert.equal(tree.isBelow(asks("x", "a"), id("root")), false);
});
