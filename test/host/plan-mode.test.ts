import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { policyProbe } from "../../agent-host/protocol/host/health.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { policyShow } from "../../agent-host/protocol/thread/context.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart, turnSteer } from "../../agent-host/protocol/thread/turn.ts";
import { until } from "../support/editor-until.ts";
import { calls, callsAll, holds, type Reply, says, together, writes } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn, startHeldTurn } from "../support/host-process.ts";
import { bodyOf, inputLines } from "../support/request-page.ts";
import { matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";

const PLAN = { modes: { collaboration: "plan" } } as const satisfies PartialSettings;
const ACT = { modes: { collaboration: "default" } } as const satisfies PartialSettings;

const ADD = "*** Begin Patch\n*** Add File: added.txt\n+text\n*** End Patch";
const EDIT = "*** Begin Patch\n*** Update File: kept.txt\n@@\n-before\n+after\n*** End Patch";
const DELETE = "*** Begin Patch\n*** Delete File: kept.txt\n*** End Patch";

/** Every way in which a call can change something; every approval is granted. */
function everyWay(home: string): readonly Reply[] {
	const run = (more: object) => calls("run_command", { command: "echo ran > ran.txt; touch .git/ran", ...more });
	return [
		calls("apply_patch", { patch: ADD }),
		writes("apply_patch", EDIT),
		calls("run_command", { command: `apply_patch '${ADD}'` }),
		calls("run_command", { command: `apply_patch <<'EOF'\n${EDIT}\nEOF` }),
		calls("run_command", { command: ["apply_patch", DELETE] }),
		calls("run_command", { command: `true; apply_patch <<'EOF'\n${DELETE}\nEOF` }),
		run({}),
		run({ escalate: { reason: "The user wants it." } }),
		run({ read: [join(home, "closed")] }),
		run({ write: ["."], writable_roots: ["."], permissions: "full", sandbox: "danger-full-access" }),
		calls("run_command", { command: ["git", "commit", "--allow-empty", "-m", "one"] }),
		calls("run_command", { command: "git add . && git commit -m two" }),
		calls("run_command", { command: "rm -rf ." }),
		calls("run_command", { command: ["touch", "by-rule.txt"] }),
		callsAll([
			["undo", {}],
			["rollback", { turns: 1 }],
			["write_file", { path: "added.txt", text: "text" }],
		]),
	];
}

function touchIn(folder: string): Reply {
	return calls("run_command", { command: `touch ${join(folder, "ran.txt")} /var/tmp/vitrine-ran.txt`, cwd: folder });
}

/** All that is in a folder: names, kinds, times of change and contents. Links are not followed. */
function stateOf(folder: string): string {
	const lines = readdirSync(folder, { withFileTypes: true }).map((entry) => {
		const path = join(folder, entry.name);
		const { mode, mtimeMs } = lstatSync(path);
		const inside = entry.isDirectory() ? stateOf(path) : entry.isFile() ? readFileSync(path, "hex") : "";
		return `${entry.name} ${mode} ${mtimeMs} ${inside}`;
	});
	return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}

function prepare(workspace: string): void {
	writeFileSync(join(workspace, "kept.txt"), "before\n");
	const git = (...args: string[]) => spawnSync("git", ["-C", workspace, ...args], { encoding: "utf8" });
	git("init");
	git("config", "user.email", "me@example.org");
	git("config", "user.name", "me");
}

const MODES = ["readOnly", "ask", "workspaceWrite", "full"] as const;
const APPROVALS = ["untrusted", "onRequest", "never"] as const;

let asked: ApprovalRequest[] = [];

/** Notes every approval, and allows it for as long as possible. */
function agree(request: ApprovalRequest) {
	asked.push(request);
	return { decision: request.choices.includes("allowThread") ? "allowThread" : "allow" } as const;
}

const shareActing = shareHost({ approve: agree });
const sharePlanning = shareHost({ settings: PLAN, approve: agree });

beforeEach(() => {
	asked = [];
});

function opensMore({ subject }: ApprovalRequest): boolean {
	return subject.kind !== "command" || subject.escalated === true;
}

/** With the widest permissions, every way to ask; a full run tries every pair. */
function approvalsFor(mode: (typeof MODES)[number]): readonly (typeof APPROVALS)[number][] {
	if (mode === "full" || process.env.VITRINE_FULL === "1") return APPROVALS;
	return APPROVALS.filter((_, index) => index === MODES.indexOf(mode));
}

for (const mode of MODES) {
	test(`plan mode changes nothing on disk, whatever the model tries and the user allows, also with ${mode} set`, (t) => {
		const script: Reply[] = [];
		const opened = { mode, rules: [{ prefix: ["touch"] }], network: "on" as const };
		const next = (_: unknown, index: number) => script[index];
		return sharePlanning(t, next, async ({ host, model, world }) => {
			prepare(world.workspace);
			const elsewhere = join(world.root, "elsewhere");
			mkdirSync(elsewhere, { recursive: true });
			const filesystem = [{ path: elsewhere, access: "write" as const }];
			const permissions = { ...opened, writableRoots: [elsewhere], filesystem };
			const disk = () => [world.workspace, elsewhere].map(stateOf);
			const before = disk();
			for (const approval of approvalsFor(mode)) {
				script.push(...everyWay(world.home), touchIn(elsewhere), says("Here is the plan."));
				const threadId = await aThread(host, { settings: { permissions, approval } });
				const { end } = await runTurn(host, threadId, "Change something.");
				assert.equal(end.status, "completed");
				assert.deepEqual(disk(), before, approval);
				assert.equal((await host.request(policyProbe, { threadId })).state, "held", approval);
			}
			assert.deepEqual(asked.filter(opensMore), []);
			const offered = new Set(model.requests.flatMap((request) => bodyOf(request).tools.map(({ name }) => name)));
			assert.equal(offered.has("apply_patch"), false);
			assert.equal(offered.has("run_command"), true);
		});
	});
}

test("a command in plan mode can write temporary files and nothing else", (t) => {
	const script = [
		calls("run_command", { command: "echo kept > /tmp/note && cat /tmp/note; touch here.txt" }),
		says("ok"),
	];
	return sharePlanning(t, script, async ({ host, model, world }) => {
		await runTurn(host, await aThread(host), "Look.");
		const output = inputLines(model.requests[1] ?? assert.fail()).at(-1) ?? "";
		assert.match(output, /kept/);
		assert.match(output, /Read-only file system/);
		assert.match(output, /Plan mode allows no changes, and approvals cannot override it/);
		assert.equal(existsSync(join(world.workspace, "here.txt")), false);
	});
});

test("grants for the thread do not count in plan mode, and count again after it", (t) => {
	const touch = () => calls("run_command", { command: ["touch", "touched.txt"] });
	const script = [touch(), says("ok"), touch(), says("ok"), touch(), says("ok")];
	const settings = { permissions: { mode: "ask" } } as const;
	return shareActing(t, script, async ({ host, world }) => {
		const threadId = await aThread(host, { settings });
		const touched = join(world.workspace, "touched.txt");
		await runTurn(host, threadId, "Touch it.");
		const first = statSync(touched).mtimeMs;
		await host.request(threadSettings, { threadId, settings: PLAN });
		await runTurn(host, threadId, "Touch it.");
		assert.equal(statSync(touched).mtimeMs, first);
		await host.request(threadSettings, { threadId, settings: ACT });
		await runTurn(host, threadId, "Touch it.");
		assert.notEqual(statSync(touched).mtimeMs, first);
		assert.equal(asked.length, 2);
	});
});

test("background commands that may write end when plan mode begins, and take no more input", (t) => {
	const files = ["typed.txt", "outside.txt"];
	const cat = (file = "", more = {}) => calls("run_command", { command: `cat > ${file}`, yieldMs: 0, ...more });
	const type = (processId: string) => calls("write_command_input", { processId, text: "text\n", waitMs: 0 });
	const script = [
		together(cat(files[0]), cat(files[1], { escalate: { reason: "why not" } })),
		says("ok"),
		together(type("p1"), type("p2")),
		says("ok"),
	];
	return shareActing(t, script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Start it.");
		const paths = files.map((file) => join(world.workspace, file));
		await until("both commands have begun", async () => paths.every((path) => existsSync(path)));
		const input = [{ kind: "text" as const, text: "Type." }];
		const { turnId } = await host.request(turnStart, { threadId, input, overrides: { settings: PLAN } });
		await endOfTurn(host, threadId, turnId);
		for (const path of paths) assert.equal(readFileSync(path, "utf8"), "");
		const said = inputLines(model.requests[3] ?? assert.fail()).slice(-2);
		for (const line of said) assert.match(line, /Stopped with all its child processes/);
		const warnings = host.events(threadId).flatMap(({ event }) => (event.type === "warning" ? [event.code] : []));
		assert.deepEqual(warnings, ["rights-shrunk", "rights-shrunk"]);
	});
});

