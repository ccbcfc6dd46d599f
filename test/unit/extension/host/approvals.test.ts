import assert from "node:assert/strict";
import { test } from "node:test";
import { ApprovalRequest } from "../../../../agent-host/protocol/approval/approval.ts";
import type { CommandRule, ServerToolRule } from "../../../../agent-host/protocol/settings/policy-settings.ts";
import { createApprovals, type Withdrawal } from "../../../../extension/host/approvals.ts";

const RULE: CommandRule = { prefix: ["npm", "test"] };
const OTHER: CommandRule = { prefix: ["make"] };

function aRequest(approvalId: string): ApprovalRequest {
	return ApprovalRequest.parse({
		threadId: "thread-1",
		turnId: "turn-1",
		callId: "call-1",
		approvalId,
		digest: `digest of ${approvalId}`,
		reason: "The mode is Ask First: every command needs approval.",
		subject: {
			kind: "command",
			argv: ["npm", "test"],
			cwd: "/repo",
			environment: [],
			sandbox: "workspace",
			network: "off",
			rulesOffered: [RULE, OTHER],
			rulesFolder: "/repo",
		},
		choices: ["allow", "allowThread", "allowFolder", "allowRule", "deny", "abort"],
	});
}

const NEVER: Withdrawal = { isCancellationRequested: false, onCancellationRequested: () => undefined };

function aDesk(saveRules: (rules: readonly CommandRule[]) => Promise<void> = async () => undefined) {
	let changes = 0;
	const [read, hosts]: [string[], string[]] = [[], []];
	const saveHost = async (rule: string) => void hosts.push(rule);
	const saveReading = async (paths: readonly string[]) => void read.push(...paths);
	const tools: ServerToolRule[] = [];
	const saveServerTool = async (rule: ServerToolRule) => void tools.push(rule);
	const approvals = createApprovals({ changed: () => changes++, saveRules, saveReading, saveServerTool, saveHost });
	return { approvals, read, hosts, tools, changes: () => changes };
}

test("an answer goes to the question it names, once, and the question is gone", async () => {
	const { approvals, changes } = aDesk();
	const asked = [aRequest("a"), aRequest("b")].map((request) => approvals.ask(request, NEVER));
	assert.deepEqual(
		approvals.pending().map(({ approvalId }) => approvalId),
		["a", "b"],
	);
	const answer = { approvalId: "b", digest: "digest of b", decision: "deny", note: "not now" } as const;
	assert.equal(await approvals.answer(answer), undefined);
	assert.deepEqual(await asked[1], { decision: "deny", digest: "digest of b", note: "not now" });
	assert.match((await approvals.answer(answer)) ?? "", /no longer open/);
	assert.deepEqual(
		approvals.pending().map(({ approvalId }) => approvalId),
		["a"],
	);
	assert.equal(changes(), 3);
});

test("an answer to another approval, or one that was not offered, changes nothing", async () => {
	const { approvals } = aDesk();
	const request = { ...aRequest("a"), choices: ["allow", "deny"] as const };
	void approvals.ask({ ...request, choices: [...request.choices] }, NEVER);
	const wrong = { approvalId: "a", digest: "of what stood there before", decision: "allow" } as const;
	assert.match((await approvals.answer(wrong)) ?? "", /changed since/);
	assert.match((await approvals.answer({ ...wrong, digest: request.digest, decision: "allowRule" })) ?? "", /choices/);
	assert.equal(approvals.pending().length, 1);
});

test("rules are saved as the host offered them, everywhere or in the folder, and by no other answer", async () => {
	const saved: CommandRule[] = [];
	const { approvals } = aDesk(async (rules) => void saved.push(...rules));
	for (const decision of ["allow", "allowThread", "deny", "allowRule", "allowFolder"] as const) {
		const answered = approvals.ask(aRequest("a"), NEVER);
		await approvals.answer({ approvalId: "a", digest: "digest of a", decision });
		assert.equal((await answered).decision, decision);
	}
	const here = [RULE, OTHER].map((rule) => ({ ...rule, folder: "/repo" }));
	assert.deepEqual(saved, [RULE, OTHER, ...here]);
});

test("failing to save a rule is reported, and the command still runs as the user decided", async () => {
	const { approvals } = aDesk(() => Promise.reject(new Error("settings.json is read-only")));
	const answered = approvals.ask(aRequest("a"), NEVER);
	const problem = await approvals.answer({ approvalId: "a", digest: "digest of a", decision: "allowRule" });
	assert.match(problem ?? "", /couldn't be saved: settings.json is read-only/);
	assert.equal((await answered).decision, "allowRule");
});

test("a question that the host takes back, or whose host is gone, no longer waits", async () => {
	const { approvals } = aDesk();
	const listeners: (() => void)[] = [];
	const withdrawn = {
		isCancellationRequested: false,
		onCancellationRequested: (run: () => void) => listeners.push(run),
	};
	const first = approvals.ask(aRequest("a"), withdrawn);
	const second = approvals.ask(aRequest("b"), NEVER);
	for (const cancel of listeners) cancel();
	await assert.rejects(first, /withdrawn/);
	assert.equal(approvals.pending().length, 1);
	approvals.dropAll();
	await assert.rejects(second, /withdrawn/);
	const late = approvals.ask(aRequest("c"), { ...NEVER, isCancellationRequested: true });
	await assert.rejects(late, /withdrawn/);
	assert.equal(approvals.pending().length, 0);
});

test("a path that is always allowed to be read is saved exactly as it was shown", async () => {
	const { approvals, read } = aDesk(async () => assert.fail("There is no rule to save."));
	const subject = { kind: "permission", read: ["~/.toolrc"], command: "Run cat ~/.toolrc" } as const;
	for (const [approvalId, decision] of [
		["a", "allowThread"],
		["b", "allowRule"],
	] as const) {
		const asked = approvals.ask({ ...aRequest(approvalId), subject: { ...subject, read: [...subject.read] } }, NEVER);
		const answer = { approvalId, digest: `digest of ${approvalId}`, decision };
		assert.equal(await approvals.answer(answer), undefined);
		assert.equal((await asked).decision, decision);
	}
	assert.deepEqual(read, ["~/.toolrc"]);
});

test("a host that is always allowed is saved as the line that the card showed", async () => {
	const { approvals, hosts } = aDesk();
	const subject = { kind: "network", host: "a.org", port: 443, process: "curl", rule: "a.org" } as const;
	void approvals.ask({ ...aRequest("a"), subject }, NEVER);
	void approvals.ask({ ...aRequest("b"), subject }, NEVER);
	await approvals.answer({ approvalId: "a", digest: "digest of a", decision: "allowThread" });
	assert.deepEqual(hosts, []);
	await approvals.answer({ approvalId: "b", digest: "digest of b", decision: "allowRule" });
	assert.deepEqual(hosts, ["a.org"]);
});

test("“Always allow” for a tool of a server saves exactly the tool that was shown", async () => {
	const { approvals, tools } = aDesk();
	const shown = { server: "docs", tool: "search", definition: "digest" };
	const subject = { kind: "serverTool" as const, ...shown, description: "Searches.", input: "{}" };
	const request = { ...aRequest("a"), subject };
	void approvals.ask(request, NEVER);
	await approvals.answer({ approvalId: "a", digest: request.digest, decision: "allowRule" });
	assert.deepEqual(tools, [shown]);
});
