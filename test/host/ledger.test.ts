import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ApprovalAnswer, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { permissionLedger, permissionRevoke } from "../../agent-host/protocol/approval/ledger.ts";
import { processList, processStop, processTail } from "../../agent-host/protocol/thread/process.ts";
import { threadRestore } from "../../agent-host/protocol/thread/review.ts";
import { until } from "../support/editor-until.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { type HostTestOptions, withHost } from "./rig/with-host.ts";

const RULE = { prefix: ["git", "status"] };
const ASK: HostTestOptions["settings"] = { permissions: { mode: "ask", rules: [RULE] } };
const command = (text: string, more = {}) => calls("run_command", { command: text, ...more });

test("the ledger lists every verdict with its reason and source; a revoked grant needs approval again", (t) => {
	const questions: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest): ApprovalAnswer => {
		questions.push(request);
		const { digest } = request;
		return questions.length === 3 ? { decision: "deny", digest, note: "Enough." } : { decision: "allowThread", digest };
	};
	const script = [
		calls("read_file", { path: "README.md" }),
		calls("read_file", { path: "/etc/passwd" }),
		command("git status"),
		command("touch made"),
		command("touch made"),
		calls("update_plan", { steps: [] }),
		says("ok"),
		command("touch made"),
		command("touch other"),
		says("ok"),
	];
	return withHost(t, { settings: ASK, approve, script }, async ({ host, another }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Go.");
		const ledger = async (from = host) => (await from.request(permissionLedger, { threadId })).entries;
		const rows = (entries: Awaited<ReturnType<typeof ledger>>) =>
			entries.map(({ what, decision, by, grant }) => [what, decision, by, ...(grant ? [grant] : [])].join(" | "));
		const first = await ledger();
		assert.deepEqual(rows(first), [
			"Run touch made | allow | thread",
			"Run touch made | allowThread | user | inForce",
			"Run git status | allow | rule",
			"Read /etc/passwd | deny | policy",
			"Read README.md | allow | policy",
		]);
		assert.deepEqual(first[2]?.rules, [RULE]);
		assert.equal(first[3]?.reason, "/etc/passwd is outside the workspace folders; only files in them can be read.");
		assert.ok(first.every(({ at, digest, reason }) => at > 0 && digest !== "" && reason !== ""));

		const { digest } = first[1] ?? assert.fail();
		assert.deepEqual(await host.request(permissionRevoke, { threadId, digest }), { revoked: true });
		assert.deepEqual(await host.request(permissionRevoke, { threadId, digest }), { revoked: false });
		await runTurn(host, threadId, "Again.");
		assert.equal(questions.length, 3, "asked again for what was revoked, and for the other one");
		const second = await ledger();
		assert.deepEqual(rows(second).slice(0, 2), [
			"Run touch other | deny | user",
			"Run touch made | allowThread | user | inForce",
		]);
		assert.equal(second[0]?.note, "Enough.");
		await host.close();
		const later = await ledger(await another());
		assert.deepEqual(rows(later)[1], "Run touch made | allowThread | user | over", "consent ends with the host");
	});
});

test("with full access a mass deletion waits for an approval that shows its extent, and its grant can be revoked", (t) => {
	const asked: ApprovalRequest[] = [];
	const approve = (request: ApprovalRequest): ApprovalAnswer => {
		asked.push(request);
		return { decision: asked.length === 1 ? "deny" : "allow", digest: request.digest };
	};
	const settings = { permissions: { mode: "full" } } as const;
	const remove = () => command("cd tree && rm -rf *", { yieldMs: 60_000 });
	const script = [remove(), says("ok"), remove(), says("ok")];
	return withHost(t, { settings, approve, script }, async ({ host, world }) => {
		const folder = join(world.workspace, "tree");
		mkdirSync(join(folder, "deep"), { recursive: true });
		for (let n = 0; n < 25; n++) writeFileSync(join(folder, "deep", `${n}.txt`), "x");
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Delete it.");
		assert.ok(existsSync(join(folder, "deep", "24.txt")));
		const subject = asked[0]?.subject;
		assert.ok(subject?.kind === "command");
		assert.deepEqual(subject.deletes, { targets: [folder], files: 25, isWhole: true });
		assert.equal(asked[0]?.reason, "It would delete up to 25 files.");
		const { end } = await runTurn(host, threadId, "Delete it, really.");
		assert.deepEqual([asked.length, existsSync(join(folder, "deep"))], [2, false]);
		const { files } = await host.request(threadRestore, { threadId, turnId: end.turnId, what: "files" });
		assert.deepEqual([files.length, existsSync(join(folder, "deep", "24.txt"))], [25, true]);
	});
});

test("the user can list a background command, read its output without taking it from the model, and end it", (t) => {
	const script = [
		command("echo ready; while read line; do echo got $line; done", { yieldMs: 100 }),
		says("It runs."),
		calls("write_command_input", { processId: "p1", text: "", waitMs: 100 }),
		says("It is over."),
	];
	return withHost(t, { script }, async ({ host, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Start it.");
		const tail = { threadId, processId: "p1" };
		const read = await until("the command writes", async () => {
			const now = await host.request(processTail, tail);
			return now.text !== "" && now;
		});
		assert.deepEqual(read, { text: "ready\n", running: true });
		const { processes } = await host.request(processList, {});
		assert.deepEqual(
			processes.map((one) => [one.threadId, one.processId, one.outputBytes]),
			[[threadId, "p1", 6]],
		);
		const elsewhere = { ...tail, threadId: await aThread(host) };
		assert.deepEqual(await host.request(processTail, elsewhere), { text: "", running: false });
		assert.deepEqual(await host.request(processStop, elsewhere), { stopped: false });
		assert.deepEqual(await host.request(processStop, tail), { stopped: true });
		assert.deepEqual(await host.request(processList, {}), { processes: [] });
		await runTurn(host, threadId, "And now?");
		assert.match(
			inputLines(model.requests.at(-1) ?? assert.fail()).at(-1) ?? "",
			/Stopped with all its child processes/,
		);
	});
});
