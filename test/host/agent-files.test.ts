import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { World } from "../support/canaries.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { calls, type Step, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";

const CHECKER = `---
name: checker
description: Checks links.
tools: Read, Grep, Bash(curl:*)
model: fake-2
maxTurns: 2
---
Open every link.
`;

const asked: ApprovalRequest[] = [];
let answer: ApprovalDecision = "allow";
const shared = shareHost({
	settings: { model: { contextWindow: 1_000_000 } },
	approve: (request) => {
		asked.push(request);
		return { decision: answer };
	},
});

function plant(world: World, text: string): string {
	const folder = join(world.workspace, ".claude/agents");
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const path = join(folder, "checker.md");
	writeFileSync(path, text);
	asked.length = 0;
	answer = "allow";
	return path;
}

const isAgent = (request: RecordedRequest): boolean => request.text.includes("<agent_role name");

/** The model's first step, then its words; agents say `agentSays` again and again. */
function script(first: Step, ...agentSays: readonly Step[]): (request: RecordedRequest) => Step {
	let [steps, below] = [0, 0];
	return (request) => {
		if (isAgent(request)) return agentSays[below++] ?? says("Checked.");
		steps += 1;
		return steps === 1 ? first : says("Done.");
	};
}

const START = calls("start_agent", { name: "links", role: "checker", task: "Check README.md." });

function toolsIn(request: RecordedRequest | undefined): readonly string[] {
	return request === undefined ? [] : bodyOf(request).tools.flatMap(({ name }) => name ?? []);
}

test("once accepted, an agent file of a trusted workspace is a role with exactly its instructions, model and tools", (t) => {
	const again = Array.from({ length: 4 }, () => calls("read_file", { path: "README.md" }));
	return shared(t, script(START, ...again), async ({ host, model, world }) => {
		const path = plant(world, CHECKER);
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Check the links.");
		const [subject] = asked.map((request) => request.subject);
		assert.ok(subject?.kind === "customizations");
		assert.deepEqual(
			subject.entries.map(({ kind, name, text, path: shown }) => [kind, name, text, shown]),
			[["agent", "checker", CHECKER, path]],
		);
		const [root] = model.requests.filter((request) => !isAgent(request));
		assert.match(root?.text ?? "", /<agent_roles>\\nRoles for start_agent [^<]*- checker: Checks links\./);
		matchesRequests("agent-file", { ...model, requests: root === undefined ? [] : [root] }, world, [
			"a role of a file",
		]);
		const below = model.requests.filter(isAgent);
		assert.match(below[0]?.text ?? "", /Role: checker\. Open every link\./);
		assert.deepEqual(toolsIn(below[0]).toSorted(), ["message_agent", "read_file", "search_files"]);
		assert.equal(JSON.parse(below[0]?.text ?? "{}").model, "fake-2");
		// As many requests as it says, and no more.
		assert.equal(below.length, 2);
		const warned = host.events(threadId).flatMap(({ event }) => (event.type === "warning" ? [event.message] : []));
		assert.deepEqual(warned, ["The agent checker does without tools that do not exist here: Bash(curl:*)."]);
	});
});

test("a refused agent file is no role and is not mentioned to the model; a changed byte asks again", (t) =>
	shared(t, script(START), async ({ host, model, world }) => {
		plant(world, `${CHECKER}\nAnd be nice.\n`);
		answer = "deny";
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Check the links.");
		assert.equal(asked.length, 1);
		assert.deepEqual(model.requests.filter(isAgent), []);
		assert.doesNotMatch(model.requests[0]?.text ?? "", /agent_roles/);
		const last = model.requests.at(-1)?.text ?? "";
		assert.match(last, /There is no role checker\. Roles: explore, implement, review\./);
		await runTurn(host, await aThread(host), "Again.");
		assert.equal(asked.length, 1);
		plant(world, `${CHECKER}\nAnd be kind.\n`);
		await runTurn(host, await aThread(host), "And now?");
		assert.equal(asked.length, 1);
	}));

test("an agent file that changes after consent is not used in that turn", (t) => {
	let path = "";
	const next = script(START);
	const changing = (request: RecordedRequest): Step => {
		if (!isAgent(request)) writeFileSync(path, CHECKER.replace("every link", "every door"));
		return next(request);
	};
	return shared(t, changing, async ({ host, model, world }) => {
		path = plant(world, CHECKER);
		await runTurn(host, await aThread(host), "Check the links.");
		assert.deepEqual(model.requests.filter(isAgent), []);
		assert.match(model.requests.at(-1)?.text ?? "", /The role checker has changed since the turn began\./);
	});
});

test("a role whose file asks for all tools gets only reading tools in a read-only thread", (t) => {
	const eager = "---\nname: checker\ndescription: Does all.\ntools: '*'\n---\nDo it all.\n";
	return shared(t, script(START), async ({ host, model, world }) => {
		plant(world, eager);
		const settings = { permissions: { mode: "readOnly" }, tools: { applyPatch: false } } as const;
		await runTurn(host, await aThread(host, { settings }), "Go.");
		const [root, below] = [model.requests.find((one) => !isAgent(one)), model.requests.find(isAgent)];
		const [above, own] = [toolsIn(root), toolsIn(below)];
		assert.ok(own.length > 2 && own.every((name) => above.includes(name)), own.join());
		assert.ok(!own.includes("apply_patch"));
		assert.match(below?.text ?? "", /Mode: Read Only/);
	});
});