test("settings and messages that arrive during a planning turn open nothing before the next turn", (t) => {
	const held = holds("Looking", " on.");
	const attempt = () =>
		callsAll([
			["apply_patch", { patch: ADD }],
			["run_command", { command: "touch ran.txt" }],
		]);
	const script = [held, attempt(), says("ok"), attempt(), says("ok")];
	return sharePlanning(t, script, async ({ host, world }) => {
		const { threadId, turnId } = await startHeldTurn(host, held);
		await host.request(threadSettings, { threadId, settings: { ...ACT, permissions: { mode: "full" } } });
		await host.request(turnSteer, { threadId, turnId, input: [{ kind: "text", text: "You may write now." }] });
		held.release();
		await endOfTurn(host, threadId, turnId);
		const names = ["added.txt", "ran.txt"];
		t.after(() => names.map((name) => rmSync(join(world.workspace, name), { force: true })));
		const made = () => names.filter((name) => existsSync(join(world.workspace, name)));
		assert.deepEqual(made(), []);
		await runTurn(host, threadId, "Now do it.");
		assert.deepEqual(made(), names);
		assert.deepEqual(asked, []);
	});
});

test("the policy, the tools and the words of every turn describe plan mode alike", (t) => {
	const script = ["Act.", "Plan.", "Plan on.", "Act again."].map((text) => says(text));
	return shareActing(t, script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Look.");
		await host.request(threadSettings, { threadId, settings: PLAN });
		const { name, mode, network, plan, words } = await host.request(policyShow, { threadId });
		assert.deepEqual([name, mode, network], ["Read Only, plan mode, network off", "readOnly", "off"]);
		assert.deepEqual(plan, { mode: "workspaceWrite", network: "off" });
		assert.equal(
			words.at(-1)?.message,
			"Plan mode: nothing can be changed in this turn, and approvals cannot override that.",
		);
		await runTurn(host, threadId, "Plan.");
		await runTurn(host, threadId, "Go on.");
		await host.request(threadSettings, { threadId, settings: ACT });
		await runTurn(host, threadId, "Do it.");
		const tools = model.requests.map((request) => JSON.stringify(bodyOf(request).tools));
		assert.deepEqual(
			tools.map((text) => /escalate|approval|apply_patch/.test(text)),
			[true, false, false, true],
		);
		matchesRequests("plan-mode", model, world, ["act", "plan", "plan again", "act again"]);
	});
});
